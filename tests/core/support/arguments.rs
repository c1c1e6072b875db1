//! Arguments made from a command's own schema.

use iac_core::describe::routes;
use iac_core::dictionary::Dictionary;
use serde_json::{Map, Value as Json, json};

/// Pseudo-random numbers that are the same in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: &str) -> Self {
        Self(
            seed.bytes().fold(0x9e37_79b9_7f4a_7c15, |sum, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            }),
        )
    }

    /// A number below `most`.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }
}

/// Makes arguments for a schema; pseudo-random numbers decide whether to add each optional parameter.
pub(crate) fn arguments(
    schema: &Json,
    dictionary: &Dictionary,
    dice: &mut Dice,
) -> Option<Map<String, Json>> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let mut made = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&name.as_str()) || dice.below(2) == 0 {
            let Some(value) = value(property, dictionary, dice) else {
                if required.contains(&name.as_str()) { return None } else { continue }
            };
            made.insert(name.clone(), value);
        }
    }
    Some(made)
}

fn value(schema: &Json, dictionary: &Dictionary, dice: &mut Dice) -> Option<Json> {
    if let Some(all) = schema["anyOf"].as_array() {
        let chosen = &all[dice.below(all.len())];
        let says = |schema: &Json, words: &str| {
            schema["description"].as_str().is_some_and(|said| said.contains(words))
        };
        // If a specifier is allowed, the schema of the reference beside it names the class, and a specifier must have
        // that class, too.
        let chosen = if says(chosen, "or a specifier") {
            all.iter().find(|each| says(each, "reference (ref_")).unwrap_or(chosen)
        } else {
            chosen
        };
        return value(chosen, dictionary, dice);
    }
    let says = schema["description"].as_str().unwrap_or_default();
    Some(match schema["type"].as_str().expect("a schema has a type") {
        "string" => return text(schema, says, dictionary, dice),
        "integer" => json!(dice.below(100)),
        "number" => json!(dice.below(100) as f64 / 4.0),
        "boolean" => json!(dice.below(2) == 0),
        "null" => Json::Null,
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
            let most = schema["maxItems"].as_u64().map_or(least + 2, |most| most as usize);
            let count = least + dice.below(most + 1 - least);
            return (0..count).map(|_| value(&schema["items"], dictionary, dice)).collect();
        }
        "object" => return object(schema, dictionary, dice),
        other => panic!("no kind of schema: {other}"),
    })
}

fn text(schema: &Json, says: &str, dictionary: &Dictionary, dice: &mut Dice) -> Option<Json> {
    if says.contains("reference (ref_") {
        return some_object(says, dictionary);
    }
    if let Some(names) = schema["enum"].as_array() {
        return Some(names[dice.below(names.len())].clone());
    }
    let texts: Vec<&str> = if schema["format"] == "date-time" {
        vec!["2026-01-27T10:30:00", "2026-01-27T10:30:00+01:00"]
    } else if says.contains("path of a file") {
        vec!["/Users/alex/Documents/a b.txt", "~/Desktop/x"]
    } else if says.contains("name of a class") || says.contains("class of the object to put there") {
        dictionary.classes.keys().map(String::as_str).collect()
    } else {
        vec!["", "plain", "Grüße, \"quoted\" \\ and\nbroken", "\u{2028}🙂"]
    };
    Some(json!(texts[dice.below(texts.len())]))
}

fn object(schema: &Json, dictionary: &Dictionary, dice: &mut Dice) -> Option<Json> {
    let mut made = arguments(schema, dictionary, dice)?;
    if let Some(position) = made.get("position").cloned() {
        let beside = ["before", "after"].iter().any(|word| position == *word);
        made.insert("of".to_owned(), json!("application"));
        if beside {
            made.shift_remove("element");
        } else {
            let held = dictionary.elements("application");
            match held.first() {
                Some(element) => made.insert("element".to_owned(), json!(element.class)),
                None => made.insert("position".to_owned(), json!("before")),
            };
        }
    }
    Some(Json::Object(made))
}

/// The first object of the requested class, as a specifier; `None` if no path leads to one.
pub(crate) fn some_object(says: &str, dictionary: &Dictionary) -> Option<Json> {
    let Some(rest) = says.split("of class ").nth(1) else { return Some(json!("application")) };
    let class = rest.split(". The app says").next().unwrap_or(rest);
    routes(dictionary, class).into_iter().next().map(|route| route.specifier())
}
