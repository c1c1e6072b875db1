//! The supervisor with programs that misbehave in every way that `osascript` can.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

#[path = "support/fake.rs"]
mod fake;
#[path = "support/mark.rs"]
mod mark;

#[path = "supervisor/faults.rs"]
mod faults;
#[path = "supervisor/one_shot.rs"]
mod one_shot;
#[path = "supervisor/turns.rs"]
mod turns;
#[path = "supervisor/workers.rs"]
mod workers;

use iac_core::jxa::Script;
use iac_core::step::Event;
use iac_osascript::{Kind, Settings, Supervisor};
use mark::Mark;
use tokio_util::sync::CancellationToken;

/// A supervisor, and the mark of every process that it starts.
struct House {
    supervisor: Supervisor,
    mark: Mark,
}

impl House {
    fn new(mut settings: Settings) -> Self {
        let mark = Mark::new();
        settings.environment.push(mark.variable());
        Self { supervisor: Supervisor::new(settings).unwrap(), mark }
    }

    /// Runs a script whose data contains a word.
    async fn ask(&self, app: &str, kind: Kind, word: &str) -> Event {
        self.supervisor.run(app, kind, &Script::probe(word), CancellationToken::new()).await
    }

    /// Asks a question, and expects exactly its answer.
    async fn works(&self, app: &str, word: &str) {
        let event = self.ask(app, Kind::Read, word).await;
        let Event::Replied(text) = &event else { panic!("{app}, {word}: {event:?}") };
        assert!(text.contains(&format!(r#"{{"app":"{word}"}}"#)), "{app}, {word}: {text}");
    }

    /// Stops the supervisor, and checks that no process is left.
    async fn close(self) {
        self.supervisor.shutdown().await;
        drop(self.supervisor);
        self.mark.gone().await;
    }
}
