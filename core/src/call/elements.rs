//! The arguments of `iac_mcp_get_elements`.

use serde_json::Value as Json;

use super::{Arguments, HIGHEST_OFFSET, TEXT_IN_LIST};
use crate::dictionary::Dictionary;
use crate::fault::{Code, Fault, wrong};
use crate::filter::{Filter, Fold};
use crate::specifier::{Container, Specifier};
use crate::words::{HIGHEST_LIMIT, RefId, TextWindow};

/// The arguments of `iac_mcp_get_elements`.
#[derive(Clone, Debug, PartialEq)]
pub struct GetElements {
    /// The app, in any spelling; may be left out if the container is a reference.
    pub app: Option<String>,
    /// The elements in one form, `every message of inbox`, instead of containers and a class.
    pub elements: Option<Specifier>,
    /// Further elements of the same class, if `elements` is a list.
    pub also: Vec<Specifier>,
    /// The containers of the elements.
    pub containers: Vec<Container>,
    /// The class of the elements, in any spelling; empty if the call does not give it.
    pub element: String,
    /// Whether containers inside the containers are read too.
    pub recursive: bool,
    /// Selects the elements.
    pub filter: Option<Filter<String>>,
    /// The filter in AppleScript's words; it is read once the class is known.
    pub filter_text: Option<String>,
    /// Properties to read of each.
    pub properties: Vec<String>,
    /// The order: properties, and whether descending.
    pub sort: Vec<(String, bool)>,
    /// Properties to group by; the word `container` means the container of an element.
    pub group_by: Vec<String>,
    /// The aggregates of each group.
    pub aggregate: Vec<(Fold, String)>,
    /// The most elements to return, up to 1,000; 0 only counts.
    pub limit: usize,
    /// Whether the call gives `limit`. It then applies in addition to the number in `elements`.
    pub is_limited: bool,
    /// How many elements to skip; a negative number counts from the end.
    pub offset: i64,
    /// The range that `elements` names, if it names one.
    pub range: Option<Range>,
    /// How much of a long text.
    pub text: TextWindow,
}

/// Consecutive elements, `messages 11 thru 20`. The call is about these only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The index of the first one; a negative index counts from the end.
    pub first: i64,
    /// The number of elements in the range, if the container has that many.
    pub count: usize,
    /// How many elements at the end are not in the range: one for `messages 2 thru -2`.
    pub left_out: usize,
}

impl Range {
    /// How many elements of the range a container of this size has.
    pub(crate) fn of(self, total: usize) -> usize {
        let place = usize::try_from(self.first.unsigned_abs()).unwrap_or(usize::MAX);
        let (there, before) = match self.first {
            first if first < 0 => (place.min(total), place.saturating_sub(total)),
            _ => (total.saturating_sub(place), 0),
        };
        self.count.saturating_sub(before).min(there.saturating_sub(self.left_out))
    }
}

/// How many elements an answer holds by default.
const LIMIT: usize = 100;

/// How many containers one call may name.
const MOST_CONTAINERS: usize = 100;

const KNOWN: [&str; 14] = [
    "app", "container", "elementType", "elements", "where", "properties", "sort", "limit", "offset",
    "recursive", "groupBy", "aggregate", "textOffset", "textLimit",
];

