;; Describes its tool with a sequence that clears the reader's terminal.
;; expect: control or bidirectional characters
(data (i32.const 32) "\1b[2J")
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
