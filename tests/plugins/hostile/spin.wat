;; Computes for ever.
;; expect: compute time
(func $call (param i32 i32 i32 i32) (result i32) (loop $again (br $again)) (unreachable))
