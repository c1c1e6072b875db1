;; Has more than one memory.
;; expect: multi
(memory $other 1)
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
