;; Traps while the host passes its arguments.
;; expect: unreachable
(func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (unreachable))
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
