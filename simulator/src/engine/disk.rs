//! Native functions for files, for the Objective-C bridge and for Standard Additions.

use super::native::Bridge;
use super::system::Bytes;
use crate::files::{Attributes, Kind, Refusal};
use crate::items::type_of;
use rquickjs::function::Func;
use rquickjs::{Ctx, Object};
use std::rc::Rc;

/// Adds the functions to an object. A function that can fail returns nothing, or a word that names the reason.
pub(super) fn define<'js>(to: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    reads(to, bridge)?;
    writes(to, bridge)
}

fn reads<'js>(to: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    let read = move |path: String| {
        // An item that only Finder's data has can be read only if it is empty.
        let empty =
            || it.session.attributes(&path).filter(|found| found.size == 0 && found.kind == Kind::File);
        it.session.files.read(&path).or_else(|| empty().map(|_| Vec::new())).map(Bytes)
    };
    to.set("readFile", Func::from(read))?;
    let it = Rc::clone(bridge);
    to.set("kind", Func::from(move |path: String| number(it.session.file_kind(&path))))?;
    let it = Rc::clone(bridge);
    to.set("list", Func::from(move |path: String| it.session.file_names(&path)))?;
    let it = Rc::clone(bridge);
    let attributes = move |ctx: Ctx<'js>, path: String| {
        it.session.attributes(&path).map(|found| write_attributes(&ctx, found)).transpose()
    };
    to.set("attributes", Func::from(attributes))?;
    let it = Rc::clone(bridge);
    to.set(
        "plist",
        Func::from(move |path: String| it.session.files.read(&path).and_then(|text| plist(&text))),
    )?;
    to.set("typeOf", Func::from(|extension: String| type_of(&extension)))?;
    to.set("plistOf", Func::from(|Bytes(text): Bytes| plist(&text)))
}

fn writes<'js>(to: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    let write = move |path: String, Bytes(bytes): Bytes| word(it.session.write_file(&path, &bytes));
    to.set("writeFile", Func::from(write))?;
    let it = Rc::clone(bridge);
    let make = move |path: String, between: bool| word(it.session.make_folder(&path, between));
    to.set("makeFolder", Func::from(make))?;
    let it = Rc::clone(bridge);
    to.set("remove", Func::from(move |path: String| word(it.session.files.remove(&path))))?;
    let it = Rc::clone(bridge);
    to.set("copy", Func::from(move |from: String, to: String| word(it.session.copy(&from, &to))))?;
    let it = Rc::clone(bridge);
    to.set("move", Func::from(move |from: String, to: String| word(it.session.rename(&from, &to))))?;
    let it = Rc::clone(bridge);
    to.set("writable", Func::from(move |path: String| it.session.files.may_write(&path).is_ok()))
}

fn number(kind: Kind) -> u8 {
    match kind {
        Kind::Nothing => 0,
        Kind::File => 1,
        Kind::Folder => 2,
    }
}

fn word(done: Result<(), Refusal>) -> Option<&'static str> {
    done.err().map(Refusal::word)
}

fn write_attributes<'js>(ctx: &Ctx<'js>, found: Attributes) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("kind", number(found.kind))?;
    #[expect(clippy::cast_precision_loss, reason = "a script's numbers are doubles")]
    object.set("size", found.size as f64)?;
    object.set("modified", found.modified)?;
    object.set("created", found.created)?;
    Ok(object)
}

/// Converts a property list to JSON text.
fn plist(bytes: &[u8]) -> Option<String> {
    let read = plist::Value::from_reader(std::io::Cursor::new(bytes)).ok()?;
    Some(json(&read).to_string())
}

fn json(value: &plist::Value) -> serde_json::Value {
    use plist::Value;
    match value {
        Value::Array(items) => items.iter().map(json).collect(),
        Value::Dictionary(fields) => fields.iter().map(|(key, each)| (key.clone(), json(each))).collect(),
        Value::Boolean(truth) => (*truth).into(),
        Value::Integer(number) => number.as_signed().into(),
        Value::Real(number) => (*number).into(),
        Value::String(text) => text.as_str().into(),
        Value::Date(time) => time.to_xml_format().into(),
        _ => serde_json::Value::Null,
    }
}
