;; Writes lines until it is stopped.
;; expect: log lines
(import "iac:plugin/log@0.1.0" "write" (func $write (param i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again (call $write (i32.const 0) (i32.const 32) (i32.const 11)) (br $again))
  (unreachable))
