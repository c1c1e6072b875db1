;; Traps in its start function.
;; expect: unreachable
(func $give-up (unreachable))
(start $give-up)
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
