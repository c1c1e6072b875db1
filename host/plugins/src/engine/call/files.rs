//! `files`: each handle is a granted root.

use serde::Deserialize;
use wasmtime::component::Resource;

use super::apps::too_many;
use super::{Returned, State};
use crate::engine::bindings::iac::plugin::files;
use crate::host::Question;

/// A root that was granted and opened in this call.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "the generated bindings export it again")]
pub struct Directory {
    root: String,
}

#[derive(Deserialize)]
struct Entries {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    kind: Kind,
    size: u64,
    modified: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    File,
    Directory,
    Link,
    Other,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
struct Opened {}

const MOST_ENTRIES: u32 = 1_000;
const MOST_TEXT: u32 = 1024 * 1024;

impl files::Host for State {
    async fn roots(&mut self) -> wasmtime::Result<Vec<String>> {
        self.count_call()?;
        Ok(self.setup.grants.files.iter().cloned().collect())
    }

    async fn open(&mut self, root: String) -> Returned<Resource<Directory>> {
        if !self.setup.grants.files.contains(&root) {
            let message = format!("the plugin has no grant to read below `{root}`");
            return Ok(Err(self.not_granted(&message, "files DIR", true)));
        }
        let bytes = root.len();
        let opened: Result<Opened, _> = self.ask(Question::OpenRoot { root: root.clone() }, bytes).await?;
        Ok(opened.and_then(|Opened {}| self.table.push(Directory { root }).map_err(|_| too_many())))
    }
}

impl files::HostDirectory for State {
    async fn entries(
        &mut self,
        directory: Resource<Directory>,
        path: String,
        after: Option<String>,
        limit: u32,
    ) -> Returned<Vec<files::Entry>> {
        let root = self.table.get(&directory)?.root.clone();
        let bytes = path.len();
        let question = Question::Entries { root, path, after, limit: limit.min(MOST_ENTRIES) };
        let answer: Result<Entries, _> = self.ask(question, bytes).await?;
        self.caller.heard.note(None);
        let size = |answer: &Entries| answer.entries.iter().map(|entry| entry.name.len() + 32).sum();
        self.count_traffic(answer.as_ref().map_or(0, size))?;
        Ok(answer.map(|answer| answer.entries.into_iter().map(files::Entry::from).collect()))
    }

    async fn read_text(
        &mut self,
        directory: Resource<Directory>,
        path: String,
        offset: u64,
        limit: u32,
    ) -> Returned<String> {
        let root = self.table.get(&directory)?.root.clone();
        let bytes = path.len();
        let question = Question::ReadText { root, path, offset, limit: limit.min(MOST_TEXT) };
        let answer: Result<Text, _> = self.ask(question, bytes).await?;
        self.caller.heard.note(None);
        self.count_traffic(answer.as_ref().map_or(0, |answer| answer.text.len()))?;
        Ok(answer.map(|answer| answer.text))
    }

    async fn drop(&mut self, directory: Resource<Directory>) -> wasmtime::Result<()> {
        self.table.delete(directory)?;
        Ok(())
    }
}

impl From<Entry> for files::Entry {
    fn from(entry: Entry) -> Self {
        let kind = match entry.kind {
            Kind::File => files::Kind::File,
            Kind::Directory => files::Kind::Directory,
            Kind::Link => files::Kind::Link,
            Kind::Other => files::Kind::Other,
        };
        Self { name: entry.name, kind, size: entry.size, modified: entry.modified }
    }
}
