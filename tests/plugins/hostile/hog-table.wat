;; Allocates table elements until it is refused.
;; expect: limit on table elements
(table $functions 1 funcref)
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again (drop (table.grow $functions (ref.null func) (i32.const 1000))) (br $again))
  (unreachable))
