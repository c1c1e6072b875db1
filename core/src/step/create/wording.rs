//! New objects in words, for the human who is asked: all of them, with every property.

use indexmap::IndexMap;

use super::{Creating, Node};
use crate::action::{Following, Into, Invocation, Make};
use crate::change::consequence;
use crate::marshal::{Given, Place};
use crate::permission::{NAMED, Wording};
use crate::specifier::{Path, one_line, quoted};
use crate::step::words::{self, given};

impl Creating {
    /// The question: what is made where, each object with its properties and with what is made in it.
    pub(super) fn wording(&self, app: &str, id: &str, plugin: Option<String>) -> Wording {
        let roots = (0..self.nodes.len()).filter(|at| self.nodes[*at].parent.is_none());
        let mut objects: Vec<String> = roots.map(|at| self.tree(at, 0)).collect();
        objects.extend(self.creation.then.iter().map(|next| self.following(&next.sent)));
        if objects.len() > NAMED {
            // The last of them holds all the others.
            let rest = objects.split_off(NAMED - 1).join("\n- ");
            objects.push(rest);
        }
        // All of them are shown, so nothing is counted beside them.
        let consequence = self.creation.then.iter().find_map(|next| consequence(id, &next.sent.code));
        let consequence = consequence.map(str::to_owned);
        Wording {
            app: app.to_owned(),
            plugin,
            deed: self.deed(),
            objects,
            count: 1,
            differs: false,
            consequence,
        }
    }

    /// `then run "send": the new outgoing message`
    fn following(&self, command: &Invocation) -> String {
        let mut names = self.names.clone();
        for path in command.values().flat_map(|value| value.paths()) {
            if Following::leads_to_it(path) && path.segments().len() == 1 {
                let several = self.nodes.iter().filter(|node| node.class == path.class()).count() > 1;
                let which = if several { "first new" } else { "new" };
                names.insert(path.clone(), format!("the {which} {}", one_line(path.class())));
            }
        }
        let told = words::command(command, &names);
        let direct = command.direct.as_ref().filter(|direct| !direct.objects().is_empty());
        let about = direct.map(|direct| format!(": {}", given(direct, &names))).unwrap_or_default();
        format!("then run {told}{about}")
    }

    /// `make a new calendar`, or `make 3 objects: 1 list, 2 reminder`.
    fn deed(&self) -> String {
        let mut counts: IndexMap<&str, usize> = IndexMap::new();
        self.nodes.iter().for_each(|node| *counts.entry(node.class.as_str()).or_default() += 1);
        let then: String =
            self.creation.then.iter().map(|next| format!(", then run {}", quoted(&next.sent.term))).collect();
        if let [node] = self.nodes.as_slice() {
            return format!("make a new {}{then}", one_line(&node.class));
        }
        let each = counts.iter().map(|(class, count)| format!("{count} {}", one_line(class)));
        format!("make {} objects: {}{then}", self.nodes.len(), each.collect::<Vec<_>>().join(", "))
    }

    fn tree(&self, at: usize, depth: usize) -> String {
        let (node, make) = (&self.nodes[at], &self.creation.makes[at]);
        let mut text = format!("{}{}", self.place(node, make), self.properties(make));
        for child in (0..self.nodes.len()).filter(|child| self.nodes[*child].parent == Some(at)) {
            text.push_str(&format!("\n{}in it: {}", "  ".repeat(depth + 1), self.tree(child, depth + 1)));
        }
        text
    }

    /// `event in calendar "Work"`
    fn place(&self, node: &Node, make: &Make) -> String {
        let class = one_line(&node.class);
        let name = |path: &Path| self.names.get(path).cloned().unwrap_or_else(|| path.to_string());
        let Some(path) = make.at().filter(|path| path.last().is_some()) else { return class };
        let word = match &make.into {
            Into::At(Given::Place(Place::Beginning(..))) => "at the beginning of",
            Into::At(Given::Place(Place::End(..))) => "at the end of",
            Into::At(Given::Place(Place::Before(_))) => "before",
            Into::At(Given::Place(Place::After(_))) => "after",
            _ => "in",
        };
        format!("{class} {word} {}", name(path))
    }

    fn properties(&self, make: &Make) -> String {
        let all = make.slots.iter().zip(&make.values);
        let all = all.map(|(slot, value)| format!("{}: {}", one_line(&slot.term), given(value, &self.names)));
        let all: Vec<String> = all.collect();
        if all.is_empty() { String::new() } else { format!(" {{{}}}", all.join(", ")) }
    }
}
