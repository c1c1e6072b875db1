//! An app's own description: the parsed, resolved content of one scripting dictionary.
//!
//! A [`Dictionary`] is complete in itself: includes are pasted, class extensions are merged into their class, and
//! built-in terms are present. Names are the dictionary's own terms, with spaces, in the case the app gives them.

mod encoding;
mod kin;
mod merge;
mod problems;
mod query;

pub mod describe;
pub mod lint;
pub mod names;
pub mod sdef;
pub mod standard;
pub mod suites;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use names::Identifier;
pub use sdef::{Includes, parse};

/// One app's terminology.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dictionary {
    /// The `title` of the root, as text from the app.
    pub title: Option<String>,
    /// Suites in the order of the file; included ones take the place of the include.
    pub suites: Vec<Suite>,
    /// Classes by name. A class that is defined twice is merged; extensions are merged into the class they extend.
    pub classes: IndexMap<String, Class>,
    /// Commands in the order of the file. A name may occur several times with different codes or direct parameters.
    pub commands: Vec<Command>,
    /// Events that the app sends, described as commands. They cannot be called.
    pub events: Vec<Command>,
    /// Enumerations by name.
    pub enumerations: IndexMap<String, Enumeration>,
    /// Record types by name.
    pub records: IndexMap<String, RecordType>,
    /// Value types by name.
    pub values: IndexMap<String, ValueType>,
    /// The source of its terms.
    pub way: Way,
    /// The index of terms. It is built on first use; after that the dictionary does not change.
    #[serde(skip)]
    index: query::Index,
}

/// The source of an app's terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Way {
    /// The app has an `.sdef`.
    #[default]
    Sdef,
    /// The app has the older pairs of suites and terminologies.
    Suites,
    /// The app has neither, and the system's converter knows its terms.
    Converter,
    /// The app says that it is scriptable, but has no readable dictionary.
    Standard,
}

impl Way {
    /// For answers: where the terms come from.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sdef => "the app's .sdef",
            Self::Suites => "the app's suites and terminologies, the older form of a dictionary",
            Self::Converter => {
                "the system's converter, since the app has only a form of dictionary that the server cannot read"
            }
            Self::Standard => "the standard suite, since the app has no dictionary that can be read",
        }
    }
}

/// A group of terms, as the author of the dictionary grouped them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Suite {
    /// For example `Mail`.
    pub name: String,
    /// Four characters, empty if the file has none.
    pub code: String,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
}

/// A class of objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// The term in the singular, for example `mailbox`.
    pub name: String,
    /// The plural of the term: the file's own, otherwise the name with `s`.
    pub plural: String,
    /// Four characters, or the code of a hexadecimal literal.
    pub code: String,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people; still reachable.
    pub hidden: bool,
    /// The suite it was first defined in.
    pub suite: String,
    /// The name of the class it inherits from.
    pub inherits: Option<String>,
    /// Its own properties, without inherited ones, in the order of the file; the class's `contents` is among them.
    pub properties: Vec<Property>,
    /// Its own elements, without inherited ones.
    pub elements: Vec<Element>,
    /// Names of the commands that it says it responds to, without inherited ones.
    pub responds_to: Vec<String>,
    /// Other names of the same class.
    pub synonyms: Vec<String>,
    /// The name of the property that contains the object's members: a script may ask the object itself for them.
    pub contents: Option<String>,
    /// Other types that its objects can be read as, such as `text` for rich text.
    pub coercions: TypeExpr,
    /// The groups of terms that a sandboxed sender may be granted.
    pub access_groups: Vec<AccessGroup>,
    /// Added by this program, because neither the file nor its includes define it.
    pub built_in: bool,
}

/// A group of terms that a sandboxed sender may be granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessGroup {
    /// For example `com.apple.mail.compose`, or `*` for every sender.
    pub identifier: String,
    /// The access, if the file gives it.
    pub access: Option<Access>,
}

/// The access to a property or element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Access {
    /// `r`
    Read,
    /// `w`
    Write,
    /// `rw`, the default of a property.
    #[default]
    ReadWrite,
}

impl Access {
    /// The attribute's spelling: `r`, `w` or `rw`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "r",
            Self::Write => "w",
            Self::ReadWrite => "rw",
        }
    }

    /// Whether the dictionary lets it be read.
    pub fn can_read(self) -> bool {
        self != Self::Write
    }

    /// Whether the dictionary lets it be set.
    pub fn can_write(self) -> bool {
        self != Self::Read
    }
}

/// One property of a class or one field of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Property {
    /// For example `date received`.
    pub name: String,
    /// Four characters.
    pub code: String,
    /// The type of its values.
    pub kind: TypeExpr,
    /// The access to it.
    pub access: Access,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
    /// A field that a record may leave out.
    pub optional: bool,
    /// Other names of the same property.
    pub synonyms: Vec<String>,
    /// The groups of terms that a sandboxed sender may be granted.
    pub access_groups: Vec<AccessGroup>,
    /// Every application has it, though neither the file nor its includes say so.
    pub built_in: bool,
}

