//! Search by words, over one dictionary or over all: apps, classes, commands, properties and values.

mod words;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{class, term};
use crate::app::App;
use crate::dictionary::{APPLICATION, Class, Command, Dictionary, Enumeration, Property};
use crate::foreign;
use crate::permission::{LevelRule, classify_command};

use words::{Word, query, tokens};

/// The largest number of hits to show.
const MOST: usize = 10;

/// The most hits of one app in a search of several apps.
const MOST_OF_ONE: usize = 5;

/// The most hits with the same name, because many apps may have it; and the most hits of one app for the same words of
/// the query.
const MOST_ALIKE: usize = 3;

/// A hit below this share of the best score is shown only among the first [`LEAST`].
const WORTH: f64 = 0.4;

/// The weight of a term's own words compared with the words around it.
const OWN: f64 = 3.0;

/// The number of hits to show even if their scores are low.
const LEAST: usize = 5;

/// How much of a description is shown.
const WORDS: usize = 80;

/// How much of a description is looked through.
const MOST_READ: usize = 300;

pub(super) fn search(text: &str, apps: Vec<&App>, rules: &[LevelRule]) -> Json {
    let query = query(text);
    let entries: Vec<Entry<'_>> = apps.iter().flat_map(|app| entries(app)).collect();
    let mut scored = score(&query, &entries);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let hits: Vec<Json> = chosen(&query, &entries, &scored).map(|entry| entry.show(rules)).collect();
    let mut answer = json!({ "search": foreign::clean(text, 80), "hits": hits });
    if hits.is_empty() {
        answer["note"] = json!("nothing matches; try other words, or iac_mcp_list_apps");
    } else {
        answer["use"] = json!("ask again with `app` and class, command, enumeration or reach");
    }
    answer
}

/// The best hits, without too many that are alike: of one app, of one name, or for the same words.
fn chosen<'e, 'a>(
    query: &'e [Word],
    entries: &'e [Entry<'a>],
    scored: &'e [(f64, usize)],
) -> impl Iterator<Item = &'e Entry<'a>> {
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    let one_app = entries.iter().all(|entry| entry.app.bundle_id == entries[0].app.bundle_id);
    let mut times: BTreeMap<(&str, &str, u32), usize> = BTreeMap::new();
    let mut told = 0;
    let distinct = scored.iter().filter_map(move |(score, at)| {
        let entry = &entries[*at];
        let (app, name) = (&*entry.app.bundle_id, entry.what.name());
        let kinds = [
            ((app, "", 0), MOST_OF_ONE),
            (("", name, 0), MOST_ALIKE),
            ((app, "", 1 + entry.fitting(query)), MOST_ALIKE),
        ];
        let limits = if one_app { &kinds[1..2] } else { &kinds[..] };
        if limits.iter().any(|(key, most)| times.get(key).is_some_and(|times| times >= most)) {
            return None;
        }
        limits.iter().for_each(|(key, _)| *times.entry(*key).or_default() += 1);
        Some((*score, entry))
    });
    let worth = distinct.take_while(move |(score, _)| {
        told += 1;
        told <= LEAST || *score >= best * WORTH
    });
    worth.take(MOST).map(|(_, entry)| entry)
}

/// One thing that can be found, with the words that it can be found by.
struct Entry<'a> {
    app: &'a App,
    dictionary: &'a Dictionary,
    what: What<'a>,
    name: Vec<String>,
    description: Vec<String>,
    /// Words of its owner, its synonyms and its values, with their weights.
    others: Vec<(f64, Vec<String>)>,
}

