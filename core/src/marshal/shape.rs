//! Interprets a dictionary's type for a value. Both the check of arguments and the schemas use this one interpretation.

use std::borrow::Cow;

use crate::dictionary::{
    APPLICATION, Class, Dictionary, Element, Enumeration, Enumerator, RecordType, TypeExpr, TypeRef,
};

/// One alternative of a type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape<'a> {
    /// Missing value.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A point in time.
    Date,
    /// A file or folder, which need not exist.
    File,
    /// One of some names.
    Choice(Cow<'a, Enumeration>),
    /// The name of a class.
    ClassName,
    /// An object; of this class, if the dictionary names one.
    Object(Option<&'a Class>),
    /// A place among the elements of a container.
    Location,
    /// Two numbers.
    Point,
    /// Four numbers.
    Rectangle,
    /// Three numbers.
    Color,
    /// Named values; of this type, if the dictionary names one.
    Record(Option<&'a RecordType>),
    /// The properties of a class that is never an element. In effect it is a record.
    Properties(&'a Class),
    /// Values in order, each one of these.
    List(Vec<Self>),
    /// Text.
    Text,
    /// Anything.
    Any,
}

/// Bounds the work on a hostile dictionary. No known dictionary has more.
const MOST_ALTERNATIVES: usize = 32;

/// Returns the alternatives of a type, each once, the most distinctive first.
pub(crate) fn shapes<'a>(kind: &TypeExpr, dictionary: &'a Dictionary) -> Vec<Shape<'a>> {
    let (lists, single): (Vec<&TypeRef>, Vec<&TypeRef>) =
        kind.0.iter().take(MOST_ALTERNATIVES).partition(|each| each.list);
    let mut found = alternatives(&single, dictionary);
    let of = alternatives(&lists, dictionary);
    if !of.is_empty() && !found.iter().any(|shape| matches!(shape, Shape::List(_))) {
        found.push(Shape::List(of));
    }
    if found.is_empty() {
        found.push(Shape::Any);
    }
    found.sort_by_key(Shape::rank);
    found
}

fn alternatives<'a>(kinds: &[&TypeRef], dictionary: &'a Dictionary) -> Vec<Shape<'a>> {
    let mut found: Vec<Shape<'a>> = Vec::new();
    for shape in kinds.iter().flat_map(|kind| named(&kind.name, dictionary)) {
        if !found.contains(&shape) {
            found.push(shape);
        }
    }
    found.sort_by_key(Shape::rank);
    found
}

fn named<'a>(name: &str, dictionary: &'a Dictionary) -> Vec<Shape<'a>> {
    let found = built_in(name);
    if let Some(Shape::Text | Shape::Integer | Shape::Number | Shape::Bool | Shape::Date | Shape::Any) = found
    {
        return found.into_iter().collect();
    }
    let class = dictionary.classes.get(name);
    let object = class.map(|class| Shape::Object(Some(class)));
    match found {
        Some(Shape::File) => [Some(Shape::File), object].into_iter().flatten().collect(),
        Some(Shape::Object(None)) => vec![object.unwrap_or(Shape::Object(None)), Shape::File],
        loose => vec![defined(name, dictionary).or(object).or(loose).unwrap_or(Shape::Any)]
            .into_iter()
            .chain(class.filter(|class| is_record(class, dictionary)).map(Shape::Properties))
            .chain(is_text_class(name).then_some(Shape::Text))
            .collect(),
    }
}

fn defined<'a>(name: &str, dictionary: &'a Dictionary) -> Option<Shape<'a>> {
    let enumeration = dictionary.enumerations.get(name).filter(|each| !each.enumerators.is_empty());
    let choice = enumeration.map(|each| Shape::Choice(Cow::Borrowed(each)));
    choice.or_else(|| dictionary.records.get(name).map(|record| Shape::Record(Some(record))))
}

/// Old dictionaries write records as classes. Such a class is not an element of any class, and has no elements.
fn is_record(class: &Class, dictionary: &Dictionary) -> bool {
    let is_held =
        |element: &Element| element.class == class.name || dictionary.is_a(&class.name, &element.class);
    class.name != APPLICATION
        && class.elements.is_empty()
        && class.inherits.is_none()
        && !class.properties.is_empty()
        && !dictionary.classes.values().any(|holder| holder.elements.iter().any(is_held))
}

/// A property of type `rich text` takes a plain text too.
fn is_text_class(name: &str) -> bool {
    matches!(name, "rich text" | "styled text" | "text range")
}

