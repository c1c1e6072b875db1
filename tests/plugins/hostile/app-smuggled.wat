;; Names an app in its arguments that is not the app of its handle.
;; wants: apps com.example.notes
;; expect: invalid_parameter: arguments name an `app`
(import "iac:plugin/apps@0.1.0" "open" (func $open (param i32 i32 i32)))
(import "iac:plugin/apps@0.1.0" "[method]app.get-elements" (func $elements (param i32 i32 i32 i32)))
(data (i32.const 512) "com.example.notes{\22app\22:\22com.example.other\22}")
(func $call (param i32 i32 i32 i32) (result i32)
  (call $open (i32.const 512) (i32.const 17) (i32.const 1024))
  (call $elements (i32.load (i32.const 1028)) (i32.const 529) (i32.const 27) (i32.const 1024))
  (i32.const 1024))
