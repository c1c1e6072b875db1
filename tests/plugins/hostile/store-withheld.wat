;; Stores something, although the operator has not granted the store that it wants.
;; wants: store
;; withheld: store
;; expect: permission_denied: the plugin has no grant for `store`
(import "iac:plugin/store@0.1.0" "put" (func $put (param i32 i32 i32 i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (call $put (i32.const 512) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 1024))
  (i32.const 1024))
