//! Uses that a server's own search leaves out: other places where the name stands, and whose definition is the same.

use std::collections::{BTreeSet, HashSet};

use serde_json::json;
use tokio::time::Instant;

use super::declared::{code_lines, is_local, places};
use super::parse::Reader;
use super::{Halt, Server};
use crate::listing::Found;
use crate::scope;
use crate::text::Text;
use crate::types::{Cause, Doubt, Failure, Freshness, Location, Place, Position, Range};

/// Places whose definition is asked for.
const MOST_ASKED: usize = 1_000;

/// Files that are opened so that the server looks into them.
const MOST_OPENED: usize = 60;

/// Where something begins.
type Spot = (String, (u32, u32));

impl Server {
    /// Adds the uses of what is at a place that are not among those found; doubts the answer where there are too many
    /// places to ask about, or too little time.
    pub(super) async fn add_uses(
        &self,
        place: &Place,
        found: &mut Vec<Location>,
        freshness: &mut Freshness,
        deadline: Instant,
    ) -> Result<(), Halt> {
        let (text, _) = self.files.text(&place.path)?;
        let Some(name) = text.line(place.at.line).and_then(|line| word_at(line, place.at.column)) else {
            return Ok(());
        };
        let targets = self.defined(place, &text, deadline).await?;
        let known: BTreeSet<Spot> = found.iter().map(spot).chain(targets.iter().cloned()).collect();
        let places = self.places_of(&name, &targets, &known);
        if places.len() > MOST_ASKED {
            freshness.doubt(Doubt::Capped);
            return Ok(());
        }
        for (place, end) in places {
            let Ok((text, _)) = self.files.text(&place.path) else { continue };
            match self.defined(&place, &text, deadline).await {
                Ok(defined) if defined.is_disjoint(&targets) => {}
                Ok(_) => found.push(Location { path: place.path, range: Range { start: place.at, end } }),
                Err(Halt::Failure(Failure { cause: Cause::Timeout, .. })) => {
                    freshness.doubt(Doubt::Stale);
                    return Ok(());
                }
                Err(Halt::Failure(_)) => {}
                Err(ended) => return Err(ended),
            }
        }
        Ok(())
    }

    /// Opens every file that holds the name at a place and is kept from the server by the project's settings; tells whether
    /// it knows all that hold it now.
    pub(super) async fn open_holders(&self, place: &Place) -> Result<bool, Halt> {
        let (text, _) = self.files.text(&place.path)?;
        let Some(name) = text.line(place.at.line).and_then(|line| word_at(line, place.at.column)) else {
            return Ok(false);
        };
        let all = self.files.all();
        let outside = scope::outside(&self.profile, &self.disk, &all);
        let holds =
            |listed: &&Found| self.files.listed_text(listed).is_ok_and(|text| text.as_str().contains(&name));
        let holders: Vec<&Found> = outside.into_iter().filter(holds).take(MOST_OPENED + 1).collect();
        for listed in holders.iter().take(MOST_OPENED) {
            self.show(&listed.path).await?;
        }
        Ok(holders.len() <= MOST_OPENED)
    }

    /// Where the name stands in code that can mean one of the targets, without the places that are known; each with its
    /// end.
    fn places_of(
        &self,
        name: &str,
        targets: &BTreeSet<Spot>,
        known: &BTreeSet<Spot>,
    ) -> Vec<(Place, Position)> {
        let mut places = Vec::new();
        let local = |(path, (line, column)): &Spot| {
            let at = Position { line: *line, column: *column };
            self.files.text(path).is_ok_and(|(text, _)| is_local(&text, at))
        };
        let (all, everywhere) = (self.files.all(), !targets.iter().all(local));
        let meant = |listed: &&Found| {
            self.profile.files.contains_key(listed.extension())
                && (everywhere || targets.iter().any(|(path, _)| *path == listed.path))
        };
        for listed in all.iter().filter(meant) {
            let Ok(text) = self.files.listed_text(listed) else { continue };
            if !text.as_str().contains(name) {
                continue;
            }
            let is_known = |at: &(u32, u32)| known.contains(&(listed.path.clone(), *at));
            for (line, column) in standing(&text, name, is_known) {
                let at = Position { line, column };
                let end = Position { line, column: column + length(name) };
                places.push((Place { path: listed.path.clone(), at }, end));
            }
        }
        places
    }

    async fn defined(&self, place: &Place, text: &Text, deadline: Instant) -> Result<BTreeSet<Spot>, Halt> {
        let Some(position) = text.to_server(place.at, self.encoding) else { return Ok(BTreeSet::new()) };
        let mut params = self.document(&place.path);
        params["position"] = json!(position);
        let answer = self.ask("textDocument/definition", &params, deadline).await?;
        Ok(Reader::new(self).locations(&answer).iter().map(spot).collect())
    }
}

fn spot(location: &Location) -> Spot {
    let start = location.range.start;
    (location.path.clone(), (start.line, start.column))
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn length(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// The name around a column.
fn word_at(line: &str, column: u32) -> Option<String> {
    let letters: Vec<char> = line.chars().collect();
    let at = (column as usize).min(letters.len());
    let start = letters[..at].iter().rposition(|letter| !is_part(*letter)).map_or(0, |before| before + 1);
    let word: String = letters[start..].iter().take_while(|letter| is_part(**letter)).collect();
    (!word.is_empty()).then_some(word)
}

/// Lines and columns where a name stands alone, outside of strings and comments, is not declared, and not known.
fn standing(text: &Text, name: &str, is_known: impl Fn(&(u32, u32)) -> bool) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (line, code) in code_lines(text) {
        for (at, _) in code.match_indices(name) {
            let (before, behind) = (&code[..at], &code[at + name.len()..]);
            if !before.ends_with(is_part) && !behind.starts_with(is_part) {
                all.push((line, length(before)));
            }
        }
    }
    all.retain(|place| !is_known(place));
    // To read what is declared takes longest, and mostly all is known.
    let declared = if all.is_empty() { HashSet::new() } else { places(text) };
    all.retain(|place| !declared.contains(place));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_alone_in_code() {
        let text = "é = Flask(Flask_, 'Flask', xFlask)  # Flask\n'''\nFlask\n''' ; Flask\nclass Flask: ...\nFlask = 1\nFlask.x = 1\n";
        let text = Text::new(text.to_owned());
        assert_eq!(standing(&text, "Flask", |_| false), [(0, 4), (3, 6), (6, 0)]);
        assert_eq!(standing(&text, "Flask", |place| *place == (3, 6)), [(0, 4), (6, 0)]);
    }

    #[test]
    fn a_place_is_in_a_name() {
        for (column, expected) in
            [(0, Some("é_1")), (2, Some("é_1")), (3, Some("é_1")), (4, None), (5, Some("x"))]
        {
            assert_eq!(word_at("é_1 (x)", column).as_deref(), expected, "{column}");
        }
        assert_eq!(word_at("a", 9).as_deref(), Some("a"));
        assert_eq!(word_at("", 0), None);
    }
}
