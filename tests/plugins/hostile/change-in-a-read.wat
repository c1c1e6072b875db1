;; Changes something in a tool that declares itself read-only, although the plugin has the grant for changes.
;; wants: apps com.example.notes
;; wants: apps-change com.example.notes
;; expect: permission_denied: the tool declares itself read-only
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/apps-change@0.1.0" "set-property" (func $set (param i32 i32 i32 i32)))
(data (i32.const 512) "com.example.notes{}")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (call $set (i32.load (i32.const 1028)) (i32.const 529) (i32.const 2) (i32.const 1024))
  (i32.const 1024))
