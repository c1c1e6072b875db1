//! New objects in words, for the human who is asked: all of them, with every property.

use indexmap::{IndexMap, IndexSet};

use super::{Chosen, Creating, Node};
use crate::action::{Following, Into, Invocation, Make, StepSet};
use crate::app::App;
use crate::call::How;
use crate::change::{FROM, Fact, Look, NOT_SENT, PASSED_ON, SEND, drafts, facts, sends};
use crate::dictionary::Identifier;
use crate::fault::{Code, Fault};
use crate::marshal::{Given, Place};
use crate::permission::{NAMED, Wording, holds_address, is_address};
use crate::specifier::{Path, fits_line, one_line, quoted};
use crate::step::words::{self, Apart, MOST_SETS, Names, given, given_of};

/// The captions of a message's recipients in a question.
const TO_WHOM: [&str; 3] = ["to", "cc", "bcc"];

/// The note for a call that cannot be undone, but neither loses nor sends anything.
const STAYS: &str = "this server cannot undo this";

impl Creating {
    /// For each object a number that only equal objects share. Their class, their place and their values in full count,
    /// because a question cuts long ones.
    fn sets(&self) -> Vec<usize> {
        let mut known: IndexSet<String> = IndexSet::new();
        let mut sets: Vec<usize> = Vec::new();
        for (node, make) in self.nodes.iter().zip(&self.creation.makes) {
            let terms: Vec<&str> = make.slots.iter().map(|slot| slot.term.as_str()).collect();
            let parent = node.parent.and_then(|parent| sets.get(parent));
            let place = (&node.class, &node.container, parent);
            let set = format!("{place:?} {terms:?} {:?} {:?}", make.how, make.values);
            sets.push(known.insert_full(set).0);
        }
        sets
    }

    /// A human is not asked about more different objects than they can read. The objects in others do not count,
    /// because the question lists them below the object that holds them.
    pub(super) fn check_sets(&self) -> Result<(), Fault> {
        let roots = self.sets().into_iter().zip(&self.nodes).filter(|(_, node)| node.parent.is_none());
        let count = roots.map(|(set, _)| set).collect::<IndexSet<usize>>().len();
        if count <= MOST_SETS {
            return self.apart().check("objects");
        }
        let message = format!(
            "this call makes {count} different objects, expected at most {MOST_SETS}: one question shows them all"
        );
        let suggestion =
            format!("make several calls with at most {MOST_SETS} of them each; equal objects count once");
        Err(Fault::new(Code::InvalidParameter, message, suggestion).with("parameter", "objects"))
    }

    /// Whether objects of one class differ. No scope covers that, so a yes counts once.
    fn differs(&self) -> bool {
        let mut of_class: IndexMap<&str, IndexSet<usize>> = IndexMap::new();
        for (node, set) in self.nodes.iter().zip(self.sets()) {
            of_class.entry(&node.class).or_default().insert(set);
        }
        of_class.values().any(|sets| sets.len() > 1)
    }

