//! A call with all names resolved: the action, its objects and its app.

mod create;

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::app::App;
use crate::call::WebCall;
use crate::change::{Anew, Change, Look, QUIT, Subject, Tell};
use crate::dictionary::{Dictionary, Identifier, TypeExpr, names};
use crate::filter::{Filter, Fold};
use crate::identity::{Anchors, Identity};
use crate::marshal::Given;
use crate::moment::Part;
use crate::series::Index;
use crate::specifier::{Member, Path};
use crate::words::{Level, TextWindow};

pub use create::{Creation, Following, Into, Make, Renamed, StepSet, Takes};

/// One action in one app.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The bundle id; empty if the action is not about a single app.
    pub app: Arc<str>,
    /// The app's dictionary, from which the permission check learns which classes inherit from which.
    pub terms: Terms,
    /// The kind of action.
    pub deed: Deed,
}

/// The dictionary of the app that an action is in, if it is known. It takes no part in comparisons and digests.
#[derive(Clone, Default)]
pub struct Terms(pub Option<Arc<Dictionary>>);

impl Action {
    /// Makes an action in an app.
    pub fn of(app: &App, deed: Deed) -> Self {
        Self { app: app.bundle_id.clone(), terms: Terms(app.dictionary.clone()), deed }
    }

    /// Makes an action that asks the system and not an app.
    pub(crate) fn of_system(deed: SystemDeed) -> Self {
        Self { app: "".into(), terms: Terms::default(), deed: Deed::System(deed) }
    }
}

impl Terms {
    /// Whether one class is another or inherits from it, in any spelling. A class without a dictionary is only itself.
    pub fn is_a(&self, class: &str, ancestor: &str) -> bool {
        let wanted = names::key(ancestor);
        let inherits = |dictionary: &Arc<Dictionary>| {
            dictionary.lineage(class).iter().any(|each| names::key(&each.name) == wanted)
        };
        names::key(class) == wanted || self.0.as_ref().is_some_and(inherits)
    }
}

impl PartialEq for Terms {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Terms")
    }
}

/// The kinds of actions.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Asks the system, or the app about itself, and reaches no object.
    System(SystemDeed),
    /// Lets macOS ask the user whether this process may send events to the app.
    AskConsent {
        /// Who gets the access, within a sentence.
        by: String,
        /// Whether the app is not running, so that asking opens it.
        opens: bool,
    },
    /// Lets macOS ask the user whether this process may read the system library with the app's data.
    AskAccess {
        /// Who gets the access, within a sentence.
        by: String,
        /// The library.
        index: &'static Index,
    },
    /// Asks the app for one object, to check that it exists and to learn its identity.
    Look {
        /// The path to it.
        path: Path,
        /// The identity of its class.
        identity: Identity,
        /// The property that tells it from its neighbours if only a position leads to it.
        mark: Option<Identifier>,
        /// The name property of its class, if the path picks it by a name that other objects may have too.
        name: Option<Identifier>,
    },
    /// Reads the names in a collection, to suggest them if a name was not found.
    Names {
        /// The container.
        container: Path,
        /// The collection in it.
        collection: Arc<Member>,
        /// The property that holds the name.
        name: Identifier,
    },
    /// Reads a property, which may hold a value or an object.
    Value {
        /// The path to it; its last step is the property.
        path: Path,
        /// How much of a long text.
        text: TextWindow,
    },
    /// Reads properties of some objects.
    Properties {
        /// Each object with the values to read.
        objects: Vec<Arc<Wanted>>,
        /// The number of objects in each collection when it was last read; 0 if it was not read yet.
        sizes: Vec<usize>,
        /// How much of a long text.
        text: TextWindow,
    },
    /// Lists the elements of a container.
    Elements(Box<Elements>),
    /// Searches for objects by their identity.
    Find(Find),
    /// Sends a command.
    Command(Box<Invocation>),
    /// Runs a script of the client in a process of its own.
    RunScript {
        /// `JavaScript` or `AppleScript`.
        language: &'static str,
        /// The script.
        text: String,
    },
    /// Runs a script of a plugin's package inside the app.
    Script(Box<InAppScript>),
    /// Sends a request of a plugin to a web server.
    Web(Box<WebCall>),
    /// Looks at objects that would be changed.
    Preview(Preview),
    /// Sets properties.
    Set(Vec<Change>),
    /// Makes objects.
    Create(Box<Creation>),
}

