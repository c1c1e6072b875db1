;; Asks for an app that never answers.
;; wants: apps com.example.slow
;; expect: limit on time
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(data (i32.const 512) "com.example.slow")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 16) (i32.const 1024))
  (i32.const 1024))
