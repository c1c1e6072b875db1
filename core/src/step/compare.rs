//! Checks a filter's value against the type of its property.

use serde_json::{Value as Json, json};

use crate::action::{Column, View};
use crate::dictionary::{Dictionary, TypeExpr};
use crate::fault::{Code, Fault};
use crate::filter::{Compare, Filter, Operator};
use crate::marshal::{Checker, Given, Shape, expected, shapes};
use crate::moment::{self, Moment, Part};
use crate::numbered;
use crate::specifier::SpecifierError;

const EQUALITY: [Operator; 2] = [Operator::Equal, Operator::NotEqual];
const ORDER: [Operator; 4] =
    [Operator::Less, Operator::Greater, Operator::LessOrEqual, Operator::GreaterOrEqual];
const TEXTUAL: [Operator; 3] = [Operator::Contains, Operator::StartsWith, Operator::EndsWith];

/// Checks a comparison against the property's type. Returns its value in the form for the script: dates are tagged, and
/// enumerators and classes have the name under which the app shows them.
///
/// # Errors
/// [`Code::TypeMismatch`]: the value is of another type, or values of that type are not compared in this way.
pub(super) fn comparable(
    compare: &Compare<String>,
    column: &Column,
    dictionary: &Dictionary,
    home: &str,
) -> Result<Json, Fault> {
    let all = shapes(&column.kind, dictionary);
    let is_list = all.iter().any(|shape| matches!(shape, Shape::List(_)));
    let operator = compare.operator;
    if compare.value.is_null() && EQUALITY.contains(&operator) {
        return Ok(Json::Null);
    }
    let place = format!("`{}` {}", column.shown(), operator.as_str());
    let sides = sides(&all);
    if sides.is_empty() {
        return Err(incomparable(&place, column, &all, dictionary));
    }
    let taking: Vec<Shape<'_>> = sides.iter().filter_map(|shape| taken(shape, operator, is_list)).collect();
    if taking.is_empty() {
        return Err(other_operator(&place, &sides, is_list));
    }
    let meant = match column.view {
        Some(View::Part(part)) => of_part(part, compare, &place, is_list)?,
        Some(View::Path) => Compare { value: path_meant(&compare.value, home), ..compare.clone() },
        None if let Some(name) = choice_meant(&compare.value, &taking) => {
            Compare { value: name, ..compare.clone() }
        }
        _ => compare.clone(),
    };
    let compare = &meant;
    if let Some(moment) =
        compare.value.as_str().filter(|_| taking.contains(&Shape::Date)).and_then(Moment::parse)
    {
        if moment.is_instant() && EQUALITY.contains(&operator) {
            let message = format!("{place}: `{moment}` is one second, and nothing is from exactly then");
            let suggestion = "use >= or <=, or a whole day such as `today - 7 days`";
            return Err(Fault::new(Code::TypeMismatch, message, suggestion).with("parameter", "where"));
        }
        return Ok(moment.to_data());
    }
    // No accepted form is an object, so no reference is looked up.
    let mut nobody = |id: &_| Err(SpecifierError::Reference(crate::words::ReferenceError::Unknown(*id)));
    let mut checker = Checker { dictionary, held: &mut nobody, home, put: None, open: None };
    let is_date = taking.contains(&Shape::Date);
    let checked = checker.one_of(&compare.value, &taking, &place, 0);
    checked.map(written).map_err(|fault| mismatch(fault, compare, is_date))
}

/// Refuses `birth date is next month`: a birth date has the year of the birth, so this would never match.
///
/// # Errors
/// [`Code::TypeMismatch`], with the comparison that finds birthdays.
pub(super) fn check_birthday(column: &Column, compare: &Compare<String>) -> Result<(), Fault> {
    let is_coming =
        |text: &str| !text.contains("year") && Moment::parse(text).is_some_and(|moment| !moment.is_fixed());
    let is_date = column.kind.0.iter().any(|kind| kind.name == "date");
    let is_date = is_date && column.view.is_none() && EQUALITY.contains(&compare.operator);
    if !is_date || !column.term.contains("birth") || !compare.value.as_str().is_some_and(is_coming) {
        return Ok(());
    }
    let term = column.shown();
    let message = format!("`{term}` has the year of the birth, and {} is in another year", compare.value);
    let suggestion = format!("write `month of {term} is 12`, or that and `day of {term} is 24`");
    Err(Fault::new(Code::TypeMismatch, message, suggestion).with("parameter", "where"))
}

