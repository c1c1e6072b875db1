;; Asks for one secret twice in a request.
;; wants: http api.example.com GET
;; secret: token api.example.com
;; expect: invalid_parameter: the secrets `token` and `token` have one header, expected two
(import "iac:plugin/http@0.1.0" "send" (func $send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 512) "https://api.example.com/")
(data (i32.const 1600) "token")
(data (i32.const 1664) "\40\06\00\00\05\00\00\00\40\06\00\00\05\00\00\00")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $send (i32.const 0) (i32.const 512) (i32.const 24) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1664) (i32.const 2) (i32.const 1000) (i32.const 2048))
  (if (i32.eqz (i32.load8_u (i32.const 2048))) (then (return (i32.const 256))))
  (i32.const 2048))
