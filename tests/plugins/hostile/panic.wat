;; Traps.
;; expect: unreachable
(func $call (param i32 i32 i32 i32) (result i32) (unreachable))
