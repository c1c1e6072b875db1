;; Reports progress until it is stopped.
;; expect: host calls
(import "iac:plugin/log@0.1.0" "progress" (func $progress (param i32 i32 i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again (call $progress (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 32) (i32.const 11)) (br $again))
  (unreachable))
