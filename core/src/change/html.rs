//! Plain text for properties that hold HTML.

use crate::app::same_id;
use crate::marshal::Given;

/// The properties: an app, a class and a property.
///
/// # Source
/// Notes' dictionary: `body` is the HTML content of a note.
const PROPERTIES: [(&str, &str, &str); 1] = [("com.apple.Notes", "note", "body")];

/// The elements that show that a text is HTML.
const TAGS: [&str; 36] = [
    "a", "b", "blockquote", "body", "br", "code", "del", "div", "em", "font", "h1", "h2", "h3", "h4", "h5",
    "h6", "hr", "html", "i", "img", "li", "object", "ol", "p", "pre", "s", "span", "strike", "strong",
    "table", "tbody", "td", "tr", "tt", "u", "ul",
];

/// The HTML for a text without any tag; `None` for every other value. Without it, the app would take `<` and `&` for
/// markup and join the lines.
pub(crate) fn as_html(app: &str, class: &str, property: &str, value: &Given) -> Option<String> {
    let Given::Text(text) = value else { return None };
    let is_it = |row: &(&str, &str, &str)| same_id(row.0, app) && row.1 == class && row.2 == property;
    (PROPERTIES.iter().any(is_it) && !text.is_empty() && !has_tag(text)).then(|| written(text))
}

fn has_tag(text: &str) -> bool {
    let name = |rest: &str| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        rest[..end].to_ascii_lowercase()
    };
    text.split('<').skip(1).any(|rest| rest.contains('>') && TAGS.contains(&name(rest).as_str()))
}

fn written(text: &str) -> String {
    let line = |line: &str| match line {
        "" => "<div><br></div>".to_owned(),
        line => {
            let line = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            format!("<div>{line}</div>")
        }
    };
    // A line end at the beginning of an addition only begins a new line, which the element does by itself.
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_text_without_tags_becomes_html() {
        let check = |property: &str, text: &str, expected: Option<&str>| {
            let found = as_html("com.apple.Notes", "note", property, &Given::Text(text.to_owned()));
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("body", "Salt & <Pepper>", Some("<div>Salt &amp; &lt;Pepper&gt;</div>"));
        check(
            "body",
            "\nButter\n\nEggs <3",
            Some("<div>Butter</div>\n<div><br></div>\n<div>Eggs &lt;3</div>"),
        );
        for html in ["<div>Tea</div>", "1 < 2<br>", "<B>Tea</B>", ""] {
            check("body", html, None);
        }
        check("name", "Salt & Pepper", None);
        assert_eq!(as_html("com.apple.mail", "note", "body", &Given::Text("a".to_owned())), None);
    }
}
