//! Dictionaries that only the system can read.

use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use iac_core::jxa::Script;
use iac_core::reply::Reply;
use iac_core::step::Event;
use iac_osascript::Kind;
use tokio_util::sync::CancellationToken;

use super::Pipeline;

/// How long a call waits for the converter. It reads files and asks no app.
const WAIT: Duration = Duration::from_secs(10);

impl Pipeline {
    /// Asks the system's converter for the dictionaries of apps, by their paths on their Mac, and keeps the results.
    ///
    /// No app takes part: the scripts wait in the queue that belongs to no app.
    pub(super) async fn convert(&self, paths: Vec<String>) {
        let mut answers = true;
        for path in paths {
            let script = Script::dictionary(&path);
            // If no script runs, the next app would only wait as long again.
            let made = match answers {
                true => {
                    let (place, cancel) = (self.supervisor.place(""), CancellationToken::new());
                    let event = self.supervisor.run_at(place, WAIT, Kind::Read, &script, cancel).await;
                    answers = matches!(event, Event::Replied(_));
                    sdef(event)
                }
                false => Err("scripts do not run".to_owned()),
            };
            if let Err(why) = &made {
                tracing::info!(why, path, "the system's converter gives no dictionary");
            }
            let catalog = Arc::clone(&self.catalog);
            let keep = move || catalog.keep_converted(&path, made.ok());
            if let Err(error) = tokio::task::spawn_blocking(keep).await {
                tracing::warn!(%error, "a converted dictionary is lost");
            }
        }
    }
}

/// The bytes of the dictionary in a script's answer.
///
/// # Errors
/// Gives the reason if there is no dictionary.
fn sdef(event: Event) -> Result<Vec<u8>, String> {
    let text = match event {
        Event::Replied(text) => text,
        Event::Failed(failure) => return Err(failure.to_string()),
        Event::Answered(_) | Event::Loaded => return Err("no script has answered".to_owned()),
    };
    let reply = Reply::parse(&text).map_err(|error| error.to_string())?;
    let value = reply.result.map_err(|error| format!("{} ({})", error.message, error.number))?;
    let encoded = value.as_str().ok_or("expected a text in base64")?;
    BASE64.decode(encoded.as_bytes()).map_err(|error| error.to_string())
}
