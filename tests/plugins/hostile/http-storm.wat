;; Sends thousands of requests.
;; wants: http api.example.com GET
;; expect: unavailable: the call has sent 50 requests
(import "iac:plugin/http@0.1.0" "send" (func $send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 512) "https://api.example.com/")
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again
    (call $send (i32.const 0) (i32.const 512) (i32.const 24) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1000) (i32.const 2048))
    (br_if $again (i32.eqz (i32.load8_u (i32.const 2048)))))
  (i32.const 2048))
