;; Passes arguments with a hundred thousand brackets.
;; wants: apps com.example.notes
;; expect: invalid_parameter: arguments are not a JSON object
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/apps@0.1.0" "[method]app.get-elements" (func $elements (param i32 i32 i32 i32)))
(data (i32.const 512) "com.example.notes")
(func $call (param i32 i32 i32 i32) (result i32)
  (drop (memory.grow (i32.const 2)))
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (memory.fill (i32.const 65536) (i32.const 91) (i32.const 100000))
  (i32.store (i32.const 65536) (i32.const 0x5b3a2222))
  (i32.store8 (i32.const 65535) (i32.const 123))
  (call $elements (i32.load (i32.const 1028)) (i32.const 65535) (i32.const 100000) (i32.const 1024))
  (i32.const 1024))
