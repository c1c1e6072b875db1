;; Wants language servers but was granted no folder: opening one is an error.
;; wants: language-servers
;; expect: {}
(import "iac:plugin/language-servers@0.1.0" "open" (func $open (param i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 1) (i32.const 1024))
  (if (i32.ne (i32.load8_u (i32.const 1024)) (i32.const 1)) (then (unreachable)))
  (i32.const 256))
