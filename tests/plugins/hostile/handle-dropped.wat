;; Uses a handle after it has closed it.
;; wants: apps com.example.notes
;; expect: unknown handle index
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/apps@0.1.0" "[method]app.bundle-id" (func $id (param i32 i32)))
(import "iac:plugin/apps@0.1.0" "[resource-drop]app" (func $close (param i32)))
(data (i32.const 512) "com.example.notes")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (call $close (i32.load (i32.const 1028)))
  (call $id (i32.load (i32.const 1028)) (i32.const 1024))
  (i32.const 256))