impl GetElements {
    pub(super) fn read(arguments: &Arguments<'_>) -> Result<Self, Fault> {
        arguments.only(&KNOWN)?;
        let mut also = elements(arguments)?;
        let elements = (!also.is_empty()).then(|| also.remove(0));
        let app = arguments.text("app")?;
        let containers = match (&elements, arguments.get("container")) {
            (Some(_), None) => Vec::new(),
            (Some(_), Some(_)) => return Err(twice("container")),
            // Without a container, the elements are those of the application.
            (None, None) => vec![Container::Specifier(Box::new(Specifier::Application))],
            (None, Some(json)) => containers(json)?,
        };
        if elements.is_some() && arguments.get("elementType").is_some() {
            return Err(twice("elementType"));
        }
        let given = arguments.count("limit", 0, HIGHEST_LIMIT)?;
        let limit = given.unwrap_or(LIMIT);
        // Groups have counts anyway, so a limit of 0 is replaced by the default: the client wants to see the groups.
        let is_grouped = arguments.get("groupBy").is_some() || arguments.get("aggregate").is_some();
        let call = Self {
            app,
            element: match elements.is_some() || arguments.get("container").is_some() {
                true => arguments.text("elementType")?.unwrap_or_default(),
                false => arguments.text("elementType")?.ok_or_else(|| nothing_named(arguments))?,
            },
            elements,
            also,
            containers,
            recursive: arguments.flag("recursive")?.unwrap_or(false),
            filter: match arguments.get("where") {
                None | Some(Json::String(_)) => None,
                Some(json) => Some(Filter::parse(json, "where")?),
            },
            filter_text: arguments.get("where").and_then(Json::as_str).map(str::to_owned),
            properties: arguments.one_or_more_texts("properties")?.unwrap_or_default(),
            sort: arguments.sort("sort")?,
            group_by: arguments.one_or_more_texts("groupBy")?.unwrap_or_default(),
            aggregate: aggregate(arguments)?,
            limit: if limit == 0 && is_grouped { LIMIT } else { limit },
            is_limited: given.is_some(),
            range: None,
            offset: arguments.count("offset", 0, HIGHEST_OFFSET)?.unwrap_or_default() as i64,
            text: arguments.window(TEXT_IN_LIST)?,
        };
        if call.app.is_none() && call.references().is_empty() {
            let suggestion = "add \"app\", or give a reference as container";
            return Err(Fault::new(
                Code::InvalidParameter,
                "`app` is missing, and the container is a specifier and not a reference",
                suggestion,
            ));
        }
        call.settled()
    }

    /// Lists the objects that a specifier leads to.
    pub(crate) fn of(app: String, elements: Specifier) -> Self {
        Self {
            app: Some(app),
            elements: Some(elements),
            also: Vec::new(),
            containers: Vec::new(),
            element: String::new(),
            recursive: false,
            filter: None,
            filter_text: None,
            properties: Vec::new(),
            sort: Vec::new(),
            group_by: Vec::new(),
            aggregate: Vec::new(),
            limit: HIGHEST_LIMIT,
            is_limited: false,
            offset: 0,
            range: None,
            text: TextWindow { offset: 0, limit: TEXT_IN_LIST },
        }
    }

    /// Returns every reference that it starts from.
    pub(crate) fn references(&self) -> Vec<RefId> {
        let inside = self.elements.iter().chain(&self.also).flat_map(Specifier::references);
        self.containers.iter().flat_map(Container::references).chain(inside).collect()
    }

    /// Splits `elements` into the containers, the class, the selection, and a property to read.
    ///
    /// # Errors
    /// It is not a list of elements, or gives something that another argument gives too.
    pub(crate) fn settled(mut self) -> Result<Self, Fault> {
        let Some(elements) = self.elements.take() else { return Ok(self) };
        match elements {
            text @ Specifier::Text(_) => Ok(Self { elements: Some(text), ..self }),
            Specifier::Every { element, container, filter, range } => {
                self.element = element;
                self.containers = vec![container];
                self.filter = match (filter, self.filter) {
                    (Some(one), Some(other)) => Some(Filter::And(vec![one, other])),
                    (one, other) => one.or(other),
                };
                if let Some((first, last)) = range {
                    self.stands_alone()?;
                    let range = window(first, last)?;
                    let (offset, count) = self.inside(range)?;
                    self.range = Some(range);
                    return Ok(self.windowed(offset, count));
                }
                Ok(self)
            }
            Specifier::Filter { element, container, filter, limit, last, only: _ } => {
                let all = Specifier::Every { element, container, filter: Some(filter), range: None };
                self.begins_once()?;
                let offset = if last { -(limit as i64) } else { 0 };
                Self { elements: Some(all), ..self.windowed(offset, limit) }.settled()
            }
            Specifier::Element { element, index, container } => {
                let one = Specifier::Every { element, container, filter: None, range: Some((index, index)) };
                Self { elements: Some(one), ..self }.settled()
            }
            Specifier::Property { property, of: Container::Specifier(of) } => match *of {
                // `name of container of every note` is one column: `container.name`.
                Specifier::Property { property: outer, of } => {
                    let property = format!("{outer}.{property}");
                    Self { elements: Some(Specifier::Property { property, of }), ..self }.settled()
                }
                of => {
                    self.properties.push(property);
                    Self { elements: Some(of), ..self }.settled()
                }
            },
            _ => {
                let message = "`elements`: expected elements, such as every message of a mailbox";
                let suggestion = "ask for one object with iac_mcp_query_object";
                Err(Fault::parameter("elements", message, suggestion))
            }
        }
    }
}

