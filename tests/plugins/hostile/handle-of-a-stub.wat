;; Changes an app by a handle that it made up, since opening one is refused.
;; wants: apps com.example.notes
;; wants: apps-change com.example.notes
;; withheld: apps
;; expect: unknown handle index 7
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/apps-change@0.1.0" "set-property" (func $set (param i32 i32 i32 i32)))
(data (i32.const 512) "{}")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $set (i32.const 7) (i32.const 512) (i32.const 2) (i32.const 1024))
  (i32.const 1024))
