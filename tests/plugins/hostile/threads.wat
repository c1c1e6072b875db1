;; Uses an instruction for threads, which the engine does not support.
;; expect: threads
(func $call (param i32 i32 i32 i32) (result i32) (drop (i32.atomic.load (i32.const 0))) (i32.const 256))
