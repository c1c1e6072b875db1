//! Interrupts guests at regular ticks. It is an OS thread, because a task could starve on the executor that runs the
//! guests.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::EngineWeak;

/// The longest time that a guest computes before it is interrupted.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Ticks after the last guest before the thread sleeps. Waking it for every call of a series would slow those calls
/// down.
const LINGER: u32 = 25;

/// Ticks while a guest runs, and sleeps otherwise.
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Default)]
struct Shared {
    running: AtomicUsize,
    stopped: AtomicBool,
}

/// Keeps the ticker running until it is dropped.
pub(super) struct Ticking<'a>(&'a Shared);

impl Ticker {
    pub(super) fn start(engine: EngineWeak) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let ticking = Arc::clone(&shared);
        let handle =
            thread::Builder::new().name("plugin-ticker".to_owned()).spawn(move || run(&ticking, &engine))?;
        Ok(Self { shared, thread: handle.thread().clone() })
    }

    /// Ticks until the returned value is dropped.
    pub(super) fn tick(&self) -> Ticking<'_> {
        if self.shared.running.fetch_add(1, Ordering::SeqCst) == 0 {
            self.thread.unpark();
        }
        Ticking(&self.shared)
    }
}

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

fn run(shared: &Shared, engine: &EngineWeak) {
    let mut idle = 0;
    while !shared.stopped.load(Ordering::SeqCst) {
        idle = if shared.running.load(Ordering::SeqCst) == 0 { idle + 1 } else { 0 };
        if idle > LINGER {
            thread::park();
            idle = 0;
            continue;
        }
        thread::sleep(TICK);
        let Some(engine) = engine.upgrade() else { return };
        engine.increment_epoch();
    }
}
