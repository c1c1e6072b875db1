;; Takes table elements as long as it gets some.
;; expect: limit on table elements
(table $functions 1 funcref)
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again (drop (table.grow $functions (ref.null func) (i32.const 1000))) (br $again))
  (unreachable))
