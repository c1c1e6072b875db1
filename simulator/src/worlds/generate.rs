//! Makes larger worlds from a small one: repeats objects of the base data with other names, ids and dates.

mod omnifocus;

use crate::value::{local_seconds, local_text};
use crate::world::{WorldError, content, failed, journal};
use serde_json::{Map, Value, json};
use std::path::Path;

/// How many objects of each kind a generated world has; as many as its base if absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Messages in the inbox of Mail's first account.
    pub messages: Option<usize>,
    /// Events, spread over the calendars and over two years.
    pub events: Option<usize>,
    /// Files below `Documents/Archive`.
    pub files: Option<usize>,
    /// Reminders, and tasks of OmniFocus if the base has it.
    pub tasks: Option<usize>,
    /// The same seed makes the same world.
    pub seed: u64,
}

impl Amounts {
    /// With more objects of a kind, it would take minutes and gigabytes to create and load the world.
    pub const MOST: usize = 500_000;

    fn are_too_many(&self) -> bool {
        let Self { messages, events, files, tasks, seed: _ } = self;
        [messages, events, files, tasks].into_iter().flatten().any(|amount| *amount > Self::MOST)
    }
}

/// The app and the classes of containers and elements that are repeated.
const REMINDERS: (&str, &str, &str) = ("com.apple.reminders", "list", "reminder");

/// The bundle ids of OmniFocus.
const OMNIFOCUS: [&str; 2] = ["com.omnigroup.OmniFocus3", "com.omnigroup.OmniFocus4"];

/// The number of files in each folder.
const FOLDER: usize = 100;

/// Writes the data of a generated world into its directory. Everything else comes from its base.
pub(super) fn generate(folder: &Path, base: &Path, amounts: &Amounts) -> Result<(), WorldError> {
    if amounts.are_too_many() {
        return Err(content(folder, format!("no world holds more than {} objects of a kind", Amounts::MOST)));
    }
    let mut maker = Maker { random: amounts.seed, made: 0, past: false };
    if let Some(count) = amounts.messages {
        grow(folder, base, "com.apple.mail", |data| maker.messages(data, count))?;
    }
    if let Some(count) = amounts.events {
        grow(folder, base, "com.apple.iCal", |data| maker.spread(data, "calendar", "event", count))?;
    }
    if let Some(count) = amounts.files {
        grow(folder, base, "com.apple.finder", |data| maker.files(data, count))?;
    }
    if let Some(count) = amounts.tasks {
        let (app, containers, class) = REMINDERS;
        grow(folder, base, app, |data| maker.spread(data, containers, class, count))?;
        for app in OMNIFOCUS {
            grow(folder, base, app, |data| omnifocus::fill(&mut maker, data, count))?;
        }
    }
    Ok(())
}

/// Generates one app's data from the base. An app that the base lacks is skipped.
fn grow(
    folder: &Path,
    base: &Path,
    app: &str,
    change: impl FnOnce(&mut Value) -> Option<()>,
) -> Result<(), WorldError> {
    let name = format!("data/{app}.json");
    let path = base.join(&name);
    let Ok(text) = std::fs::read(&path) else { return Ok(()) };
    let mut data: Value = serde_json::from_slice(&text).map_err(|error| content(&path, error))?;
    change(&mut data).ok_or_else(|| content(&path, "it has nothing that could be repeated"))?;
    let path = folder.join(&name);
    std::fs::create_dir_all(folder.join("data")).map_err(|error| failed(folder, error))?;
    let text = serde_json::to_vec(&data).map_err(|error| content(&path, error))?;
    journal::replace(&path.with_extension("next"), &path, &text).map_err(|error| failed(&path, error))
}

/// Makes objects. Each differs from the one before.
struct Maker {
    random: u64,
    made: u64,
    /// Whether dates must not be in the future, because mail has already arrived.
    past: bool,
}

impl Maker {
    fn messages(&mut self, data: &mut Value, count: usize) -> Option<()> {
        let accounts = data.pointer_mut("/application/elements/account")?.as_array_mut()?;
        let mailboxes = accounts.first_mut()?.pointer_mut("/elements/mailbox")?.as_array_mut()?;
        let inbox = mailboxes.iter_mut().find(|mailbox| mailbox["name"] == "INBOX")?;
        let list = inbox.pointer_mut("/elements/message")?.as_array_mut()?;
        self.past = true;
        let made = self.repeat(list, count);
        self.past = false;
        made
    }

    /// Fills all containers of a class, or the application, with equal numbers of elements.
    fn spread(&mut self, data: &mut Value, containers: &str, class: &str, count: usize) -> Option<()> {
        let application = data.get_mut("application")?;
        let path = format!("/elements/{class}");
        if containers.is_empty() {
            return self.repeat(application.pointer_mut(&path)?.as_array_mut()?, count);
        }
        let all = application.pointer_mut(&format!("/elements/{containers}"))?.as_array_mut()?;
        let (each, mut more) = (count / all.len(), count % all.len());
        for container in all {
            let list = container.pointer_mut(&path)?.as_array_mut()?;
            self.repeat(list, each + usize::from(more > 0))?;
            more = more.saturating_sub(1);
        }
        Some(())
    }

