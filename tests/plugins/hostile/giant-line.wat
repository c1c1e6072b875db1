;; Writes twelve million bytes into the log as one line, more than one crossing carries.
;; expect: fuel allocated for hostcalls
(import "iac:plugin/log@0.1.0" "write" (func $write (param i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (drop (memory.grow (i32.const 200)))
  (memory.fill (i32.const 65536) (i32.const 97) (i32.const 12000000))
  (call $write (i32.const 0) (i32.const 65536) (i32.const 12000000))
  (i32.const 256))
