;; Imports a function that the host does not have.
;; expect: cannot become a component
(import "env" "system" (func $system (param i32)))
(func $call (param i32 i32 i32 i32) (result i32) (call $system (i32.const 0)) (i32.const 256))
