;; Answers with two million bytes, more than an answer may have.
;; expect: bytes of the answer
(func $call (param i32 i32 i32 i32) (result i32)
  (drop (memory.grow (i32.const 100)))
  (memory.fill (i32.const 65536) (i32.const 32) (i32.const 2000000))
  (i32.store (i32.const 260) (i32.const 65536))
  (i32.store (i32.const 264) (i32.const 2000000))
  (i32.const 256))
