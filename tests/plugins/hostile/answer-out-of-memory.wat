;; Answers with text that is not in its memory.
;; expect: out of bounds
(func $call (param i32 i32 i32 i32) (result i32)
  (i32.store (i32.const 264) (i32.const 1000000))
  (i32.const 256))