#[derive(Clone, Copy)]
enum What<'a> {
    Command(&'a Command),
    Class(&'a Class),
    Property(&'a Class, &'a Property),
    Enumeration(&'a Enumeration),
}

fn entries(app: &App) -> Vec<Entry<'_>> {
    let Some(dictionary) = app.dictionary.as_deref() else { return Vec::new() };
    let visible_classes = || dictionary.classes.values().filter(|class| !class.hidden && !class.built_in);
    let commands = dictionary.commands.iter().filter(|command| !command.hidden && !command.built_in);
    let mut found: Vec<What<'_>> = commands.map(What::Command).collect();
    found.extend(visible_classes().filter(|class| class.name != APPLICATION).map(What::Class));
    for class in visible_classes() {
        let visible = class.properties.iter().filter(|property| !property.hidden && !property.built_in);
        found.extend(visible.map(|property| What::Property(class, property)));
    }
    let enumerations = dictionary.enumerations.values().filter(|each| !each.hidden && !each.built_in);
    found.extend(enumerations.map(What::Enumeration));
    found.into_iter().map(|what| Entry::new(app, dictionary, what)).collect()
}

/// Scores every entry that has at least one of the words; rare words count more.
fn score(query: &[Word], entries: &[Entry<'_>]) -> Vec<(f64, usize)> {
    let matched: Vec<Vec<f64>> = entries.iter().map(|entry| entry.matches(query)).collect();
    let rarity: Vec<f64> = (0..query.len())
        .map(|at| {
            let having = matched.iter().filter(|row| row[at] > 0.0).count();
            (1.0 + entries.len() as f64 / (1.0 + having as f64)).ln()
        })
        .collect();
    let scored = matched.iter().enumerate().filter_map(|(at, row)| {
        let found = row.iter().filter(|each| **each > 0.0).count();
        let sum: f64 = row.iter().zip(&rarity).map(|(match_, rarity)| match_ * rarity).sum();
        // All words in one place are worth more than one word in a good place.
        let share = found as f64 / query.len().max(1) as f64;
        let own = entries[at].own_match(query);
        (own > 0.0).then(|| (sum * (0.5 + share) * entries[at].weight() + OWN * own, at))
    });
    scored.collect()
}

impl<'a> Entry<'a> {
    fn new(app: &'a App, dictionary: &'a Dictionary, what: What<'a>) -> Self {
        let mut others = vec![(2.5, tokens(&app.name))];
        if let What::Property(owner, _) = what {
            others.push((1.5, tokens(&owner.name)));
        }
        if let What::Enumeration(values) = what {
            others.extend(values.enumerators.iter().map(|value| (1.2, tokens(&value.name))));
        }
        others.extend(what.synonyms().iter().map(|synonym| (2.5, tokens(synonym))));
        let description = what.description().chars().take(MOST_READ).collect::<String>();
        let (name, description) = (tokens(what.name()), tokens(&description));
        Self { app, dictionary, what, name, description, others }
    }

    /// How well each word of the query fits, best place first.
    fn matches(&self, query: &[Word]) -> Vec<f64> {
        let best = |word: &Word| {
            let others = self.others.iter().map(|(counts, tokens)| counts * word.fits(tokens));
            let own = [3.0 * word.fits(&self.name), word.fits(&self.description)];
            word.weight * others.chain(own).fold(0.0, f64::max)
        };
        query.iter().map(best).collect()
    }

    /// How well the term itself fits, without its app and its owner: a hit must have a match of its own.
    fn own_match(&self, query: &[Word]) -> f64 {
        let fit = |word: &Word| word.weight * word.fits(&self.name).max(0.3 * word.fits(&self.description));
        let said = |token: &String| query.iter().find(|word| word.is(token)).map(|word| word.weight);
        let whole: Option<Vec<f64>> = self.name.iter().map(said).collect();
        let whole = whole
            .filter(|weights| !weights.is_empty())
            .map_or(0.0, |weights| 3.0 * weights.iter().sum::<f64>() / weights.len() as f64);
        query.iter().map(fit).sum::<f64>() + whole
    }

    /// The words of the query that match its own name, as bits.
    fn fitting(&self, query: &[Word]) -> u32 {
        let fits = |(at, word): (usize, &Word)| u32::from(word.fits(&self.name) > 0.0) << (at % 32);
        query.iter().enumerate().map(fits).sum()
    }

    /// People search mostly for commands, and least for values of enumerations.
    fn weight(&self) -> f64 {
        match self.what {
            What::Command(_) => 1.35,
            What::Class(_) => 1.15,
            What::Property(..) => 1.0,
            What::Enumeration(_) => 0.7,
        }
    }

    fn show(&self, rules: &[LevelRule]) -> Json {
        let mut shown = json!({ "app": &*self.app.bundle_id });
        match self.what {
            What::Command(command) => {
                let level = classify_command(&self.app.bundle_id, command, rules).level;
                shown["command"] = json!(term(&command.name));
                shown["level"] = json!(level.as_str());
            }
            What::Class(class) => shown["class"] = json!(term(&class.name)),
            What::Property(owner, property) => {
                shown["property"] = json!(term(&property.name));
                shown["of"] = json!(term(&owner.name));
                shown["type"] = json!(class::kind(&property.kind, self.dictionary));
            }
            What::Enumeration(enumeration) => shown["enumeration"] = json!(term(&enumeration.name)),
        }
        let said = foreign::clean(self.what.description(), WORDS);
        if !said.is_empty() {
            shown["description"] = json!(format!("— {said}"));
        }
        shown
    }
}

impl<'a> What<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Command(command) => &command.name,
            Self::Class(class) => &class.name,
            Self::Property(_, property) => &property.name,
            Self::Enumeration(enumeration) => &enumeration.name,
        }
    }

    fn synonyms(self) -> &'a [String] {
        match self {
            Self::Command(command) => &command.synonyms,
            Self::Class(class) => &class.synonyms,
            Self::Property(_, property) => &property.synonyms,
            Self::Enumeration(_) => &[],
        }
    }

    fn description(self) -> &'a str {
        let said = match self {
            Self::Command(command) => &command.description,
            Self::Class(class) => &class.description,
            Self::Property(_, property) => &property.description,
            Self::Enumeration(enumeration) => &enumeration.description,
        };
        said.as_deref().unwrap_or_default()
    }
}
