;; Makes the server treat a read as a change, by a header name that many servers turn into the same variable.
;; wants: http api.example.com GET
;; expect: invalid_parameter: the header `x_http_method_override` is the host program's own
(import "iac:plugin/http@0.1.0" "send" (func $send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 512) "https://api.example.com/")
(data (i32.const 1024) "X_HTTP_Method_Override")
(data (i32.const 1280) "DELETE")
(data (i32.const 1536) "\00\04\00\00\16\00\00\00\00\05\00\00\06\00\00\00")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $send (i32.const 0) (i32.const 512) (i32.const 24) (i32.const 1536) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1000) (i32.const 2048))
  (if (i32.eqz (i32.load8_u (i32.const 2048))) (then (return (i32.const 256))))
  (i32.const 2048))
