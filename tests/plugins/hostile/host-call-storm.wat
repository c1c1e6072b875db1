;; Asks for the time until it is stopped.
;; expect: host calls
(import "iac:plugin/clock@0.1.0" "now" (func $now (param i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (loop $again (call $now (i32.const 1024)) (br $again))
  (unreachable))
