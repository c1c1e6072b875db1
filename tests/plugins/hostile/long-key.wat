;; Stores something under a key of a thousand bytes.
;; wants: store
;; expect: invalid_parameter: a key has 1000 bytes
(import "iac:plugin/store@0.1.0" "remove" (func $remove (param i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (memory.fill (i32.const 2048) (i32.const 97) (i32.const 1000))
  (call $remove (i32.const 2048) (i32.const 1000) (i32.const 1024))
  (i32.const 1024))
