//! Terms of different names with one code: the application cannot tell them apart.

use super::{Found, Rule};
use crate::dictionary::Dictionary;
use indexmap::IndexMap;

pub(super) fn check(dictionary: &Dictionary, found: &mut Found) {
    let classes = dictionary.classes.values().filter(|class| !class.built_in);
    shared(classes.clone().map(|class| (&class.code, &class.name)), "class", "", found);
    let commands = dictionary.commands.iter().filter(|command| !command.built_in);
    shared(commands.clone().map(|command| (&command.code, &command.name)), "command", "", found);
    for class in classes {
        let owner = format!(" of class \"{}\"", class.name);
        let properties = class.properties.iter().filter(|property| !property.built_in);
        shared(properties.map(|each| (&each.code, &each.name)), "property", &owner, found);
    }
    for command in commands {
        let owner = format!(" of command \"{}\"", command.name);
        shared(command.parameters.iter().map(|each| (&each.code, &each.name)), "parameter", &owner, found);
    }
    for enumeration in dictionary.enumerations.values() {
        let owner = format!(" of enumeration \"{}\"", enumeration.name);
        shared(
            enumeration.enumerators.iter().map(|each| (&each.code, &each.name)),
            "enumerator",
            &owner,
            found,
        );
    }
}

fn shared<'a>(
    terms: impl Iterator<Item = (&'a String, &'a String)>,
    what: &str,
    owner: &str,
    found: &mut Found,
) {
    let mut first: IndexMap<&str, &str> = IndexMap::new();
    for (code, name) in terms.filter(|(code, _)| !code.is_empty()) {
        let other = *first.entry(code).or_insert(name);
        if other != name {
            let message = format!("`{other}` has the same code `{code}`");
            found.add(Rule::DuplicateCode, format!("{what} \"{name}\"{owner}"), message);
        }
    }
}