/// A look at objects that would be changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preview {
    /// The objects with the values to read from each.
    pub subjects: Vec<Subject>,
    /// How to tell objects at positions apart; `None` if positions stay unchanged.
    pub anchors: Option<Anchors>,
    /// Whether names become ids too, because a step of the call may give a name to another object.
    pub knows: bool,
}

/// One command with its checked arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// The dictionary's term, for example `do shell script`.
    pub term: String,
    /// Eight characters: suite and event.
    pub code: String,
    /// The spelling in the script.
    pub identifier: Identifier,
    /// Whether the dictionary gives it a direct parameter.
    pub takes_direct: bool,
    /// The direct parameter, if it is given.
    pub direct: Option<Given>,
    /// Whether the direct parameter is a list, and the command is sent once for each of its items.
    pub each: bool,
    /// The named parameters that are given, in the dictionary's order.
    pub parameters: Vec<Argument>,
    /// How much of a long text the answer holds.
    pub text: TextWindow,
    /// Whether a reference among its objects has only a position, so that no one can tell whether it still leads to the
    /// intended object.
    pub is_fragile: bool,
    /// The values that a human saw of its objects. If they differ now, nothing is done.
    pub seen: Vec<Seen>,
    /// The values to read during a move, so that the server can follow the objects and undo the move.
    pub moves: Option<Moves>,
    /// The values to read from copies, so that an undo can delete them.
    pub copies: Option<Copies>,
    /// The values to read for the answer.
    pub tells: Vec<Tell>,
    /// How to tell its objects apart; `None` for a command that changes nothing and may therefore use positions.
    pub anchors: Option<Anchors>,
    /// The command that the app needs afterwards to keep what it did, if it needs one.
    pub save: Option<Box<Self>>,
}

/// The values to read from a new copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Copies {
    /// The property with its id.
    pub id: Option<Identifier>,
    /// The property with its name for people.
    pub label: Option<Identifier>,
    /// The values by which an undo sees that no one has changed the copy since.
    pub looks: Vec<Look>,
    /// The copied objects. An app may answer one of them in place of the copy.
    pub originals: Vec<Path>,
}

/// The values to read of a moved object.
#[derive(Clone, Debug, PartialEq)]
pub struct Moves {
    /// The property with a unique value.
    pub mark: Option<Identifier>,
    /// The property with the id, if only that tells the object apart.
    pub id: Option<Identifier>,
    /// The property that says which container it is in.
    pub home: Option<Identifier>,
    /// How to find it in its new container, if the app makes a new object there.
    pub anew: Option<Anew>,
    /// Properties of the moved object that tell it from another one of its name.
    pub looks: Vec<Identifier>,
}

/// Objects to search for in the places where they may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Find {
    /// The collections to search, most likely first.
    pub places: Vec<(Path, Arc<Member>)>,
    /// The property with a unique value.
    pub mark: Identifier,
    /// The property that holds the id.
    pub id: Identifier,
    /// The values that are looked for.
    pub marks: Vec<String>,
}

/// An object as a human was shown it.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The path to it.
    pub path: Path,
    /// The values that were read.
    pub looks: Vec<Look>,
    /// The values that the human saw, as the script encoded them.
    pub shown: serde_json::Value,
}

/// A granted script of a plugin, which runs in the app's own script engine.
#[derive(Clone, Debug, PartialEq)]
pub struct InAppScript {
    /// Its name, such as `script read`.
    pub term: String,
    /// Its acts, each with its own level and grants; at least one.
    pub acts: Vec<InAppAct>,
    /// Its description in the plugin's words.
    pub objects: Vec<String>,
    /// How many objects there are; `objects` may hold fewer.
    pub count: usize,
    /// How many lines describe the objects, because one line may describe several; `objects` may hold fewer.
    pub lines: usize,
    /// The command that passes the text and its data to the app.
    pub invocation: Invocation,
    /// The commands that run after it under the same approval, if any.
    pub rest: Option<Rest>,
}

/// One thing that a script does in one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InAppAct {
    /// The act's name in the package, if the package declares acts.
    pub name: Option<String>,
    /// Its name in rules and grants: `script write: delete project`, or `script read` if nothing is declared.
    pub term: String,
    /// The first eight characters of the digest of the text and the name. A grant counts only for this text and this
    /// name.
    pub code: String,
    /// The act's level, which the package declares and the operator has granted.
    pub level: Level,
}

impl InAppScript {
    /// The acts that the script receives; `None` if its package declares none.
    pub fn act_names(&self) -> Option<Vec<&str>> {
        self.acts.iter().map(|act| act.name.as_deref()).collect()
    }
}

