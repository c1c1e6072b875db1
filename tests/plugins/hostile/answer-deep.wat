;; Answers with a hundred thousand brackets.
;; expect: its answer is not a JSON object: recursion limit exceeded
(func $call (param i32 i32 i32 i32) (result i32)
  (drop (memory.grow (i32.const 2)))
  (memory.fill (i32.const 65536) (i32.const 91) (i32.const 100000))
  (i32.store (i32.const 260) (i32.const 65536))
  (i32.store (i32.const 264) (i32.const 100000))
  (i32.const 256))
