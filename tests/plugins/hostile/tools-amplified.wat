;; Lists a thousand tools that share one description of 60,000 bytes: 64 KB of its memory, 60 MB of the host's.
;; expect: fuel allocated for hostcalls
(func $list (export "iac:plugin/tools@0.1.0#list-tools") (result i32)
  (local $at i32)
  (drop (memory.grow (i32.const 2)))
  (memory.fill (i32.const 65536) (i32.const 97) (i32.const 60000))
  (i32.store (i32.const 180) (i32.const 65536))
  (i32.store (i32.const 184) (i32.const 60000))
  (loop $again
    (memory.copy (i32.add (i32.const 131072) (local.get $at)) (i32.const 160) (i32.const 64))
    (local.set $at (i32.add (local.get $at) (i32.const 64)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 64000))))
  (i32.store (i32.const 128) (i32.const 131072))
  (i32.store (i32.const 132) (i32.const 1000))
  (i32.const 128))
(func $call (param i32 i32 i32 i32) (result i32) (i32.const 256))
