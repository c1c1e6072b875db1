;; Stores a million small values under a million keys; a call may make a thousand host calls.
;; wants: store
;; expect: host calls
(import "iac:plugin/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again
    (i32.store (i32.const 512) (i32.or (i32.const 0x41414141) (i32.load (i32.const 520))))
    (i32.store (i32.const 520) (i32.and (i32.add (i32.load (i32.const 520)) (i32.const 1)) (i32.const 0x0f0f0f0f)))
    (call $put (i32.const 512) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 1024))
    (br $again))
  (unreachable))