/// The runs of a script after its first one.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// The script, as it was granted.
    pub text: String,
    /// The data of each run, the next one first.
    pub parts: VecDeque<Json>,
}

/// One named parameter with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The dictionary's term, for example `with properties`.
    pub term: String,
    /// The spelling in the script.
    pub identifier: Identifier,
    /// The value.
    pub value: Given,
}

/// A question to the system, or to an app about itself. It reaches no object, so there is nothing to judge.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemDeed {
    /// Asks the system which of these apps are running.
    Running {
        /// Bundle ids.
        apps: Vec<String>,
        /// Files that are about to be read, to check whether they exist.
        files: Vec<String>,
    },
    /// Resolves relative dates, and dates without an offset, in the time zone of the Mac.
    Moments {
        /// The dates, in the form that the prelude expects.
        all: Vec<Json>,
    },
    /// Asks when the offset of the Mac's time zone changes.
    Zone {
        /// The beginning and the end of the span, in milliseconds since 1970.
        span: (i64, i64),
    },
    /// Asks the system which app is in front.
    Frontmost,
    /// Asks macOS whether this process may read a library of the system, or lets macOS ask the person.
    Access {
        /// The number that the library uses for this kind of data.
        entity: u8,
        /// How long to wait for the person, in milliseconds; with `None` it asks no one.
        wait: Option<u64>,
    },
    /// Asks the app for a number of elements, to see whether it answers.
    Alive,
    /// Asks macOS, without a dialog, which of these apps this process may send events to.
    Consents {
        /// Bundle ids.
        apps: Vec<String>,
    },
    /// Asks the system's converter for the dictionary of the bundle at a path. It asks no app.
    Dictionary {
        /// The absolute path of the bundle.
        path: String,
    },
}

impl Deed {
    /// Whether it opens a dialog of macOS and waits for the user.
    pub(crate) fn asks_macos(&self) -> bool {
        matches!(self, Self::AskConsent { .. } | Self::AskAccess { .. })
    }

