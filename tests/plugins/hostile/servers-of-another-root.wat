;; Asks for the language servers of a folder that it was not given, and tells what it was told.
;; wants: language-servers /granted
;; expect: told: the plugin has no grant for the language servers of `/`
(import "iac:plugin/language-servers@0.1.0" "open" (func $open (param i32 i32 i32)))
(data (i32.const 512) "/")
(data (i32.const 516) "told")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 1) (i32.const 1024))
  (i32.store8 (i32.const 2048) (i32.load8_u (i32.const 1024)))
  (i32.store (i32.const 2052) (i32.const 516))
  (i32.store (i32.const 2056) (i32.const 4))
  (i32.store (i32.const 2060) (i32.load (i32.const 1032)))
  (i32.store (i32.const 2064) (i32.load (i32.const 1036)))
  (i32.const 2048))
