//! Uses the whole terminal for one page. However the view ends, the terminal's old contents are restored.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::time::Duration;

use anstream::AutoStream;
use anstream::ColorChoice;
use crossterm::{cursor, execute, queue, terminal};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// The terminal while the view uses it.
#[derive(Debug)]
pub(super) struct Screen {
    keys: mpsc::UnboundedReceiver<Vec<u8>>,
    /// The signals that end this process.
    ends: [Signal; 3],
    resized: Signal,
    has_colors: bool,
}

impl Screen {
    /// Whether stdin and stdout are a terminal that can move its cursor.
    pub(super) fn is_possible() -> bool {
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
    }

    /// Switches the terminal to the view.
    pub(super) fn enter() -> io::Result<Self> {
        let ends = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()];
        let [terminate, hangup, interrupt] = ends.map(signal);
        let screen = Self {
            keys: keys(),
            ends: [terminate?, hangup?, interrupt?],
            resized: signal(SignalKind::window_change())?,
            has_colors: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        };
        terminal::enable_raw_mode()?;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }

    /// Draws as much of a page as fits. Lines are replaced one by one to avoid flicker.
    pub(super) fn draw(&mut self, page: &str) -> io::Result<()> {
        let (_, rows) = terminal::size()?;
        let page =
            if self.has_colors { page.to_owned() } else { anstream::adapter::strip_str(page).to_string() };
        let mut stdout = io::stdout().lock();
        queue!(stdout, cursor::MoveTo(0, 0))?;
        for (at, line) in page.lines().take(usize::from(rows.max(1))).enumerate() {
            let start = if at > 0 { "\r\n" } else { "" };
            write!(stdout, "{start}{line}")?;
            queue!(stdout, terminal::Clear(terminal::ClearType::UntilNewLine))?;
        }
        queue!(stdout, terminal::Clear(terminal::ClearType::FromCursorDown))?;
        stdout.flush()
    }

    /// Waits for this time, or until the terminal is resized. Returns true if a key or a signal ends the view before
    /// that.
    pub(super) async fn ended_within(&mut self, time: Duration) -> bool {
        let [terminate, hangup, interrupt] = &mut self.ends;
        let over = tokio::time::sleep(time);
        tokio::pin!(over);
        loop {
            tokio::select! {
                () = &mut over => return false,
                _ = self.resized.recv() => return false,
                _ = terminate.recv() => return true,
                _ = hangup.recv() => return true,
                _ = interrupt.recv() => return true,
                key = self.keys.recv() => match key {
                    Some(keys) if !end_it(&keys) => {}
                    _ => return true,
                },
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // If the terminal is gone, there is nothing to restore.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Whether the keys contain q, Ctrl-C, Ctrl-D or Escape. Special keys also begin with an escape character, but more
/// bytes follow.
fn end_it(keys: &[u8]) -> bool {
    keys.iter().any(|key| matches!(key, b'q' | 3 | 4)) || keys.ends_with(b"\x1b")
}

/// Reads keys on a separate thread, which ends with the process.
fn keys() -> mpsc::UnboundedReceiver<Vec<u8>> {
    let (sender, keys) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 64];
        while let Ok(read @ 1..) = io::stdin().lock().read(&mut bytes) {
            if sender.send(bytes[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    keys
}