/// Objects of one class inside another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// The name of the class of the elements.
    pub class: String,
    /// The access to the collection; `rw` is the default, as for a property.
    pub access: Access,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
    /// The forms (`index`, `name`, `id`, `test` …) that the file says it can be addressed by; empty if it says nothing.
    pub accessors: Vec<String>,
    /// The groups of terms that a sandboxed sender may be granted.
    pub access_groups: Vec<AccessGroup>,
    /// Added by this program, because neither the file nor its includes define it.
    pub built_in: bool,
}

/// A command or event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// For example `do shell script`.
    pub name: String,
    /// Eight characters: suite and event. Hexadecimal literals are decoded to characters.
    pub code: String,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
    /// The suite it is defined in.
    pub suite: String,
    /// The direct parameter, which is positional in JXA.
    pub direct: Option<Parameter>,
    /// Named parameters in the order of the file.
    pub parameters: Vec<Parameter>,
    /// Its result; `None` for a command without a result.
    pub result: Option<CommandResult>,
    /// Other names of the same command.
    pub synonyms: Vec<String>,
    /// The groups of terms that a sandboxed sender may be granted.
    pub access_groups: Vec<AccessGroup>,
    /// Added by this program, because neither the file nor its includes define it.
    pub built_in: bool,
}

/// A parameter of a command; the name and code of a direct parameter are empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// For example `with properties`.
    pub name: String,
    /// Four characters.
    pub code: String,
    /// The type of its values.
    pub kind: TypeExpr,
    /// May be left out.
    pub optional: bool,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
    /// The command's effect on its objects, if the file gives it.
    pub requires_access: Option<Access>,
    /// Other names of the same parameter.
    pub synonyms: Vec<String>,
}

/// The result of a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandResult {
    /// The type of the result.
    pub kind: TypeExpr,
    /// Text from the app; untrusted.
    pub description: Option<String>,
}

/// A type as the dictionary writes it: one alternative, or several for a union; none if the file gives no type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeExpr(pub Vec<TypeRef>);

/// One alternative of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeRef {
    /// A built-in type (`text`, `integer`, `date` …) or the name of a class, enumeration, record or value type.
    pub name: String,
    /// A list of it.
    pub list: bool,
    /// Not meant for people.
    pub hidden: bool,
}

impl TypeRef {
    /// One value of the named type.
    pub fn one(name: &str) -> Self {
        Self { name: name.to_owned(), list: false, hidden: false }
    }
}

impl TypeExpr {
    /// A type of one alternative.
    pub fn one(name: &str) -> Self {
        Self(vec![TypeRef::one(name)])
    }
}

impl std::fmt::Display for TypeExpr {
    /// `text`, `list of text`, `text or missing value`; `any` if the file gives no type.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("any");
        }
        for (at, kind) in self.0.iter().enumerate() {
            let before = if at == 0 { "" } else { " or " };
            let list = if kind.list { "list of " } else { "" };
            write!(f, "{before}{list}{}", kind.name)?;
        }
        Ok(())
    }
}

/// A set of named values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Enumeration {
    /// For example `save options`.
    pub name: String,
    /// Four characters.
    pub code: String,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
    /// The values in the order of the file.
    pub enumerators: Vec<Enumerator>,
    /// Other names of the same enumeration.
    pub synonyms: Vec<String>,
    /// Added by this program, because neither the file nor its includes define it.
    pub built_in: bool,
}

/// One value of an enumeration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Enumerator {
    /// For example `yes`.
    pub name: String,
    /// Four characters.
    pub code: String,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
    /// Other names of the same value.
    pub synonyms: Vec<String>,
}

/// A record with known fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordType {
    /// For example `print settings`.
    pub name: String,
    /// Four characters.
    pub code: String,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
    /// Its fields.
    pub properties: Vec<Property>,
    /// Other names of the same record type.
    pub synonyms: Vec<String>,
    /// Added by this program, because neither the file nor its includes define it.
    pub built_in: bool,
}

/// A value that is opaque to the dictionary, such as a colour.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueType {
    /// For example `RGB color`.
    pub name: String,
    /// Four characters.
    pub code: String,
    /// Text from the app; untrusted.
    pub description: Option<String>,
    /// Not meant for people.
    pub hidden: bool,
    /// Other names of the same value type.
    pub synonyms: Vec<String>,
}

/// A part of a dictionary's bytes that the parser had to change or skip; the rest of the file is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The line of the file, from 1; 0 if no line applies.
    pub line: usize,
    /// The place: for example `command "send"` or an include's href.
    pub place: String,
    /// The problem and how the reader handled it.
    pub kind: ProblemKind,
}

/// The kinds of problems in a dictionary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ProblemKind {
    /// The host can load the file and parse again.
    #[error("the included file is missing: {0}")]
    MissingInclude(String),
    /// Nothing after this place was read.
    #[error("malformed XML, read up to here: {0}")]
    Malformed(String),
    /// Nothing of a suite or terminology was read.
    #[error("not a property list: {0}; the file is skipped")]
    NotAPropertyList(String),
    /// A limit was reached, and the rest was not read.
    #[error("over the limit: {0}")]
    Limit(String),
    /// Anything else, in words.
    #[error("{0}")]
    Defect(String),
}

/// The size of a dictionary. Hidden and built-in terms do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Commands, one for each name and code.
    pub commands: usize,
    /// Classes by name.
    pub classes: usize,
}

/// The class that every app has.
pub const APPLICATION: &str = "application";