impl GetElements {
    /// Takes the containers of the other elements of a list, once all of them are read.
    ///
    /// # Errors
    /// They are not `every …` of the same class with the same condition.
    pub(crate) fn others(&mut self, dictionary: &Dictionary) -> Result<Vec<Container>, Fault> {
        let part = |specifier: &Specifier| match specifier {
            Specifier::Every { element, filter, range: None, .. } => {
                let class = dictionary.class(element).map_or(element, |class| &class.name);
                Some((class.clone(), filter.clone()))
            }
            _ => None,
        };
        let also = std::mem::take(&mut self.also);
        let first = self.elements.as_ref().and_then(part);
        let mut others = Vec::new();
        for (at, other) in also.into_iter().enumerate() {
            match (part(&other), other) {
                (found, Specifier::Every { container, .. }) if first.is_some() && found == first => {
                    others.push(container);
                }
                _ => return Err(other_elements(at + 1)),
            }
        }
        Ok(others)
    }

    /// Applies the window that `elements` gives. The call's own `limit` can only make it shorter.
    fn windowed(self, offset: i64, count: usize) -> Self {
        let limit = if self.is_limited { self.limit.min(count) } else { count };
        Self { offset, limit, ..self }
    }

    /// The part of a range that begins at `offset`, which counts from the beginning of the range.
    fn inside(&self, range: Range) -> Result<(i64, usize), Fault> {
        let passed = usize::try_from(self.offset).ok().filter(|passed| *passed < range.count);
        let passed = passed.ok_or_else(|| {
            let message = format!(
                "`offset`: {} is not inside the range, which has {} elements",
                self.offset, range.count
            );
            let suggestion =
                "count from the beginning of the range, or ask for `every …` with `limit` and `offset`";
            Fault::parameter("offset", message, suggestion)
        })?;
        Ok((range.first + self.offset, (range.count - passed).min(HIGHEST_LIMIT)))
    }

    /// If `elements` gives the beginning of the list, `offset` is not allowed.
    fn begins_once(&self) -> Result<(), Fault> {
        if self.offset == 0 {
            return Ok(());
        }
        let message = "`offset` cannot be combined with the first or last match in `elements`";
        let suggestion = "leave `offset` out, or ask for `every … whose …` with `limit` and `offset`";
        Err(Fault::parameter("offset", message, suggestion))
    }

    /// A range counts the elements of one container in their own order, before any filter or sort.
    fn stands_alone(&self) -> Result<(), Fault> {
        let beside = [
            ("where", self.filter.is_some() || self.filter_text.is_some()),
            ("sort", !self.sort.is_empty()),
            ("groupBy", !self.group_by.is_empty()),
            ("aggregate", !self.aggregate.is_empty()),
            ("recursive", self.recursive),
        ];
        let many = |container: &Container| matches!(container, Container::Specifier(of) if matches!(**of, Specifier::Every { .. } | Specifier::Filter { .. }));
        let message = match beside.iter().find(|(_, is_there)| *is_there) {
            Some((parameter, _)) => {
                format!(
                    "a range or an index in `elements` counts all elements, before `{parameter}` chooses any"
                )
            }
            None if self.containers.iter().any(many) => {
                "a range or an index in `elements` counts in one container, and `every` leads to many"
                    .to_owned()
            }
            None => return Ok(()),
        };
        let suggestion =
            "leave it out and use `limit` and `offset`, or list it alone and pass the references on";
        Err(Fault::parameter("elements", message, suggestion))
    }
}

