;; Calls itself for ever.
;; expect: call stack exhausted: a function calls itself too deeply
(func $deeper (param i32) (result i32) (i32.add (i32.const 1) (call $deeper (local.get 0))))
(func $call (param i32 i32 i32 i32) (result i32) (call $deeper (i32.const 0)))
