;; Uses a handle that it was never given.
;; wants: apps com.example.notes
;; expect: unknown handle index
(import "iac:plugin/apps@0.1.0" "[method]app.bundle-id" (func $id (param i32 i32)))
(func $call (param i32 i32 i32 i32) (result i32)
  (call $id (i32.const 77) (i32.const 1024))
  (i32.const 256))
