//! HTML as a person reads it.

use super::{PROPERTIES, TAGS, has_tag};

/// The elements that end a line.
const BLOCKS: [&str; 13] =
    ["blockquote", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "tr", "ul"];

/// The elements that show more than their text, or another text.
const MORE: [&str; 7] = ["code", "hr", "img", "object", "pre", "table", "td"];

/// A text of HTML without its tags.
#[derive(Debug, PartialEq)]
pub(crate) struct Reading {
    /// The text.
    pub(crate) text: String,
    /// The addresses of its links.
    pub(crate) links: Vec<String>,
    /// Whether the HTML has something that neither the text nor the links show, such as a picture, a style or a comment.
    pub(crate) has_more: bool,
}

/// Reads a value of a property that holds HTML; `None` for other properties and for plain text.
pub(crate) fn read(property: &str, html: &str) -> Option<Reading> {
    (PROPERTIES.iter().any(|row| row.2 == property) && has_tag(html)).then(|| Reading::of(html))
}

impl Reading {
    fn of(html: &str) -> Self {
        let mut reading = Self { text: String::new(), links: Vec::new(), has_more: false };
        let mut rest = html;
        // A line break at the end of a block adds no line.
        let mut is_broken = false;
        while let Some(c) = rest.chars().next() {
            let tag = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
            if let Some((tag, after)) = tag.filter(|(tag, _)| TAGS.contains(&name(tag).as_str())) {
                rest = after;
                is_broken = reading.tag(tag, is_broken);
                continue;
            }
            let (shown, after) = match rest.strip_prefix('&').and_then(character) {
                Some(found) => found,
                None => {
                    reading.has_more |= matches!(c, '<' | '&');
                    (if c == '\n' { ' ' } else { c }, &rest[c.len_utf8()..])
                }
            };
            rest = after;
            if shown.is_whitespace() && (reading.text.is_empty() || reading.text.ends_with('\n')) {
                continue;
            }
            if std::mem::take(&mut is_broken) {
                reading.text.push('\n');
            }
            reading.text.push(shown);
        }
        reading.text.truncate(reading.text.trim_end().len());
        reading
    }

    /// Takes a tag; returns whether a line break waits for more text.
    fn tag(&mut self, tag: &str, is_broken: bool) -> bool {
        let name = name(tag);
        let is_end = tag.starts_with('/');
        let attributes = tag.split_once(' ').map(|(_, attributes)| attributes.trim_matches([' ', '/']));
        match attributes.filter(|attributes| !attributes.is_empty()).map(|it| (it, link(it))) {
            Some((_, Some(link))) if name == "a" => self.links.push(link.to_owned()),
            Some(_) => self.has_more = true,
            None => {}
        }
        self.has_more |= MORE.contains(&name.as_str());
        match (name.as_str(), is_end) {
            ("br", _) => {
                if is_broken {
                    self.text.push('\n');
                }
                true
            }
            ("li", false) => {
                self.text.push_str("• ");
                false
            }
            (block, true) if BLOCKS.contains(&block) => {
                if is_broken || !(self.text.is_empty() || self.text.ends_with('\n')) {
                    self.text.push('\n');
                }
                false
            }
            _ => is_broken,
        }
    }
}

/// The name of an element.
fn name(tag: &str) -> String {
    let tag = tag.trim_matches('/');
    tag.split_once(' ').map_or(tag, |(name, _)| name).to_ascii_lowercase()
}

/// The address of a link that has no other attribute.
fn link(attributes: &str) -> Option<&str> {
    let address = attributes.strip_prefix("href=\"")?.strip_suffix('"')?;
    (!address.contains('"')).then_some(address)
}

/// The character that begins after `&`, and what follows it.
fn character(rest: &str) -> Option<(char, &str)> {
    let known = [("amp;", '&'), ("lt;", '<'), ("gt;", '>'), ("quot;", '"'), ("#39;", '\''), ("nbsp;", ' ')];
    known.iter().find_map(|(name, c)| Some((*c, rest.strip_prefix(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_reads_as_its_text() {
        let check = |html: &str, text: &str, links: &[&str], has_more: bool| {
            let links = links.iter().map(|link| (*link).to_owned()).collect();
            assert_eq!(
                read("body", html),
                Some(Reading { text: text.to_owned(), links, has_more }),
                "{html}"
            );
        };
        check(
            "<div>Tea</div>\n<div><br></div>\n<div>a &lt; b &amp; c</div>\n",
            "Tea\n\na < b & c",
            &[],
            false,
        );
        check("<div><b>All</b></div><div>new<br></div>", "All\nnew", &[], false);
        check("a<br>b<br><br>c", "a\nb\n\nc", &[], false);
        check("<ul><li>One</li><li>Two</li></ul>", "• One\n• Two", &[], false);
        check(
            "<div>See <a href=\"https://a.example/x\">b.example</a></div>",
            "See b.example",
            &["https://a.example/x"],
            false,
        );
        for html in [
            "<div style=\"display:none\">Tea</div>",
            "<div>Tea</div><!-- x -->",
            "<div>Tea<img src=\"x\"></div>",
            "<div>Tea<script>x</script></div>",
            "<div>Tea &copy;</div>",
            "<div><a href=\"x\" title=\"y\">Tea</a></div>",
            "<div title=\"x>Tea</div>",
        ] {
            assert!(read("body", html).is_some_and(|reading| reading.has_more), "{html}");
        }
        assert_eq!(read("body", "a < b"), None);
        assert_eq!(read("content", "<div>Tea</div>"), None);
    }
}
