;; Asks for the language servers of a folder that was not granted, and answers with the error and its suggestion.
;; wants: language-servers /granted
;; expect: the plugin has no grant for the language servers of `/`: only the user can change this: `iac-mcp plugin grant hostile language-servers DIR`
(import "iac:plugin/language-servers@0.1.0" "open" (func $open (param i32 i32 i32)))
(data (i32.const 512) "/")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 1) (i32.const 1024))
  (i32.store8 (i32.const 2048) (i32.load8_u (i32.const 1024)))
  (i32.store (i32.const 2052) (i32.load (i32.const 1032)))
  (i32.store (i32.const 2056) (i32.load (i32.const 1036)))
  (i32.store (i32.const 2060) (i32.load (i32.const 1044)))
  (i32.store (i32.const 2064) (i32.load (i32.const 1048)))
  (i32.const 2048))
