;; Stores large values again and again.
;; wants: store
;; expect: bytes over the boundary
(import "iac:plugin/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32)))
(data (i32.const 512) "key")
(func $call (param i32 i32 i32 i32) (result i32)
  (drop (memory.grow (i32.const 20)))
  (loop $again
    (call $put (i32.const 512) (i32.const 3) (i32.const 65536) (i32.const 1000000) (i32.const 1024))
    (br $again))
  (unreachable))