/// The comparison with the numbers that a word stands for, such as the colour of a flag; `None` for any other value.
///
/// # Errors
/// [`Code::TypeMismatch`]: words have no order, because a high priority is a low number.
pub(super) fn numbered(
    app: &str,
    column: &Column,
    compare: &Compare<String>,
) -> Result<Option<Filter<String>>, Fault> {
    let term = column.term.rsplit('.').next().unwrap_or(&column.term);
    let numbers = numbered::numbers(app, term);
    let word = compare.value.as_str().filter(|_| column.view.is_none());
    let Some([from, to]) = word.and_then(|word| numbered::range(numbers, word)) else { return Ok(None) };
    if !EQUALITY.contains(&compare.operator) {
        let message = format!("`{}` {}: words have no order", column.shown(), compare.operator.as_str());
        let suggestion = format!("compare with a number: {}", numbered::listed(numbers));
        return Err(Fault::new(Code::TypeMismatch, message, suggestion).with("parameter", "where"));
    }
    let side = |operator, number: i64| {
        Filter::Compare(Compare { operator, value: Json::from(number), ..compare.clone() })
    };
    let all = Filter::And(vec![side(Operator::GreaterOrEqual, from), side(Operator::LessOrEqual, to)]);
    Ok(Some(match compare.operator {
        operator if from == to => side(operator, from),
        Operator::NotEqual => Filter::Not(Box::new(all)),
        _ => all,
    }))
}

/// The name of a value of an enumeration, even if only its first words are given.
fn choice_meant(value: &Json, taking: &[Shape<'_>]) -> Option<Json> {
    let term = value.as_str()?;
    let meant = |shape: &Shape<'_>| match shape {
        Shape::Choice(choice) => choice.meant(term).map(|each| json!(each.name)),
        _ => None,
    };
    taking.iter().find_map(meant)
}

/// A path as answers show it: in full, and without a slash at its end.
fn path_meant(value: &Json, home: &str) -> Json {
    let Some(text) = value.as_str() else { return value.clone() };
    let text = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => text.to_owned(),
    };
    match text.strip_suffix('/') {
        Some(folder) if !folder.is_empty() => json!(folder),
        _ => json!(text),
    }
}

/// The date of a comparison with a day, a week, a month or a year, and the ends of that span. `None` for any other
/// comparison, and for several dates at once, because one may be after the beginning and another before the end.
pub(super) fn spanned(column: &Column, compare: &Compare<String>) -> Option<(Column, [String; 2])> {
    let is_list = column.kind.0.iter().any(|kind| kind.list);
    if is_list || compare.operator.is_textual() {
        return None;
    }
    let Some(View::Part(part)) = column.view else {
        // `end date > today` counts from the beginning of today, because people ask it to find events that overlap the
        // day.
        if compare.operator == Operator::Greater {
            return None;
        }
        let is_date = column.view.is_none() && column.kind.0.iter().any(|kind| kind.name == "date");
        let ends = moment::span(compare.value.as_str()?).filter(|_| is_date)?;
        return Some((column.clone(), ends));
    };
    let ends = part.span(&compare.value)?;
    let bare =
        |term: &String| term.rsplit_once('.').map_or_else(|| term.clone(), |(date, _)| date.to_owned());
    let date = Column {
        term: bare(&column.term),
        asked: column.asked.as_ref().map(bare),
        kind: TypeExpr::one("date"),
        by_script: false,
        view: None,
        ..column.clone()
    };
    Some((date, ends))
}

/// A comparison with a part of a date. For equality, the value must be one that the part can have. Any other value
/// would match nothing, and the answer would look as if there were nothing.
fn of_part(
    part: Part,
    compare: &Compare<String>,
    place: &str,
    is_list: bool,
) -> Result<Compare<String>, Fault> {
    let operator = compare.operator;
    let is_equality = EQUALITY.contains(&operator) || (is_list && operator == Operator::Contains);
    if part == Part::Weekday && !is_equality {
        let message = format!("{place}: days of the week come again and again, so none is before another");
        let fault =
            Fault::new(Code::TypeMismatch, message, "use == or !=, and join several days with {\"or\":[…]}");
        return Err(fault.with("parameter", "where"));
    }
    let is_open = match part {
        Part::Week | Part::Date => operator.is_textual() && !is_equality,
        _ => !is_equality && compare.value.is_number(),
    };
    let value = if is_open { Some(compare.value.clone()) } else { part.meant(&compare.value) };
    let value = value.ok_or_else(|| {
        let forms = part.forms();
        let shown = crate::foreign::clean(&compare.value.to_string(), 80);
        let fault = Fault::new(
            Code::TypeMismatch,
            format!("{place}: expected {forms}, got {shown}"),
            format!("give {forms}"),
        );
        mismatch(fault.with("expected", forms), compare, false)
    })?;
    Ok(Compare { value, ..compare.clone() })
}

