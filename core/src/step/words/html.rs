//! Values of properties that hold HTML, as a person reads them. What the text does not show is shown besides.

use serde_json::Value as Json;

use super::{LONGEST, between, length, long};
use crate::change::read_html;
use crate::specifier::quoted;

/// The largest number of links of a text that a question shows; the others are counted.
const MOST_LINKS: usize = 5;

/// The text, the addresses of its links and, if it has more than these, the HTML; `None` if it is no HTML.
pub(super) fn told(term: &str, html: &str) -> Option<String> {
    let reading = read_html(term, html)?;
    let text = quoted(&reading.text) + &length(&reading.text, LONGEST) + &linked(&reading.links);
    Some(match reading.has_more {
        true => format!("{text}, written as {}{}", quoted(html), length(html, LONGEST)),
        false => text,
    })
}

fn linked(links: &[String]) -> String {
    let shown: Vec<String> = links.iter().take(MOST_LINKS).map(|link| long(link)).collect();
    match (shown.len(), links.len().saturating_sub(MOST_LINKS)) {
        (0, _) => String::new(),
        (_, 0) => format!(", with links to {}", shown.join(", ")),
        (_, more) => format!(", with links to {} and {more} more", shown.join(", ")),
    }
}

/// An old and a new text, where they differ; `None` if neither is HTML.
pub(super) fn both(term: &str, old: &Json, new: &Json) -> Option<(String, String)> {
    let (before, after) = (read_html(term, old.as_str()?), read_html(term, new.as_str()?));
    if before.is_none() && after.is_none() {
        return None;
    }
    let has_more = [&before, &after].into_iter().flatten().any(|reading| reading.has_more);
    let [old_links, new_links] =
        [&before, &after].map(|reading| reading.as_ref().map_or_else(String::new, |it| linked(&it.links)));
    let text = |reading: Option<_>, value: &Json| reading.map_or_else(|| value.clone(), Json::String);
    let plain = between("", &text(before.map(|it| it.text), old), &text(after.map(|it| it.text), new));
    let (plain_old, plain_new) = (plain.0 + &old_links, plain.1 + &new_links);
    if !has_more {
        return Some((plain_old, plain_new));
    }
    let (html_old, html_new) = between("", old, new);
    Some((format!("{plain_old}, written as {html_old}"), format!("{plain_new}, written as {html_new}")))
}
