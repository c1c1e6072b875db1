;; Asks for thousands of secrets in a request, each of which would be read.
;; wants: http api.example.com GET
;; secret: token api.example.com
;; expect: invalid_parameter: there are 5000 secrets, expected at most 8
(import "iac:plugin/http@0.1.0" "send" (func $send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 512) "https://api.example.com/")
(data (i32.const 1600) "token")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $send (i32.const 0) (i32.const 512) (i32.const 24) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 20480) (i32.const 5000) (i32.const 1000) (i32.const 2048))
  (if (i32.eqz (i32.load8_u (i32.const 2048))) (then (return (i32.const 256))))
  (i32.const 2048))
