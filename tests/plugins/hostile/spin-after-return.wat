;; Computes for ever after it has answered.
;; expect: compute time
(func (export "cabi_post_iac:plugin/tools@0.1.0#call-tool") (param i32) (loop $again (br $again)))
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
