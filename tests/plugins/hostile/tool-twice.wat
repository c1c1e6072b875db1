;; Lists one tool as two.
;; expect: two tools are called `hostile`
(func $list (export "iac:plugin/tools@0.1.0#list-tools") (result i32)
  (memory.copy (i32.const 224) (i32.const 160) (i32.const 64))
  (i32.store (i32.const 132) (i32.const 2))
  (i32.const 128))
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
