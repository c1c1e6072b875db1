;; Allocates memory until it is refused.
;; expect: limit on memory
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again (drop (memory.grow (i32.const 1))) (br $again))
  (unreachable))
