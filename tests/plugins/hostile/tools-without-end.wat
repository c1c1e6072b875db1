;; Claims a list of a hundred million tools.
;; expect: out of bounds
(func $list (export "iac:plugin/tools@0.1.0#list-tools") (result i32)
  (i32.store (i32.const 132) (i32.const 100000000))
  (i32.const 128))
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