    /// The question: each new object with its destination, its properties and its contents.
    pub(super) fn wording(&self, app: &App, plugin: Option<String>) -> Wording {
        // Computed once for the question, because it compares all texts of all objects.
        let apart = self.apart();
        let roots = (0..self.nodes.len()).filter(|at| self.nodes[*at].parent.is_none());
        let sets = self.sets();
        let roots = roots.flat_map(|at| {
            let lines = match self.creation.origin().filter(|_| at == 0) {
                Some(origin) => self.answered(origin, &apart),
                None => vec![self.tree(at, 0, &apart)],
            };
            // Words alone do not tell all values apart: they have one kind of quotes.
            lines.into_iter().map(|line| (sets[at], line)).collect::<Vec<_>>()
        });
        let mut objects = counted(roots);
        if let Some((first, _)) = self.row() {
            objects.extend(self.named_targets(first, app));
        }
        let (steps, mut number) = (self.later_steps(), 0);
        let place = |step: &Result<&Following, &StepSet>| step.as_ref().err().map(|set| set.place.clone());
        for steps in steps.chunk_by(|one, other| place(one).is_some() && place(one) == place(other)) {
            match steps {
                [Ok(next)] => objects.push(self.following(&next.sent, app)),
                sets => {
                    let is_first =
                        sets.first().and_then(|set| set.err()).is_some_and(|set| self.is_first(set));
                    let when = if is_first { "first" } else { "then" };
                    objects.extend(self.steps.lines(number..number + sets.len(), when, app, &apart));
                    number += sets.len();
                }
            }
        }
        let differs = self.differs();
        if objects.len() > NAMED && !differs {
            // The question may show only this many items, so the last one holds all the others.
            let rest = objects.split_off(NAMED - 1).join("\n- ");
            objects.push(rest);
        }
        let dictionary = app.dictionary.as_deref();
        let effect = |command: &Invocation| words::effect(&app.bundle_id, dictionary, command);
        let commands =
            self.creation.origin().into_iter().chain(self.creation.then.iter().map(|next| &next.sent));
        let mut effects: IndexSet<String> = commands.filter_map(effect).map(str::to_owned).collect();
        effects.extend(self.steps.effects(app));
        let is_draft = |node: &Node| dictionary.is_some_and(|all| drafts(&app.bundle_id, all, &node.class));
        let has_draft = effects.shift_remove(NOT_SENT) || self.nodes.iter().any(is_draft);
        let has_row = self.row().is_some();
        let stay = dictionary.map(|all| self.stay_for_good(&app.bundle_id, all));
        effects.extend(stay.into_iter().flatten().flatten().map(str::to_owned));
        if effects.is_empty() && !has_row && dictionary.is_some_and(|it| !self.is_taken_back(it)) {
            effects.insert(STAYS.to_owned());
        }
        if has_draft && !self.creation.then.iter().any(|next| sends(&next.sent.code)) {
            effects.insert(NOT_SENT.to_owned());
        }
        let consequence = (!effects.is_empty()).then(|| effects.into_iter().collect::<Vec<_>>().join("; "));
        Wording {
            app: app.name.as_str().into(),
            plugin,
            deed: self.deed(app),
            is_undo: false,
            objects,
            // Every object has a line, so none are only counted.
            count: 1,
            others: Box::default(),
            shared: 0,
            script: Box::default(),
            differs,
            plugins: false,
            consequence,
        }
    }

    /// `then run "send": the new outgoing message`, and below it the outgoing contents.
    fn following(&self, command: &Invocation, app: &App) -> String {
        let mut names = self.names.clone();
        for path in command.values().flat_map(|value| value.paths()) {
            if let Some(number) = Following::number_of_it(path).filter(|_| Following::is_it(path)) {
                names.insert(path.clone(), self.it(number));
            }
        }
        let told = words::command(command, &names);
        let direct = command.direct.as_ref().filter(|direct| !direct.objects().is_empty());
        let about = direct.map(|direct| format!(": {}", targets(direct, &names, app))).unwrap_or_default();
        let text = words::sent(command).map(|text| format!("\n  {text}")).unwrap_or_default();
        format!("then run {told}{about}{}{text}", self.going_out(command, app))
    }

    /// The steps after the first command or the new objects.
    fn later_steps(&self) -> Vec<Result<&Following, &StepSet>> {
        let mut steps = self.creation.steps();
        let first = steps.iter().position(Result::is_ok).filter(|_| self.row().is_some());
        first.map(|first| steps.remove(first));
        steps
    }

    /// Whether a step goes before the first command: the properties of the objects that it moves, which may get new
    /// ids.
    fn is_first(&self, set: &StepSet) -> bool {
        self.row().is_some() && set.after == 0
    }

    /// `, then run "send", then set "rating"`
    fn then(&self) -> String {
        let mut steps = self.later_steps();
        // A step may set the same on several objects.
        steps.dedup_by(
            |one, other| matches!((one, other), (Err(one), Err(other)) if one.place == other.place),
        );
        steps.retain(|step| step.err().is_none_or(|set| !self.is_first(set)));
        let told = |step: Result<&Following, &StepSet>| match step {
            Ok(next) => format!(", then run {}", quoted(&next.sent.term)),
            Err(set) => format!(", then {}", terms_of(set)),
        };
        steps.into_iter().map(told).collect()
    }

