;; Begins with a table of ten million elements.
;; expect: limit on table elements
(table 10000000 funcref)
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
