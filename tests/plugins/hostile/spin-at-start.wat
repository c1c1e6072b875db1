;; Computes for ever in its start function.
;; expect: compute time
(func $spin (loop $again (br $again)))
(start $spin)
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
