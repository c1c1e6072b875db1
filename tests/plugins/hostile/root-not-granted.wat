;; Opens a folder that was not granted.
;; wants: files /granted
;; expect: permission_denied: the plugin has no grant to read below `/`
(import "iac:plugin/files@0.1.0" "open" (func $open (param i32 i32 i32)))
(data (i32.const 512) "/")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 1) (i32.const 1024))
  (i32.const 1024))