    /// The name of a new object, if the call gives it one.
    fn name_of(&self, number: usize) -> Option<&str> {
        let make = self.creation.makes.get(number)?;
        let label = make.label.as_ref()?;
        let at = make.slots.iter().position(|slot| slot.identifier == *label)?;
        match make.values.get(at)? {
            Given::Text(name) => Some(name),
            _ => None,
        }
    }

    /// The facts about a new message that is to be sent, as for an existing one.
    fn going_out(&self, command: &Invocation, app: &App) -> String {
        let about = command.direct.iter().flat_map(Given::objects).find(|path| Following::leads_to_it(path));
        // An object that a command returns has more contents than the call gives it; the facts of the command show
        // those. A forwarded message has only the recipients that the call gives it.
        let is_shown = |fact: &Fact| match self.creation.origin() {
            Some(origin) => {
                fact.caption == FROM
                    || PASSED_ON.contains(&&*origin.code) && TO_WHOM.contains(&&*fact.caption)
            }
            None => true,
        };
        let (Some(it), Some(dictionary), SEND) = (about, app.dictionary.as_deref(), command.code.as_str())
        else {
            return String::new();
        };
        let number = Following::number_of_it(it).unwrap_or_default();
        let line = |fact: Fact| {
            let Look::Property(way) = &fact.look else { return String::new() };
            // The call knows all attachments of a new message, so its caption drops "that Mail …".
            let caption = fact.caption.split(" that ").next().unwrap_or_default();
            let told: Vec<String> =
                self.given_at(number, way).into_iter().map(|value| self.sent_value(value)).collect();
            let told = if told.is_empty() { words::none(&fact).to_owned() } else { told.join(", ") };
            format!("\n  {caption}: {told}")
        };
        // A short subject is the name of the message already.
        let name = self.creation.makes.get(number).and_then(|make| make.label.as_ref());
        let is_said = |fact: &Fact| {
            let is_name = matches!(&fact.look, Look::Property(way) if way.len() == 1 && way.last() == name);
            is_name && self.name_of(number).is_none_or(fits_line)
        };
        let facts = facts(&app.bundle_id, dictionary, SEND, it.class());
        facts.into_iter().filter(|fact| is_shown(fact) && !is_said(fact)).map(line).collect()
    }

