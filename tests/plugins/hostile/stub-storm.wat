;; Calls a refused function for ever; a refusal counts as a host call.
;; wants: store
;; withheld: store
;; expect: host calls
(import "iac:plugin/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32)))
(func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096))
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again
    (call $put (i32.const 512) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 1024))
    (br $again))
  (unreachable))
