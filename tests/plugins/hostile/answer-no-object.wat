;; Answers with a list.
;; expect: not a JSON object: it is a list
(data (i32.const 272) "[]")
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