    /// The values at the end of a path from a new object: through its elements, or its own.
    fn given_at<'a>(&'a self, number: usize, way: &[Identifier]) -> Vec<&'a Given> {
        let Some((last, among)) = way.split_last() else { return Vec::new() };
        let is_among = |make: &Make| match &make.into {
            Into::Child(of, through, member) if *of == number => {
                through.iter().chain([&member.identifier]).eq(among)
            }
            _ => false,
        };
        let makes = self.creation.makes.iter().enumerate();
        let makes = makes.filter(|(at, make)| if among.is_empty() { *at == number } else { is_among(make) });
        let given = |(_, make): (usize, &'a Make)| {
            let at = make.slots.iter().position(|slot| slot.identifier == *last)?;
            make.values.get(at)
        };
        makes.filter_map(given).collect()
    }

    fn sent_value(&self, value: &Given) -> String {
        match value {
            Given::Text(text) => words::long(text),
            other => given(other, &self.names),
        }
    }

    /// The subject of the later commands: `the new outgoing message`.
    pub(super) fn it(&self, number: usize) -> String {
        let class = self.nodes.get(number).map_or("", |node| node.class.as_str());
        let is_alike = |at: &usize| self.nodes[*at].class == class;
        let several = (0..self.nodes.len()).filter(is_alike).count() > 1;
        let which = match (self.is_old, several) {
            (true, _) => "opened".to_owned(),
            (false, true) => format!("{} new", ordinal((0..number).filter(is_alike).count())),
            (false, false) => "new".to_owned(),
        };
        let name = several.then(|| self.name_of(number)).flatten();
        let name = name.map(|name| format!(" {}", quoted(name))).unwrap_or_default();
        format!("the {which} {}{name}", one_line(class))
    }

    /// The object of a command that returns another one, and the changes of the returned object.
    fn answered(&self, origin: &Invocation, apart: &Apart) -> Vec<String> {
        let direct = origin.direct.iter().flat_map(|direct| direct.paths());
        let target = direct.filter_map(|path| self.names.get(path).cloned());
        let make = &self.creation.makes[0];
        let parts = (1..self.nodes.len()).filter(|at| self.nodes[*at].parent == Some(0));
        let parts: String = parts.map(|at| format!("\n  in it: {}", self.tree(at, 1, apart))).collect();
        let is_left = make.slots.is_empty() && parts.is_empty();
        // Nothing can be read from a file before the app opens it.
        let is_replaced = self.is_old && make.how.iter().any(|how| matches!(how, How::Set));
        let replaced = if is_replaced { "\n  its present content is not shown, and is replaced" } else { "" };
        let gets = || format!("then {} gets{}{replaced}{parts}", self.it(0), self.properties(make, apart));
        let own = (!is_left).then(gets);
        target.chain(own).collect()
    }

    /// The targets of the first of some commands in a row.
    fn named_targets(&self, first: &Invocation, app: &App) -> Vec<String> {
        let targets = first.direct.iter().flat_map(Given::objects);
        let (named, more) = some_of(targets, app);
        let name = |path: &Path| words::name(path, &self.names);
        named.into_iter().map(name).chain((more > 0).then(|| format!("and {more} more"))).collect()
    }

    /// `make a new calendar`, or `make 3 objects: 1 list, 2 reminders`.
    fn deed(&self, app: &App) -> String {
        let mut counts: IndexMap<&str, usize> = IndexMap::new();
        self.nodes.iter().for_each(|node| *counts.entry(node.class.as_str()).or_default() += 1);
        let then = self.then();
        if let Some((first, _)) = self.row() {
            let before = self.creation.sets.first().filter(|set| self.is_first(set));
            let before = before.map(|set| format!("{}, then ", terms_of(set))).unwrap_or_default();
            return format!("{before}run {}{then}", words::command(first, &self.names));
        }
        if let Some(origin) = self.creation.origin() {
            let make = &self.creation.makes[0];
            let changes = !make.slots.is_empty() || self.nodes.len() > 1;
            let changes = if changes { format!(", then change {}", self.it(0)) } else { String::new() };
            return format!("run {}{changes}{then}", words::command(origin, &self.names));
        }
        if let [node] = self.nodes.as_slice() {
            return format!("make a new {}{then}", one_line(&node.class));
        }
        let class = |name: &str| app.dictionary.as_deref().and_then(|dictionary| dictionary.class(name));
        let each = counts.iter().map(|(name, count)| match class(name) {
            Some(class) if *count > 1 => format!("{count} {}", one_line(&class.plural)),
            _ => format!("{count} {}", one_line(name)),
        });
        format!("make {} objects: {}{then}", self.nodes.len(), each.collect::<Vec<_>>().join(", "))
    }

    fn tree(&self, at: usize, depth: usize, apart: &Apart) -> String {
        let (node, make) = (&self.nodes[at], &self.creation.makes[at]);
        let mut text = format!("{}{}", self.place(node, make), self.properties(make, apart));
        for child in (0..self.nodes.len()).filter(|child| self.nodes[*child].parent == Some(at)) {
            text.push_str(&format!(
                "\n{}in it: {}",
                "  ".repeat(depth + 1),
                self.tree(child, depth + 1, apart)
            ));
        }
        text
    }

    /// `event in calendar "Work"`
    fn place(&self, node: &Node, make: &Make) -> String {
        let class = one_line(&node.class);
        let name = |path: &Path| words::name(path, &self.names);
        match &node.chosen {
            Some(Chosen::Default(path)) if self.names.contains_key(path) => {
                return format!("{class} in {} (the default)", name(path));
            }
            Some(Chosen::Default(path)) => return format!("{class} in {path}"),
            Some(Chosen::Unknown) => return format!("{class} (where the app puts new ones)"),
            None => {}
        }
        let Some(path) = make.at() else { return class };
        if path.last().is_none() {
            return format!("{class} (where the app puts new ones)");
        }
        let word = match &make.into {
            Into::At(Given::Place(Place::Beginning(..))) => "at the beginning of",
            Into::At(Given::Place(Place::End(..))) => "at the end of",
            Into::At(Given::Place(Place::Before(_))) => "before",
            Into::At(Given::Place(Place::After(_))) => "after",
            _ => "in",
        };
        format!("{class} {word} {}", name(path))
    }

    fn sends(&self) -> bool {
        self.creation.then.iter().any(|next| next.sent.code == SEND)
    }

    fn apart(&self) -> Apart {
        let values = self.creation.makes.iter().flat_map(|make| &make.values);
        let made = values.filter_map(|value| match value {
            Given::Text(text) => Some(text.as_str()),
            _ => None,
        });
        Apart::of(made.chain(self.steps.texts()))
    }

    fn properties(&self, make: &Make, apart: &Apart) -> String {
        let is_inside = matches!(make.into, Into::Child(..) | Into::AtChild(_));
        let all = make.slots.iter().zip(&make.values);
        let all = all.zip(&make.how).map(|((slot, value), how)| {
            let place = match how {
                How::Set | How::Shift => "",
                How::Append => " after the app's own text",
                How::Prepend => " before the app's own text",
            };
            // A new message shows its own texts below `send`, but not those of its recipients.
            let is_sent = self.sends() && (self.creation.origin().is_some() || is_inside);
            let told = match value {
                Given::Text(text) if !holds_address(&slot.term) && !is_address(text) => {
                    apart.get(text).or_else(|| is_sent.then(|| words::long(text)))
                }
                _ => None,
            };
            format!(
                "{}: {}{place}",
                one_line(&slot.term),
                told.unwrap_or_else(|| match value {
                    Given::Number(number) => {
                        let number = number.clone().into();
                        words::with_word(slot, &number, number.to_string())
                    }
                    other => given_of(&slot.term, other, &self.names),
                })
            )
        });
        let all: Vec<String> = all.collect();
        if all.is_empty() { String::new() } else { format!(" {{{}}}", all.join(", ")) }
    }
}