/// The values that a property is compared with: a list by its items, anything else by its distinct values.
///
/// Objects, records and geometry have no comparable form. If a dictionary says `file` and has a class with that name,
/// the app returns objects.
fn sides<'a>(shapes: &[Shape<'a>]) -> Vec<Shape<'a>> {
    let has_objects = shapes.iter().any(|shape| matches!(shape, Shape::Object(_)));
    let side = |shape: &Shape<'a>| match shape {
        Shape::Integer => vec![Shape::Number],
        Shape::Any => vec![Shape::Bool, Shape::Number, Shape::Text],
        Shape::List(of) => sides(of),
        Shape::File if has_objects => Vec::new(),
        Shape::Bool
        | Shape::Number
        | Shape::Date
        | Shape::File
        | Shape::Choice(_)
        | Shape::ClassName
        | Shape::Text => {
            vec![shape.clone()]
        }
        _ => Vec::new(),
    };
    let mut found: Vec<Shape<'a>> = Vec::new();
    for each in shapes.iter().flat_map(side) {
        if !found.contains(&each) {
            found.push(each);
        }
    }
    found
}

/// The operators that fit values of a type. For a list, `contains` looks for an item.
fn operators(shape: &Shape<'_>, is_list: bool) -> Vec<Operator> {
    let more: &[Operator] = match shape {
        Shape::Number | Shape::Date if is_list => &[ORDER.as_slice(), &[Operator::Contains]].concat(),
        Shape::Number | Shape::Date => &ORDER,
        Shape::Text => &[ORDER.as_slice(), &TEXTUAL].concat(),
        Shape::File => &TEXTUAL,
        _ if is_list => &[Operator::Contains],
        _ => &[],
    };
    EQUALITY.into_iter().chain(more.iter().copied()).collect()
}

/// The type that a value must have for an operator. A part of a path is a text.
fn taken<'a>(shape: &Shape<'a>, operator: Operator, is_list: bool) -> Option<Shape<'a>> {
    let takes = operators(shape, is_list).contains(&operator);
    let is_part = operator.is_textual() && *shape == Shape::File;
    takes.then(|| if is_part { Shape::Text } else { shape.clone() })
}

fn written(given: Given) -> Json {
    match given {
        Given::Bool(value) => json!(value),
        Given::Number(number) => Json::Number(number),
        Given::Date(date) => json!({ "$": "date", "v": date }),
        Given::Text(text) | Given::Enumerator(text) | Given::File(text) => json!(text),
        Given::Class(class) => json!(
            crate::dictionary::Identifier::of(&class)
                .map_or_else(|| class.clone(), |identifier| identifier.as_str().to_owned())
        ),
        _ => Json::Null,
    }
}

fn mismatch(fault: Fault, compare: &Compare<String>, is_date: bool) -> Fault {
    let fault = Fault { code: Code::TypeMismatch, ..fault }.with("parameter", "where");
    match compare.value {
        Json::Array(_) => {
            let one_by_one = "compare with one value at a time, and join the comparisons with {\"or\":[…]}";
            Fault { suggestion: one_by_one.to_owned(), ..fault }
        }
        _ if is_date && compare.value.as_str().and_then(Moment::instead).is_some() => fault,
        _ if is_date => {
            let suggestion = format!("{}, or {}", fault.suggestion, moment::GRAMMAR);
            Fault { suggestion, ..fault }
        }
        _ => fault,
    }
}

fn other_operator(place: &str, sides: &[Shape<'_>], is_list: bool) -> Fault {
    let mut known: Vec<&str> = Vec::new();
    for operator in sides.iter().flat_map(|shape| operators(shape, is_list)) {
        if !known.contains(&operator.as_str()) {
            known.push(operator.as_str());
        }
    }
    let message = format!("{place}: this operator does not work with {}", expected(sides));
    Fault::new(Code::TypeMismatch, message, format!("use one of {}", known.join(" ")))
        .with("parameter", "where")
}

fn incomparable(place: &str, column: &Column, shapes: &[Shape<'_>], dictionary: &Dictionary) -> Fault {
    let held = shapes.iter().find_map(|shape| match shape {
        Shape::Object(Some(class)) => {
            let names = ["name", "id"].into_iter();
            Some(names.filter_map(|name| dictionary.property(&class.name, name)).next())
        }
        _ => None,
    });
    let message = format!("{place}: {} can only be compared with null", expected(shapes));
    let suggestion = match held.flatten() {
        Some(property) => {
            format!(
                "compare one of its properties, such as `{}.{}`, or it with null",
                column.shown(),
                property.name
            )
        }
        None => "compare another property, or this one with null".to_owned(),
    };
    Fault::new(Code::TypeMismatch, message, suggestion).with("parameter", "where")
}

#[cfg(test)]
mod tests;
