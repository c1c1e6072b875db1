;; Gives a schema that is not JSON.
;; expect: the schema of `hostile`
(data (i32.const 64) "!")
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
