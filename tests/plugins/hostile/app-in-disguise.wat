;; Opens an app by a spelling that was granted and that the host finds to be another app.
;; wants: apps com.example.alias
;; expect: permission_denied: the plugin has no grant to read `com.example.other`
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(data (i32.const 512) "com.example.alias")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (i32.const 1024))
