;; Opens an app to change it, although the operator has revoked the grant to read.
;; wants: apps com.example.notes
;; wants: apps-change com.example.notes
;; withheld: apps
;; expect: permission_denied: the plugin has no grant for `apps`
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/apps-change@0.1.0" "set-property" (func $set (param i32 i32 i32 i32)))
(data (i32.const 512) "com.example.notes")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (i32.const 1024))