/// Types that no dictionary defines.
fn built_in(name: &str) -> Option<Shape<'static>> {
    Some(match name {
        "text" | "string" | "Unicode text" | "international text" | "styled text" | "encoded string"
        | "version" => Shape::Text,
        "integer" | "double integer" | "unsigned integer" | "small integer" | "short integer"
        | "long integer" => Shape::Integer,
        "real" | "number" | "double" | "small real" | "double real" | "extended real" | "fixed" => {
            Shape::Number
        }
        "boolean" => Shape::Bool,
        "date" => Shape::Date,
        "file" | "alias" | "file specification" | "file url" | "file URL" => Shape::File,
        "any" | "anything" | "type or any" => Shape::Any,
        name if is_any_object(name) => Shape::Object(None),
        "location specifier" | "insertion location" | "location reference" => Shape::Location,
        "type" | "type class" | "class" => Shape::ClassName,
        "record" => Shape::Record(None),
        "list" => Shape::List(vec![Shape::Any]),
        "point" => Shape::Point,
        "rectangle" | "bounding rectangle" => Shape::Rectangle,
        "RGB color" | "color" => Shape::Color,
        "missing value" | "null" => Shape::Null,
        "save options" => Shape::Choice(Cow::Owned(save_options())),
        _ => return None,
    })
}

/// Whether a type stands for any object.
pub(crate) fn is_any_object(name: &str) -> bool {
    matches!(name, "specifier" | "reference" | "object" | "object specifier" | "item")
}

/// The save options that every app understands, for dictionaries that use them without a definition.
fn save_options() -> Enumeration {
    let one = |(name, code): (&str, &str)| Enumerator {
        name: name.to_owned(),
        code: code.to_owned(),
        ..Enumerator::default()
    };
    let enumerators = [("yes", "yes "), ("no", "no  "), ("ask", "ask ")].map(one).into();
    Enumeration {
        name: "save options".to_owned(),
        code: "savo".to_owned(),
        enumerators,
        ..Enumeration::default()
    }
}

impl Shape<'_> {
    /// If several alternatives accept a value, the lowest rank wins.
    fn rank(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Bool => 1,
            Self::Object(_) => 2,
            Self::Location => 3,
            Self::Choice(_) => 4,
            Self::Integer => 5,
            Self::Number => 6,
            Self::Point | Self::Rectangle | Self::Color => 7,
            Self::Date => 8,
            Self::File => 9,
            Self::ClassName => 10,
            Self::Record(_) | Self::Properties(_) => 11,
            Self::List(_) => 12,
            Self::Text => 13,
            Self::Any => 14,
        }
    }

    /// The expected value in words: `a text`, `one of yes, no, ask`.
    pub(crate) fn expected(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Integer => "an integer".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Date => "a date such as 2026-01-27, 2026-01-27T10:30:00+01:00 or tomorrow 15:00".to_owned(),
            Self::File => "the path of a file, absolute or beginning with ~/".to_owned(),
            Self::Choice(enumeration) => one_of(enumeration),
            Self::ClassName => "the name of a class".to_owned(),
            Self::Object(class) => {
                let of = class.map(|class| format!(" of class {}", class.name)).unwrap_or_default();
                format!("a reference (ref_…) or a specifier{of}")
            }
            Self::Location => {
                "a place: a reference, a specifier, or {\"position\":\"beginning|end|before|after\",\"of\":…}"
                    .to_owned()
            }
            Self::Point => "a point {\"x\":…,\"y\":…}".to_owned(),
            Self::Rectangle => "a rectangle {\"x\":…,\"y\":…,\"width\":…,\"height\":…}".to_owned(),
            Self::Color => "a color of three numbers".to_owned(),
            Self::Record(Some(record)) => format!("an object with the fields of {}", record.name),
            Self::Properties(class) => format!("an object with properties of {}", class.name),
            Self::Record(None) => "an object".to_owned(),
            Self::List(of) => format!("a list, each {}", expected(of)),
            Self::Text => "a text".to_owned(),
            Self::Any => "a value".to_owned(),
        }
    }
}

/// Whether texts of a type are names from the dictionary and not someone's words.
pub(crate) fn are_named(shapes: &[Shape<'_>]) -> bool {
    let is_name = |shape: &Shape<'_>| match shape {
        Shape::Choice(_) | Shape::ClassName => true,
        Shape::List(of) => are_named(of),
        _ => false,
    };
    let words = shapes.iter().any(|shape| matches!(shape, Shape::Text | Shape::Any));
    !words && shapes.iter().any(is_name)
}

/// Joins the expectations of several alternatives.
pub(crate) fn expected(shapes: &[Shape<'_>]) -> String {
    let words: Vec<String> = shapes.iter().map(Shape::expected).collect();
    words.join(", or ")
}

fn one_of(enumeration: &Enumeration) -> String {
    // Most enumerations of apps have fewer names; longer lists would hide the mistake.
    const SHOWN: usize = 12;
    let names: Vec<&str> = shown(enumeration).take(SHOWN).map(|each| each.name.as_str()).collect();
    let rest = shown(enumeration).count().saturating_sub(SHOWN);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    format!("one of {}{more}", names.join(", "))
}

/// The enumerators that are meant for people, or all of them if there are none.
pub(crate) fn shown(enumeration: &Enumeration) -> impl Iterator<Item = &Enumerator> {
    let any = enumeration.enumerators.iter().any(|each| !each.hidden);
    enumeration.enumerators.iter().filter(move |each| !each.hidden || !any)
}