    /// The commands that it would send; empty for a deed without commands.
    pub(crate) fn commands(&self) -> Vec<&Invocation> {
        match self {
            Self::Command(invocation) => vec![invocation],
            Self::Create(creation) => {
                let makes = creation.makes.iter().map(|make| &make.command);
                let then = creation.then.iter().map(|next| &next.judged);
                makes.chain(creation.save.as_deref()).chain(then).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The properties that it would set on objects.
    pub(crate) fn changes(&self) -> Vec<&Change> {
        match self {
            Self::Set(changes) => changes.iter().collect(),
            Self::Create(creation) => {
                let sets = creation.sets.iter().map(|set| &set.change);
                creation.writes.as_deref().into_iter().chain(sets).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Adds `replacing` to each command that writes a file, so that the gate knows that the command replaces the file.
    pub(crate) fn replace_files(&mut self) {
        let commands: Vec<&mut Invocation> = match self {
            Self::Command(invocation) => vec![invocation],
            Self::Create(creation) => creation.then.iter_mut().map(|next| &mut next.judged).collect(),
            _ => Vec::new(),
        };
        let files = commands.into_iter().filter(|command| command.file_to_be().is_some());
        files.for_each(Invocation::replace);
    }
}

/// The events that write a file if they name one: `save` and `close`.
const FILING: [&str; 2] = ["coresave", "coreclos"];

/// The parameter that lets a command replace an existing object.
const REPLACING: &str = "replacing";

/// The first word of commands that write a file in another format. Each app has its own codes for them.
const EXPORT: &str = "export";

impl Invocation {
    /// Returns a named parameter's value.
    pub fn parameter(&self, term: &str) -> Option<&Given> {
        self.parameters.iter().find(|argument| argument.term == term).map(|argument| &argument.value)
    }

    /// Whether it is told to replace an object of the same name at its destination.
    pub(crate) fn replaces(&self) -> bool {
        self.parameter(REPLACING) == Some(&Given::Bool(true))
    }

    /// Whether it is told to close documents, or to quit, without saving their changes.
    pub(crate) fn discards(&self) -> bool {
        let no = |value: &Given| matches!(value, Given::Enumerator(name) if name == "no");
        ["coreclos", QUIT].contains(&self.code.as_str()) && self.parameter("saving").is_some_and(no)
    }

    fn replace(&mut self) {
        let Some(identifier) = Identifier::of(REPLACING) else { return };
        self.parameters.retain(|argument| argument.term != REPLACING);
        self.parameters.push(Argument { term: REPLACING.to_owned(), identifier, value: Given::Bool(true) });
    }

    /// The file that the command is told to write; `None` if it writes none, or chooses the file itself.
    pub(crate) fn file_to_be(&self) -> Option<&str> {
        let is_it = FILING.contains(&self.code.as_str()) || self.term.starts_with(EXPORT);
        let files = self.parameters.iter().filter(|_| is_it).flat_map(|argument| argument.value.files());
        match files.collect::<Vec<_>>().as_slice() {
            [file] => Some(file),
            _ => None,
        }
    }

    /// The files that it is told to read: its target, and properties of the objects that it makes.
    pub(crate) fn files_to_read(&self) -> Vec<String> {
        let direct = self.direct.iter().flat_map(Given::files);
        let records = self.parameters.iter().filter_map(|argument| match &argument.value {
            Given::Record(fields) => Some(fields.iter().flat_map(|(_, value)| value.files())),
            _ => None,
        });
        direct.chain(records.flatten()).map(str::to_owned).collect()
    }

    /// Replaces the paths in its values, in the order of [`Self::values`].
    pub(crate) fn replace_paths(&mut self, mut with: impl FnMut(&Path) -> Path) {
        let values = self.direct.iter_mut().chain(self.parameters.iter_mut().map(|each| &mut each.value));
        values.for_each(|value| value.replace_paths(&mut with));
    }

    /// Returns every given value, the direct parameter first.
    pub fn values(&self) -> impl Iterator<Item = &Given> {
        self.direct.iter().chain(self.parameters.iter().map(|argument| &argument.value))
    }
}

/// Properties of one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The path to the object.
    pub path: Path,
    /// How objects of its class are identified.
    pub identity: Identity,
    /// The columns to read; `None` for all properties in one event.
    pub columns: Option<Vec<Column>>,
    /// The properties with names from the dictionary as values, if all properties are read; empty if columns are read.
    pub named: Vec<Identifier>,
}

/// Elements of one class in containers, filtered, sorted and cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    /// The containers, at least one; each may lead through `every` element of a collection.
    pub containers: Vec<Path>,
    /// The collection in a container that holds further containers of the same elements, if these are read too.
    pub inner: Option<Arc<Member>>,
    /// For each container, its direct contents that the script must not read, if it also reads containers inside.
    pub closed: Vec<Vec<Shut>>,
    /// The collection in each container.
    pub collection: Arc<Member>,
    /// The identity of the elements.
    pub identity: Identity,
    /// The property that tells elements apart if only a position leads to them.
    pub mark: Option<Identifier>,
    /// Every property that is read; those that the client requested come first.
    pub columns: Vec<Column>,
    /// The number of columns to read for the returned elements.
    pub wanted: usize,
    /// The column with the usual name of an element, if the script reads it without a request.
    pub label: Option<usize>,
    /// Whether the app selects the elements itself, by its own filter.
    pub whose: bool,
    /// Selects elements; its properties are indexes of columns.
    pub filter: Option<Filter<usize>>,
    /// The order: columns, and whether descending.
    pub sort: Vec<(usize, bool)>,
    /// Counts and sums of groups instead of elements.
    pub groups: Option<Groups>,
    /// How series among the elements become occurrences, if they do.
    pub series: Option<Series>,
    /// The maximum number; 0 only counts.
    pub limit: usize,
    /// How many to skip; a negative number counts from the end.
    pub offset: i64,
    /// A range that counts from the end: its first index, and the number of its elements. `offset` is in it.
    pub range: Option<(i64, usize)>,
    /// How much of a long text.
    pub text: TextWindow,
}

/// A closed file or folder, or a folder that contains one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shut {
    /// Its name, folded as the disk compares names.
    pub name: String,
    /// The closed place in words.
    pub place: String,
}

impl Elements {
    /// Whether several of its containers may hold the same object: different ones of one kind, such as two calendars
    /// with an invitation, hold different objects.
    pub(crate) fn may_overlap(&self) -> bool {
        let [first, others @ ..] = self.containers.as_slice() else { return false };
        let is_apart = |path: &Path| path.is_alike(first) && path.is_stable() && first.is_stable();
        matches!(self.identity, Identity::Id(_)) && !others.iter().all(is_apart)
    }

    /// Whether the elements are in more than one container. Then each says which container it is in.
    pub fn is_spread(&self) -> bool {
        self.inner.is_some() || self.containers.len() != 1 || self.containers.iter().any(Path::is_spread)
    }

    /// Whether it reads a property of the elements' containers.
    pub(crate) fn looks_up(&self) -> bool {
        self.columns.iter().any(|column| column.up > 0)
    }
}

/// The columns to group by, and the aggregates of each group.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// Columns; `None` is the container.
    pub by: Vec<Option<usize>>,
    /// The aggregate and its column.
    pub of: Vec<(Fold, usize)>,
    /// The order: what to compare, and whether descending. The elements are already sorted by the keys among them.
    pub sort: Vec<(Rank, bool)>,
}

/// What groups are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// The number of elements.
    Count,
    /// The key at this place of [`Groups::by`].
    By(usize),
    /// The aggregate at this place of [`Groups::of`].
    Of(usize),
}

impl Groups {
    /// Every column that is read for them.
    pub(crate) fn columns(&self) -> Vec<usize> {
        self.by.iter().flatten().copied().chain(self.of.iter().map(|(_, column)| *column)).collect()
    }

