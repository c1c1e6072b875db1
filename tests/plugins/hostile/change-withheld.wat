;; Changes an app that it may only read, by a valid handle from opening it.
;; wants: apps com.example.notes
;; wants: apps-change com.example.notes
;; withheld: apps-change
;; expect: permission_denied: the plugin has no grant for `apps-change`
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/apps-change@0.1.0" "set-property" (func $set (param i32 i32 i32 i32)))
(data (i32.const 512) "com.example.notes{}")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (if (i32.load8_u (i32.const 1024)) (then (unreachable)))
  (call $set (i32.load (i32.const 1028)) (i32.const 529) (i32.const 2) (i32.const 1024))
  (i32.const 1024))