    fn files(&mut self, data: &mut Value, count: usize) -> Option<()> {
        let documents = keyed(data, "/Users/alex/Documents")?;
        let items = documents.pointer_mut("/elements/item")?.as_array_mut()?;
        let file = items.iter().find(|item| item["class"] == "document file")?.clone();
        let folder = without_elements(items.iter().find(|item| item["class"] == "folder")?.clone());
        let mut archive = located(&folder, "/Users/alex/Documents", "Archive")?;
        let folders = (0..count.div_ceil(FOLDER)).map(|at| {
            let mut below = located(&folder, "/Users/alex/Documents/Archive", &format!("Box {:04}", at + 1))?;
            let path = below["key"].as_str()?.to_owned();
            let files = (0..FOLDER.min(count - at * FOLDER)).map(|_| {
                let name = format!("{}.txt", self.title());
                located(&file, &path, &name)
            });
            below["elements"] = json!({"item": files.collect::<Option<Vec<_>>>()?});
            Some(below)
        });
        archive["elements"] = json!({"item": folders.collect::<Option<Vec<_>>>()?});
        items.push(archive);
        Some(())
    }

    /// Truncates a list, or extends it with objects that resemble its own.
    fn repeat(&mut self, list: &mut Vec<Value>, count: usize) -> Option<()> {
        let guests = |event: Value| {
            if event["elements"]["attendee"].is_array() { event } else { without_elements(event) }
        };
        let models: Vec<Value> = list.iter().cloned().map(guests).collect();
        list.truncate(count);
        let mut next = greatest(&models);
        while list.len() < count {
            next += 1;
            let model = models.get(list.len() % models.len().max(1))?;
            list.push(Value::Object(self.like(model.as_object()?, next)));
        }
        Some(())
    }

    /// Makes an object like another one, with its own id, title and dates. Texts that quote the other's are dropped.
    fn like(&mut self, model: &Map<String, Value>, id: i64) -> Map<String, Value> {
        // By whole weeks, so that what repeats on Tuesdays starts on a Tuesday.
        let weeks = i64::try_from(self.next() % 104).unwrap_or_default() - if self.past { 104 } else { 52 };
        let days = weeks * 7;
        let title = self.title();
        let mut made = Map::new();
        for (term, value) in model {
            let value = match term.as_str() {
                "key" | "known as" => continue,
                "id" if value.is_i64() => json!(id),
                "id" | "uid" => json!(self.unique()),
                "message id" => json!(format!("{}@generated.example", self.unique())),
                "subject" | "summary" | "name" => json!(title),
                "source" | "all headers" => json!(format!("Subject: {title}\n")),
                _ => moved(value, days),
            };
            made.insert(term.clone(), value);
        }
        made
    }

    /// Makes a title: a few words and a number that no other title has.
    fn title(&mut self) -> String {
        const FIRST: [&str; 12] = [
            "Budget", "Notes", "Plan", "Invoice", "Photos", "Minutes", "Draft", "Offer", "Report", "Größe",
            "Agenda 📌", "Re: Question",
        ];
        const SECOND: [&str; 10] = [
            "for Monday", "of the choir", "from Lyon", "about the roof", "“final”", "2026", "and more",
            "for Zoë", "(copy)", "before noon",
        ];
        self.made += 1;
        let first = FIRST[usize::try_from(self.next() % 12).unwrap_or_default()];
        let second = SECOND[usize::try_from(self.next() % 10).unwrap_or_default()];
        format!("{first} {second} {}", self.made)
    }

    fn unique(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        format!(
            "{:08X}-{:04X}-4{:03X}-8{:03X}-{:012X}",
            high >> 32,
            high >> 16 & 0xFFFF,
            high & 0xFFF,
            low >> 52,
            low >> 4 & 0xFFFF_FFFF_FFFF
        )
    }

    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        crate::birth::mix(self.random)
    }
}

/// Finds the object with that key, in any container.
fn keyed<'a>(data: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    if data["key"] == key {
        return Some(data);
    }
    match data {
        Value::Object(fields) => fields.values_mut().find_map(|field| keyed(field, key)),
        Value::Array(items) => items.iter_mut().find_map(|item| keyed(item, key)),
        _ => None,
    }
}

/// Makes a file or folder like another one, at another path.
fn located(model: &Value, folder: &str, name: &str) -> Option<Value> {
    let mut made = model.as_object()?.clone();
    let path = format!("{folder}/{name}");
    for (term, value) in &mut made {
        match term.as_str() {
            "key" => *value = json!(path),
            "name" | "displayed name" => *value = json!(name),
            "container" => *value = json!({"ref": folder}),
            "URL" => *value = json!(format!("file://{}", path.replace('%', "%25").replace(' ', "%20"))),
            "name extension" => *value = json!(name.rsplit_once('.').map_or("", |(_, extension)| extension)),
            _ => (),
        }
    }
    Some(Value::Object(made))
}

fn without_elements(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.shift_remove("elements");
    }
    object
}

fn greatest(models: &[Value]) -> i64 {
    models.iter().filter_map(|model| model["id"].as_i64()).max().unwrap_or_default() + 1_000_000
}

/// Shifts a date by some days. Any other value stays as it is.
fn moved(value: &Value, days: i64) -> Value {
    let time = value.as_str().filter(|text| text.len() == 19).and_then(local_seconds);
    time.map_or_else(|| value.clone(), |time| json!(local_text(time + days * 86_400)))
}
