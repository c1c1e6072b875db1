;; Returns an address outside its memory from `realloc`.
;; expect: beyond end of memory
(func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const -16))
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
