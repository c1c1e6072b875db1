  ;; What the functions of the adapter share. They keep everything in one memory: a result at 16 to 1024, the
  ;; unfinished lines of standard output at 1024 to 3072 and of standard error at 3072 to 5120, the messages from 5120
  ;; on, then the heap.
  (memory (export "memory") 1)
  (global $heap (mut i32) (i32.const 65536))
  (global $out (mut i32) (i32.const 0))
  (global $err (mut i32) (i32.const 0))
  (global $known (mut i32) (i32.const 0))
  (global $started (mut i64) (i64.const 0))
  (global $passed (mut i64) (i64.const 0))
  (global $seed (mut i64) (i64.const 0))

  (func $alloc (param $size i32) (result i32)
    (local $at i32) (local $end i32)
    (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 15)) (i32.const -16)))
    (local.set $end (i32.add (local.get $at) (local.get $size)))
    (if (i32.lt_u (local.get $end) (local.get $at)) (then (unreachable)))
    (block $enough
      (br_if $enough (i32.le_u (local.get $end) (i32.shl (memory.size) (i32.const 16))))
      (br_if $enough (i32.ne (i32.const -1) (memory.grow
        (i32.add (i32.const 1) (i32.shr_u (i32.sub (local.get $end) (i32.shl (memory.size) (i32.const 16))) (i32.const 16))))))
      (unreachable))
    (global.set $heap (local.get $end))
    (local.get $at))

  (func (export "cabi_realloc") (param $old i32) (param $held i32) (param $align i32) (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (call $alloc (local.get $size)))
    (memory.copy (local.get $at) (local.get $old)
      (select (local.get $held) (local.get $size) (i32.lt_u (local.get $held) (local.get $size))))
    (local.get $at))

  ;; Returns a result of zeros only. The arguments of the call were read by then, so the heap starts again.
  (func $zeros (result i32)
    (global.set $heap (i32.const 65536))
    (memory.fill (i32.const 16) (i32.const 0) (i32.const 1008))
    (i32.const 16))

  ;; Returns a list or a string at that address, of that length.
  (func $list (param $at i32) (param $length i32) (result i32)
    (drop (call $zeros))
    (i32.store (i32.const 16) (local.get $at))
    (i32.store (i32.const 20) (local.get $length))
    (i32.const 16))

  ;; The instant of the call. It is requested once and does not advance.
  (func $milliseconds (result i64)
    (if (i32.eqz (global.get $known)) (then
      (call $now (i32.const 16))
      (global.set $started (i64.load (i32.const 16)))
      (global.set $known (i32.const 1))))
    (global.get $started))

  ;; The monotonic clock, for programs that wait: each reading adds a microsecond. A sleep returns at once but
  ;; advances the clock.
  (func $monotonic (result i64)
    (global.set $passed (i64.add (global.get $passed) (i64.const 1000)))
    (i64.add (i64.mul (call $milliseconds) (i64.const 1000000)) (global.get $passed)))

  (func $sleep (param $nanoseconds i64)
    (if (i64.gt_s (local.get $nanoseconds) (i64.const 0))
      (then (global.set $passed (i64.add (global.get $passed) (local.get $nanoseconds))))))

  ;; Pseudorandom numbers that are the same when the call is repeated: xorshift64*, seeded with the instant of the
  ;; call.
  (func $random (result i64)
    (if (i64.eqz (global.get $seed)) (then
      (global.set $seed (i64.or (i64.const 1) (i64.mul (call $milliseconds) (i64.const 0x9e3779b97f4a7c15))))))
    (global.set $seed (i64.xor (global.get $seed) (i64.shr_u (global.get $seed) (i64.const 12))))
    (global.set $seed (i64.xor (global.get $seed) (i64.shl (global.get $seed) (i64.const 25))))
    (global.set $seed (i64.xor (global.get $seed) (i64.shr_u (global.get $seed) (i64.const 27))))
    (i64.mul (global.get $seed) (i64.const 0x2545f4914f6cdd1d)))

  (func $random_bytes (param $length i32) (result i32)
    (local $at i32) (local $place i32)
    ;; Whole 64-bit numbers are written, so the buffer has room for the last one.
    (local.set $at (call $alloc (i32.add (local.get $length) (i32.const 8))))
    (local.set $place (local.get $at))
    (block $done (loop $more
      (br_if $done (i32.ge_u (i32.sub (local.get $place) (local.get $at)) (local.get $length)))
      (i64.store (local.get $place) (call $random))
      (local.set $place (i32.add (local.get $place) (i32.const 8)))
      (br $more)))
    (call $list (local.get $at) (local.get $length)))

  ;; Replaces bytes that are not UTF-8 by question marks, because the log takes only text.
  (func $clean (param $at i32) (param $end i32)
    (local $first i32) (local $more i32) (local $next i32) (local $byte i32)
    (block $done (loop $each
      (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
      (local.set $first (i32.load8_u (local.get $at)))
      (local.set $next (i32.add (local.get $at) (i32.const 1)))
      (block $good (block $bad
        (br_if $good (i32.lt_u (local.get $first) (i32.const 0x80)))
        (local.set $more (i32.const 0))
        (if (i32.and (i32.ge_u (local.get $first) (i32.const 0xc2)) (i32.le_u (local.get $first) (i32.const 0xdf)))
          (then (local.set $more (i32.const 1))))
        (if (i32.eq (i32.and (local.get $first) (i32.const 0xf0)) (i32.const 0xe0))
          (then (local.set $more (i32.const 2))))
        (if (i32.and (i32.ge_u (local.get $first) (i32.const 0xf0)) (i32.le_u (local.get $first) (i32.const 0xf4)))
          (then (local.set $more (i32.const 3))))
        (br_if $bad (i32.eqz (local.get $more)))
        (br_if $bad (i32.gt_u (i32.add (local.get $next) (local.get $more)) (local.get $end)))
        ;; The second byte rules out overlong forms, surrogates, and values above U+10FFFF.
        (local.set $byte (i32.load8_u (local.get $next)))
        (br_if $bad (i32.and (i32.eq (local.get $first) (i32.const 0xe0)) (i32.lt_u (local.get $byte) (i32.const 0xa0))))
        (br_if $bad (i32.and (i32.eq (local.get $first) (i32.const 0xed)) (i32.ge_u (local.get $byte) (i32.const 0xa0))))
        (br_if $bad (i32.and (i32.eq (local.get $first) (i32.const 0xf0)) (i32.lt_u (local.get $byte) (i32.const 0x90))))
        (br_if $bad (i32.and (i32.eq (local.get $first) (i32.const 0xf4)) (i32.ge_u (local.get $byte) (i32.const 0x90))))
        (loop $rest
          (br_if $bad (i32.ne (i32.and (i32.load8_u (local.get $next)) (i32.const 0xc0)) (i32.const 0x80)))
          (local.set $next (i32.add (local.get $next) (i32.const 1)))
          (local.set $more (i32.sub (local.get $more) (i32.const 1)))
          (br_if $rest (local.get $more)))
        (br $good))
        (i32.store8 (local.get $at) (i32.const 63))
        (local.set $next (i32.add (local.get $at) (i32.const 1))))
      (local.set $at (local.get $next))
      (br $each))))

  ;; Logs the unfinished line of a stream: standard output (1) at level info, standard error (2) at level error.
  (func $line (param $stream i32)
    (local $at i32) (local $end i32)
    (local.set $at (select (i32.const 1024) (i32.const 3072) (i32.eq (local.get $stream) (i32.const 1))))
    (local.set $end (i32.add (local.get $at)
      (select (global.get $out) (global.get $err) (i32.eq (local.get $stream) (i32.const 1)))))
    (if (i32.eq (local.get $stream) (i32.const 1))
      (then (global.set $out (i32.const 0))) (else (global.set $err (i32.const 0))))
    (if (i32.eq (local.get $at) (local.get $end)) (then (return)))
    (call $clean (local.get $at) (local.get $end))
    (call $log (select (i32.const 2) (i32.const 0) (i32.eq (local.get $stream) (i32.const 1)))
      (local.get $at) (i32.sub (local.get $end) (local.get $at))))

  (func $write (param $stream i32) (param $from i32) (param $length i32)
    (local $end i32) (local $byte i32)
    (local.set $end (i32.add (local.get $from) (local.get $length)))
    (block $done (loop $each
      (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
      (local.set $byte (i32.load8_u (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 1)))
      (if (i32.eq (local.get $byte) (i32.const 10))
        (then (call $line (local.get $stream)) (br $each)))
      (if (i32.eq (local.get $stream) (i32.const 1))
        (then
          ;; A line of the log ends at 1 KiB; the next line begins at a character boundary.
          (if (i32.and (i32.ge_u (global.get $out) (i32.const 1000))
                (i32.ne (i32.and (local.get $byte) (i32.const 0xc0)) (i32.const 0x80)))
            (then (call $line (i32.const 1))))
          (if (i32.ge_u (global.get $out) (i32.const 2000)) (then (call $line (i32.const 1))))
          (i32.store8 (i32.add (i32.const 1024) (global.get $out)) (local.get $byte))
          (global.set $out (i32.add (global.get $out) (i32.const 1))))
        (else
          (if (i32.and (i32.ge_u (global.get $err) (i32.const 1000))
                (i32.ne (i32.and (local.get $byte) (i32.const 0xc0)) (i32.const 0x80)))
            (then (call $line (i32.const 2))))
          (if (i32.ge_u (global.get $err) (i32.const 2000)) (then (call $line (i32.const 2))))
          (i32.store8 (i32.add (i32.const 3072) (global.get $err)) (local.get $byte))
          (global.set $err (i32.add (global.get $err) (i32.const 1)))))
      (br $each))))

  ;; A program that exits gives no answer. Its unfinished lines are logged first.
  (func $exit
    (call $line (i32.const 1))
    (call $line (i32.const 2))
    (unreachable))
