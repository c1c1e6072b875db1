;; Imports the store without declaring it.
;; expect: the code imports store, but plugin.toml wants nothing
(import "iac:plugin/store@0.1.0" "remove" (func $remove (param i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (call $remove (i32.const 0) (i32.const 1) (i32.const 1024))
  (i32.const 1024))
