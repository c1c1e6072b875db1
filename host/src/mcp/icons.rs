//! Small icons for the menus of clients. Each is one path in a common frame.

use std::fmt::Write as _;

use data_encoding::BASE64;
use rmcp::model::Icon;

/// The colour is visible on white and on black.
const FRAME: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2f7de1" stroke-width="2" stroke-linejoin="round">"##;

/// The paths by name, in a field of 24 by 24.
const PATHS: [(&str, &str); 9] = [
    ("app", "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z"),
    ("calendar", "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4"),
    ("check", "M4 4h16v16H4zM8 12l3 3 5-6"),
    ("folder", "M3 6h6l2 2h10v10H3z"),
    ("guide", "M5 4h14v16H5zM9 8h6M9 12h6M9 16h3"),
    ("log", "M4 6h16M4 12h16M4 18h10"),
    ("mail", "M3 6h18v12H3zM3 7l9 6 9-6"),
    ("search", "M4 11a7 7 0 1 0 14 0a7 7 0 1 0-14 0M16 16l4 4"),
    ("server", "M3 4h12v9H3zM9 11h12v9H9z"),
];

/// Returns the icon of that name as a list with one entry; an empty list if there is none.
pub(super) fn icons(name: &str) -> Vec<Icon> {
    let path = PATHS.iter().find(|(of, _)| *of == name).map(|(_, path)| path);
    path.map(|path| drawn(path)).into_iter().collect()
}

/// The drawing is embedded in a data URL, so a client fetches nothing.
fn drawn(path: &str) -> Icon {
    let mut drawing = FRAME.to_owned();
    write!(drawing, r#"<path d="{path}"/></svg>"#).expect("a text takes text");
    let address = format!("data:image/svg+xml;base64,{}", BASE64.encode(drawing.as_bytes()));
    Icon::new(address).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_a_small_address() {
        for (name, path) in PATHS {
            let [icon] = &icons(name)[..] else { panic!("{name}") };
            let drawing = icon.src.strip_prefix("data:image/svg+xml;base64,").unwrap();
            let drawing = String::from_utf8(BASE64.decode(drawing.as_bytes()).unwrap()).unwrap();
            assert!(drawing.ends_with(&format!("<path d=\"{path}\"/></svg>")), "{drawing}");
            assert!(icon.src.len() < 400, "{name}: {} bytes", icon.src.len());
        }
        assert!(icons("unicorn").is_empty());
    }
}
