//! Converts dictionaries that only macOS can read.

use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use iac_core::jxa::Script;
use iac_core::reply::Reply;
use iac_core::step::Event;
use iac_osascript::Kind;
use tokio_util::sync::CancellationToken;

use super::Pipeline;

/// How long a call waits for the converter, which reads files and sends no Apple event.
const WAIT: Duration = Duration::from_secs(10);

impl Pipeline {
    /// Converts the dictionaries of apps with the system's converter, given the apps' paths on their Mac, and stores
    /// the results.
    ///
    /// No app is involved, so the scripts wait in the lane that belongs to no app.
    pub(super) async fn convert(&self, paths: Vec<String>) {
        let mut answers = true;
        for path in paths {
            let script = Script::dictionary(&path);
            // If one script does not run, the next one would only time out as well.
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

/// Returns the bytes of the dictionary in a script's answer.
///
/// # Errors
/// There is no dictionary; the text says why.
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
