;; Asks for the longest possible time.
;; wants: http api.example.com GET
;; expect: invalid_parameter: `deadline` is 4294967295, expected 1 to 30000
(import "iac:plugin/http@0.1.0" "send" (func $send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 512) "https://api.example.com/")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $send (i32.const 0) (i32.const 512) (i32.const 24) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const -1) (i32.const 2048))
  (if (i32.eqz (i32.load8_u (i32.const 2048))) (then (return (i32.const 256))))
  (i32.const 2048))
