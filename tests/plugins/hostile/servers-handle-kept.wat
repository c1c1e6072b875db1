;; Uses a workspace that it was never given: the handles of one call do not exist in another.
;; wants: language-servers /granted
;; expect: unknown handle index
(import "iac:plugin/language-servers@0.1.0" "[method]workspace.root" (func $root (param i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (call $root (i32.const 1) (i32.const 1024))
  (i32.const 256))
