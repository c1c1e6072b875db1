//! Writes all objects of an app as one JSON text. It is written by hand for speed: every script starts by reading ten
//! thousand tasks.

use crate::resolve::View;
use crate::schema::Kind;
use crate::value::{ObjectId, Value};
use crate::world::model::{Children, Model, Place, Symbol};
use iac_core::dictionary::APPLICATION;
use std::collections::HashSet;
use std::fmt::Write as _;

/// Writes `{"document": number, "objects": [{"i", "c", "p", "e", term: value …}]}`; dates are local seconds.
pub(super) fn write(view: &View<'_>) -> String {
    let model = view.model();
    let mut writer =
        Writer { view, model, dates: dates(view), out: String::with_capacity(model.len() * 400) };
    let document = (0..model.len()).map(id).find(|each| writer.class(*each) == "document");
    let _ = write!(writer.out, "{{\"document\":{},\"objects\":[", document.unwrap_or(ObjectId(0)).0);
    for each in (0..model.len()).map(id).filter(|each| !model.object(*each).gone) {
        writer.object(each);
        writer.out.push(',');
    }
    if writer.out.ends_with(',') {
        writer.out.pop();
    }
    writer.out.push_str("]}");
    writer.out
}

fn id(at: usize) -> ObjectId {
    ObjectId(u32::try_from(at).expect("an app has fewer than 2^32 objects"))
}

/// Returns the terms of any class whose values are dates. A hidden term has the same ending as a term of the
/// dictionary.
fn dates(view: &View<'_>) -> HashSet<Symbol> {
    let classes = ["task", "project", "folder"].into_iter().filter_map(|class| view.schema().class(class));
    let terms = classes.flat_map(|class| {
        let dated = class.properties.values().filter(|property| property.kind == Kind::Date);
        dated.map(|property| property.term.to_string()).collect::<Vec<_>>()
    });
    let hidden = [".creation date", ".modification date"].map(str::to_owned);
    terms.chain(hidden).filter_map(|term| view.model().known(&term)).collect()
}

struct Writer<'a> {
    view: &'a View<'a>,
    model: &'a Model,
    dates: HashSet<Symbol>,
    out: String,
}

impl Writer<'_> {
    fn class(&self, id: ObjectId) -> &str {
        let object = self.model.object(id);
        match (object.class, object.place) {
            (Some(class), _) | (None, Place::Element { class, .. }) => self.model.name(class),
            (None, Place::Property { term, .. }) => self.model.name(term),
            (None, Place::Application) => APPLICATION,
        }
    }

    fn object(&mut self, id: ObjectId) {
        let object = self.model.object(id);
        let above = match object.place {
            Place::Element { of, .. } | Place::Property { of, .. } => i64::from(of.0),
            Place::Application => -1,
        };
        let _ = write!(self.out, "{{\"i\":{},\"p\":{above},\"c\":", id.0);
        let class = self.class(id).to_owned();
        self.text(&class);
        for (symbol, value) in &object.values {
            self.out.push(',');
            let name = std::rc::Rc::clone(self.model.name(*symbol));
            self.text(&name);
            self.out.push(':');
            if self.dates.contains(symbol) {
                let value = self.view.read(value, Kind::Date);
                self.value(&value);
            } else {
                self.value(value);
            }
        }
        self.elements(&object.elements);
        self.out.push('}');
    }

    fn elements(&mut self, lists: &[(Symbol, Children)]) {
        let mut before = ",\"e\":{";
        for (symbol, children) in lists {
            let Children::Own(ids) = children else { continue };
            self.out.push_str(before);
            before = ",";
            let name = std::rc::Rc::clone(self.model.name(*symbol));
            self.text(&name);
            self.out.push_str(":[");
            for (at, id) in ids.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                let _ = write!(self.out, "{comma}{}", id.0);
            }
            self.out.push(']');
        }
        if before == "," {
            self.out.push('}');
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Bool(truth) => self.out.push_str(if *truth { "true" } else { "false" }),
            Value::Int(number) | Value::Date(number) => _ = write!(self.out, "{number}"),
            Value::Real(number) => _ = write!(self.out, "{number}"),
            Value::Text(text) | Value::Enumerator(text) | Value::Class(text) | Value::File(text) => {
                self.text(text);
            }
            Value::Utf16(units) => self.units(units),
            Value::Held(id) => _ = write!(self.out, "{}", id.0),
            Value::List(items) => self.list(items),
            Value::Record(fields) => {
                let mut comma = '{';
                for (name, field) in fields.iter() {
                    self.out.push(comma);
                    comma = ',';
                    self.text(name);
                    self.out.push(':');
                    self.value(field);
                }
                self.out.push_str(if comma == '{' { "{}" } else { "}" });
            }
            Value::Missing | Value::Data(_) | Value::Object(_) => self.out.push_str("null"),
        }
    }

    fn list(&mut self, items: &[Value]) {
        self.out.push('[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            self.value(item);
        }
        self.out.push(']');
    }

    fn text(&mut self, text: &str) {
        let plain = text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
        if plain {
            self.out.push('"');
            self.out.push_str(text);
            self.out.push('"');
        } else {
            self.out.push_str(&serde_json::to_string(text).expect("a text is JSON"));
        }
    }

    fn units(&mut self, units: &[u16]) {
        self.out.push('"');
        for unit in units {
            let _ = write!(self.out, "\\u{unit:04x}");
        }
        self.out.push('"');
    }
}
