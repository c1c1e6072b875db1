;; Answers with bytes that are not UTF-8.
;; expect: utf-8
(data (i32.const 272) "\ff\fe")
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