    /// The columns of the keys that the groups are sorted by, and whether descending.
    pub(crate) fn keys_in_order(&self) -> Vec<(usize, bool)> {
        let key = |(rank, down): &(Rank, bool)| match rank {
            Rank::By(at) => self.by[*at].map(|column| (column, *down)),
            Rank::Count | Rank::Of(_) => None,
        };
        self.sort.iter().filter_map(key).collect()
    }
}

/// The positions of the columns that say when an element happens, and how it repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The start.
    pub start: usize,
    /// The end, if elements take time.
    pub end: Option<usize>,
    /// Whether it takes whole days.
    pub days: Option<usize>,
    /// The rule of a series, if there are series.
    pub rule: Option<usize>,
    /// The dates that a series leaves out.
    pub excluded: Option<usize>,
    /// The column that says whether it is done, if the filter mentions it.
    pub done: Option<usize>,
    /// Columns with a part of the start or the end, which differs from one occurrence to the next.
    pub parts: Vec<TimePart>,
    /// The property of a container that people know it by.
    pub title: Identifier,
    /// The library that answers by date, if it has all the requested columns.
    pub index: Option<ByIndex>,
}

/// A column with a part of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePart {
    /// The column.
    pub column: usize,
    /// Whether it is of the end, and not of the start.
    pub of_end: bool,
    /// The part.
    pub part: Part,
}

/// A library of the system that answers instead of the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByIndex {
    /// The library.
    pub library: &'static Index,
    /// The library's name of each column, if it has one.
    pub values: Vec<Option<&'static str>>,
    /// The collection of all containers.
    pub containers: Identifier,
}

/// A property to read from every element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// The dictionary's term, or terms joined by dots; the rules about properties name these.
    pub term: String,
    /// The client's words for it, if the server completed the path: `account.name` for `mailbox.account.name`.
    pub asked: Option<String>,
    /// The client's word for it, if it differs from the dictionary's: `title` for `name`.
    pub other: Option<String>,
    /// The same property by other paths, for a client that asked for both: it is read once.
    pub also: Vec<Self>,
    /// The path from the element: several identifiers for a property path.
    pub identifiers: Vec<Identifier>,
    /// The type of its values.
    pub kind: TypeExpr,
    /// Whether it is too long to be read from elements that are not returned.
    pub long: bool,
    /// Whether it holds an enumerator, which needs a special form in the app's own filter.
    pub enumerated: bool,
    /// Whether it holds a file or the name of a class. No form for these is known to work in the app's own filter.
    pub by_script: bool,
    /// Whether it holds names from the dictionary, which are never cut.
    pub named: bool,
    /// The number of steps from the element to the object with the property: 0 for the element itself, 1 for its
    /// container, 2 for the container of that.
    pub up: usize,
    /// How the value is shown, if it is not shown as it is.
    pub view: Option<View>,
}

/// The form in which a column shows its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// A part of a date.
    Part(Part),
    /// The number of elements at the end of the path.
    Count,
    /// The path of a file URL.
    Path,
}

impl Column {
    /// Adds a step to its term.
    pub(crate) fn extend_term(&mut self, step: &str) {
        let dot = if self.term.is_empty() { "" } else { "." };
        self.term = format!("{}{dot}{step}", self.term);
    }

    /// Whether another column holds the same values.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        self.identifiers == other.identifiers && self.up == other.up && self.view == other.view
    }

    /// The column under each of its names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.also)
    }

    /// The name of its values in an answer.
    pub fn shown(&self) -> &str {
        self.asked.as_deref().unwrap_or(&self.term)
    }

    /// Whether its values are texts, which cost more to transfer than numbers and dates.
    pub fn is_text(&self) -> bool {
        self.kind.0.iter().any(|kind| kind.name.ends_with("text"))
    }
}