/// `set "rating", "comment"`
fn terms_of(set: &StepSet) -> String {
    let terms: Vec<String> = set.change.subject.slots.iter().map(|slot| quoted(&slot.term)).collect();
    format!("set {}", terms.join(", "))
}

/// The line of each different object once, with the number of objects that it is about.
fn counted(lines: impl Iterator<Item = (usize, String)>) -> Vec<String> {
    let mut counts: IndexMap<(usize, String), usize> = IndexMap::new();
    lines.for_each(|line| *counts.entry(line).or_default() += 1);
    let told = |((_, line), count): ((usize, String), usize)| match count {
        1 => line,
        count => format!("{count} times: {line}"),
    };
    counts.into_iter().map(told).collect()
}

/// `first` for 0, `second` for 1, `11th` for 10.
fn ordinal(before: usize) -> String {
    const WORDS: [&str; 3] = ["first", "second", "third"];
    let number = before + 1;
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    WORDS.get(before).map_or_else(|| format!("{number}{ending}"), |word| (*word).to_owned())
}

/// The targets of a later command, in one line.
fn targets(direct: &Given, names: &Names, app: &App) -> String {
    match direct {
        Given::List(items) if items.iter().all(|item| matches!(item, Given::Object(_))) => {
            let (named, more) = some_of(direct.objects().into_iter(), app);
            let named: Vec<String> = named.into_iter().map(|path| words::name(path, names)).collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}", named.join(", "))
        }
        direct => given(direct, names),
    }
}

/// The targets to name, and how many more there are. The server has read the names of all of them.
fn some_of<'p>(targets: impl Iterator<Item = &'p Path>, app: &App) -> (Vec<&'p Path>, usize) {
    let mut targets = words::containers_first(targets, app);
    let more = targets.len().saturating_sub(MOST_SETS);
    targets.truncate(MOST_SETS);
    (targets, more)
}

#[cfg(test)]
mod tests {
    use super::ordinal;

    #[test]
    fn numbers_in_words() {
        let check = |number: usize, expected: &str| assert_eq!(ordinal(number - 1), expected);
        check(1, "first");
        check(3, "third");
        check(4, "4th");
        check(11, "11th");
        check(21, "21st");
        check(112, "112th");
        check(122, "122nd");
        check(200, "200th");
    }
}
