//! The senders of unread mail: unread messages of the inbox, grouped by sender, with a count and the newest subject of
//! each.

mod digest;

use iac_plugin::{Arguments, Fault, Json, Plugin, Tool, apps, json, log};

use digest::{Digest, Message};

const PAGE: u64 = 500;
const MOST: i64 = 5_000;

struct InboxDigest;

impl Plugin for InboxDigest {
    fn tools() -> Vec<Tool> {
        vec![Tool::reads("inbox_digest", DESCRIPTION, schema()).titled("Unread mail by sender")]
    }

    fn call(_tool: &str, arguments: Arguments) -> Result<Json, Fault> {
        let arguments = arguments.object();
        arguments.only(&["senders", "messages"], &[])?;
        let senders = arguments.whole("senders", 1, 200)?.unwrap_or(20);
        let most = arguments.whole("messages", 1, MOST)?.unwrap_or(1_000);
        let digest = read(most.unsigned_abs())?;
        Ok(digest.show(usize::try_from(senders).unwrap_or(200)))
    }
}

iac_plugin::export!(InboxDigest);

const DESCRIPTION: &str = "Groups the unread messages of Mail's inbox by sender, most messages first. Returns \
    {senders:[{sender,count,newest:{subject,date,reference}}],unread,complete}; `complete` is false where there are more \
    unread messages than were looked at. A reference can be given to the other tools.";

fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "senders": {"type": "integer", "minimum": 1, "maximum": 200, "description": "how many senders to return, 20"},
            "messages": {"type": "integer", "minimum": 1, "maximum": MOST, "description": "how many messages to look at, 1,000"}
        },
        "additionalProperties": false
    })
}

/// Reads unread messages page by page; a page is one call and a few Apple events.
fn read(most: u64) -> Result<Digest, Fault> {
    let mail = apps::open("com.apple.mail")?;
    let mut digest = Digest::default();
    let mut offset = 0;
    loop {
        let limit = PAGE.min(most - offset);
        let page = mail.get_elements(&question(offset, limit))?;
        let rows = page["elements"].as_array().map(Vec::as_slice).unwrap_or_default();
        rows.iter().for_each(|row| digest.add(Message::read(row)));
        // A page may have fewer messages than the limit.
        offset += rows.len() as u64;
        digest.complete = page["hasMore"] == false;
        log::progress(clip(offset), page["totalCount"].as_u64().map(clip), "messages read");
        if digest.complete || rows.is_empty() || offset >= most {
            return Ok(digest);
        }
    }
}

fn question(offset: u64, limit: u64) -> Json {
    json!({
        "container": {"type": "property", "property": "inbox", "of": "application"},
        "elementType": "message",
        "where": {"property": "read status", "op": "==", "value": false},
        "properties": ["sender", "subject", "date received"],
        "offset": offset,
        "limit": limit,
    })
}

fn clip(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
