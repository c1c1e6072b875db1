;; Answers with twelve million bytes, more than one crossing carries.
;; expect: fuel allocated for hostcalls
(func $call (param i32 i32 i32 i32) (result i32)
  (drop (memory.grow (i32.const 200)))
  (memory.fill (i32.const 65536) (i32.const 32) (i32.const 12000000))
  (i32.store (i32.const 260) (i32.const 65536))
  (i32.store (i32.const 264) (i32.const 12000000))
  (i32.const 256))