/// The elements of a range. If its ends count from different ends, only the answer says how many there are.
fn window(first: i32, last: i32) -> Result<Range, Fault> {
    let range = |count, left_out| Range { first: i64::from(first), count, left_out };
    let both = || usize::try_from(i64::from(last) - i64::from(first) + 1).ok();
    let found = match (first < 0, last < 0) {
        (false, true) => {
            Some(range(usize::MAX, usize::try_from(last.unsigned_abs() - 1).unwrap_or(usize::MAX)))
        }
        (false, false) | (true, true) => both().filter(|count| *count > 0).map(|count| range(count, 0)),
        (true, false) => None,
    };
    found.ok_or_else(|| {
        let [from, to] = [first, last].map(|place| i64::from(place) + i64::from(place >= 0));
        let ends = if (first < 0) == (last < 0) { "ends" } else { "may end" };
        let message = format!("the range {from} thru {to}, counted from 1, {ends} before it begins");
        let suggestion = format!("write the end last: {to} thru {from}");
        Fault::new(Code::InvalidSpecifier, message, suggestion)
    })
}

/// Reads `elements`: one specifier, or a list of them.
fn elements(arguments: &Arguments<'_>) -> Result<Vec<Specifier>, Fault> {
    let Some(json) = arguments.get("elements") else { return Ok(Vec::new()) };
    let Some(items) = json.as_array() else { return Ok(vec![Specifier::parse(json, "elements")?]) };
    if items.is_empty() || items.len() > MOST_CONTAINERS {
        let expected = format!("1 to {MOST_CONTAINERS} specifiers");
        return Err(wrong("elements", &expected, &Json::from(items.len())));
    }
    let one = |(at, item): (usize, &Json)| Ok(Specifier::parse(item, &format!("elements[{at}]"))?);
    items.iter().enumerate().map(one).collect()
}

fn other_elements(at: usize) -> Fault {
    let place = format!("elements[{at}]");
    let message = format!(
        "`{place}` does not list the same as `elements[0]`: expected every … of one class, with the same condition"
    );
    let suggestion = "make one call for each class; choose with `where`, which holds for all of the list";
    Fault::parameter(place, message, suggestion)
}

fn twice(parameter: &str) -> Fault {
    let message = format!("`elements` and `{parameter}` say the same thing");
    Fault::parameter(parameter, message, format!("leave `{parameter}` out"))
}

/// The error for a call that does not say what to list.
fn nothing_named(arguments: &Arguments<'_>) -> Fault {
    let message = format!("{} needs the argument `elements`", arguments.tool());
    Fault::parameter("elements", message, "add `elements`, such as \"every note\"")
}

fn containers(json: &Json) -> Result<Vec<Container>, Fault> {
    let Some(items) = json.as_array() else { return Ok(vec![Container::parse(json, "container")?]) };
    if items.is_empty() || items.len() > MOST_CONTAINERS {
        let expected = format!("1 to {MOST_CONTAINERS} containers");
        return Err(wrong("container", &expected, &Json::from(items.len())));
    }
    let one = |(at, item): (usize, &Json)| Ok(Container::parse(item, &format!("container[{at}]"))?);
    items.iter().enumerate().map(one).collect()
}

fn aggregate(arguments: &Arguments<'_>) -> Result<Vec<(Fold, String)>, Fault> {
    let texts = arguments.one_or_more_texts("aggregate")?.unwrap_or_default();
    let folds = texts.iter().map(|text| Fold::parse(text, "aggregate"));
    Ok(folds.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
