;; Allocates more memory at once than its limit.
;; expect: limit on memory
(func $call (param i32 i32 i32 i32) (result i32)
  (drop (memory.grow (i32.const 4096)))
  (unreachable))
