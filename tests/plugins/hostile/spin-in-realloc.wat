;; Computes for ever while the host passes its arguments.
;; expect: compute time
(func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (loop $again (br $again)) (unreachable))
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
