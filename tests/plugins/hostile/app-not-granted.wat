;; Opens an app that was not granted. An error of `open` has the shape of an error of `call-tool`.
;; wants: apps com.example.notes
;; expect: permission_denied: the plugin has no grant to read `com.example.other`
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(data (i32.const 512) "com.example.other")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (i32.const 1024))
