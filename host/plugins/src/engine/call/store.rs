//! `store`: values are passed as base64, so that a recording is text.

use std::collections::BTreeSet;

use data_encoding::BASE64;
use serde::Deserialize;

use super::{Returned, State, fault};
use crate::engine::bindings::iac::plugin::{store, types};
use crate::host::Question;

#[derive(Deserialize)]
struct Value {
    value: Option<String>,
    /// The sources of untrusted text that may be in the store.
    heard: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Keys {
    keys: Vec<String>,
    heard: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Done {}

const MOST_KEY: usize = 256;
const MOST_KEYS: u32 = 1_000;

impl store::Host for State {
    async fn get(&mut self, key: String) -> Returned<Option<Vec<u8>>> {
        if let Err(fault) = check(&key) {
            return Ok(Err(fault));
        }
        let bytes = key.len();
        let answer: Result<Value, _> = self.ask(Question::StoreGet { key }, bytes).await?;
        let text = match answer {
            Ok(answer) => {
                self.recall(answer.heard).await;
                Ok(answer.value)
            }
            Err(fault) => Err(fault),
        };
        self.count_traffic(text.as_ref().map_or(0, |text| text.as_ref().map_or(0, String::len)))?;
        Ok(text.and_then(decode))
    }

    async fn put(&mut self, key: String, value: Vec<u8>) -> Returned<()> {
        if let Err(fault) = check(&key) {
            return Ok(Err(fault));
        }
        let bytes = key.len() + value.len();
        let question = Question::StorePut { key, value: BASE64.encode(&value) };
        let done: Result<Done, _> = self.ask(question, bytes).await?;
        Ok(done.map(|Done {}| ()))
    }

    async fn remove(&mut self, key: String) -> Returned<()> {
        if let Err(fault) = check(&key) {
            return Ok(Err(fault));
        }
        let bytes = key.len();
        let done: Result<Done, _> = self.ask(Question::StoreRemove { key }, bytes).await?;
        Ok(done.map(|Done {}| ()))
    }

    async fn keys(&mut self, prefix: String, after: Option<String>, limit: u32) -> Returned<Vec<String>> {
        let bytes = prefix.len();
        let question = Question::StoreKeys { prefix, after, limit: limit.min(MOST_KEYS) };
        let answer: Result<Keys, _> = self.ask(question, bytes).await?;
        match answer {
            Ok(answer) => {
                self.recall(answer.heard).await;
                Ok(Ok(answer.keys))
            }
            Err(fault) => Ok(Err(fault)),
        }
    }
}

impl State {
    /// Notes what a stored answer may contain. An earlier call has heard it, so the hour of caution begins again.
    async fn recall(&mut self, heard: Option<Vec<String>>) {
        let Some(heard) = heard else { return };
        self.caller.heard.note(None);
        heard.iter().for_each(|source| self.caller.heard.note(Some(source)));
        let new: BTreeSet<String> =
            heard.into_iter().filter(|source| !self.recalled.contains(source)).collect();
        if !new.is_empty() {
            self.host.recalled(&new).await;
            self.recalled.extend(new);
        }
    }
}

fn check(key: &str) -> Result<(), types::Fault> {
    if (1..=MOST_KEY).contains(&key.len()) {
        return Ok(());
    }
    Err(fault("invalid_parameter", format!("a key has {} bytes, expected 1 to {MOST_KEY}", key.len())))
}

fn decode(text: Option<String>) -> Result<Option<Vec<u8>>, types::Fault> {
    let decoded = text.map(|text| BASE64.decode(text.as_bytes())).transpose();
    decoded.map_err(|error| fault("internal", format!("the host's answer is not base64: {error}")))
}
