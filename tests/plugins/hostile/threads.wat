;; Uses an instruction for threads that there are not.
;; expect: threads
(func $call (param i32 i32 i32 i32) (result i32) (drop (i32.atomic.load (i32.const 0))) (i32.const 256))
