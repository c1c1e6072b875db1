;; Keeps sending requests after the limit of requests.
;; wants: http api.example.com GET
;; expect: host calls
(import "iac:plugin/http@0.1.0" "send" (func $send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 512) "https://api.example.com/")
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again
    ;; It frees old answers, so that memory is not the limit that ends it.
    (global.set $heap (i32.const 4096))
    (call $send (i32.const 0) (i32.const 512) (i32.const 24) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1000) (i32.const 2048))
    (br $again))
  (unreachable))
