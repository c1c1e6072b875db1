;; Opens an app again and again and closes none.
;; wants: apps com.example.notes
;; expect: unavailable: the call holds too many handles
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(data (i32.const 512) "com.example.notes")
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again
    (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
    (br_if $again (i32.eqz (i32.load8_u (i32.const 1024)))))
  (i32.const 1024))
