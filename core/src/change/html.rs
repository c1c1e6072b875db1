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

/// The elements without content.
const EMPTY: [&str; 3] = ["br", "hr", "img"];

/// The HTML for a text without any tag; `None` for every other value. Without it, the app would take `<` and `&` for
/// markup and join the lines.
pub(crate) fn as_html(app: &str, class: &str, property: &str, value: &Given) -> Option<String> {
    let Given::Text(text) = value else { return None };
    let is_it = |row: &(&str, &str, &str)| same_id(row.0, app) && row.1 == class && row.2 == property;
    (PROPERTIES.iter().any(is_it) && !text.is_empty() && !has_tag(text)).then(|| written(text))
}

/// Whether a text has a closing tag, or one of an element without content: `vec<p>` and `a <b and c> d` are not HTML.
fn has_tag(text: &str) -> bool {
    let tag = |rest: &str| {
        let (tag, _) = rest.split_once('>')?;
        let is_closing = tag.starts_with('/');
        let tag = tag.trim_matches('/');
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let is_plain = !tag.contains('\n') && (attributes.trim().is_empty() || attributes.contains('='));
        let name = name.to_ascii_lowercase();
        Some(is_plain && TAGS.contains(&name.as_str()) && (is_closing || EMPTY.contains(&name.as_str())))
    };
    text.split('<').skip(1).any(|rest| tag(rest).unwrap_or(false))
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
        check("body", "if a <b and c> d", Some("<div>if a &lt;b and c&gt; d</div>"));
        check("body", "vec<p> & q", Some("<div>vec&lt;p&gt; &amp; q</div>"));
        check("body", "use <i in\nx -> y", Some("<div>use &lt;i in</div>\n<div>x -&gt; y</div>"));
        for html in ["<div>Tea</div>", "1 < 2<br>", "<B>Tea</B>", "<img src=\"x\">", "a<br />b", ""] {
            check("body", html, None);
        }
        check("name", "Salt & Pepper", None);
        assert_eq!(as_html("com.apple.mail", "note", "body", &Given::Text("a".to_owned())), None);
    }
}
