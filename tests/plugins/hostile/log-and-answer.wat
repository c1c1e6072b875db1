;; Writes a line and answers: an honest guest that uses functions of the host. The packages in `tests/plugins/released` are made from it.
;; expect: {}
(import "iac:plugin/log@0.1.0" "write" (func $log (param i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (call $log (i32.const 2) (i32.const 32) (i32.const 11)) (i32.const 256))
