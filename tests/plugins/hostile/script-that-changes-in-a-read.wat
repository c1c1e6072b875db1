;; Runs a script that changes something, in a tool that declares itself read-only.
;; wants: apps com.example.notes
;; wants: app-scripts com.example.notes
;; script: change modify data => data
;; expect: permission_denied: the tool declares itself read-only
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/app-scripts@0.1.0" "run" (func $run (param i32 i32 i32 i32 i32 i32)))
(data (i32.const 512) "com.example.noteschange{}")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (call $run (i32.load (i32.const 1028)) (i32.const 529) (i32.const 6) (i32.const 535) (i32.const 2) (i32.const 1024))
  (i32.const 1024))
