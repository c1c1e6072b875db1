;; Keeps a number in its memory: a second call would see it, if it were not in a fresh instance.
;; expect: {"n":1}
(data (i32.const 512) "{\22n\22:0}")
(data (i32.const 528) "\00\00\00\00\00\02\00\00\07\00\00\00")
(func $call (param i32 i32 i32 i32) (result i32)
  (i32.store8 (i32.const 517) (i32.add (i32.load8_u (i32.const 517)) (i32.const 1)))
  (i32.const 528))
