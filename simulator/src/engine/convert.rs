//! Converts values between JavaScript and Apple events.

use crate::os_error::{Answer, COERCION, NO_SUCH_OBJECT, OsError};
use crate::value::specifier::{Edge, Ordinal, Root, Specifier, Step};
use crate::value::{ObjectId, Value};
use indexmap::IndexMap;
use rquickjs::convert::Coerced;
use rquickjs::object::Property;
use rquickjs::{Array, Ctx, FromJs, Function, Object, Value as Js};
use std::collections::HashMap;
use std::rc::Rc;

/// The prelude's functions that Rust calls.
#[derive(Clone, Debug)]
pub(super) struct Helpers<'js> {
    wrap: Function<'js>,
    node_of: Function<'js>,
    failure: Function<'js>,
    local: Function<'js>,
    seconds: Function<'js>,
    path: Function<'js>,
    root: Function<'js>,
    child: Function<'js>,
    kind: Function<'js>,
    units: Function<'js>,
    from_units: Function<'js>,
    pub(super) source: Function<'js>,
    pub(super) human: Function<'js>,
    pub(super) reword: Function<'js>,
    pub(super) set_source: Function<'js>,
    pub(super) set_script: Function<'js>,
    /// Recognizes the objects of an app's own script.
    is_held: Option<Function<'js>>,
}

/// The kinds of steps of a specifier's node. The prelude has the same list.
const ROOT: u8 = 0;
const PROPERTY: u8 = 1;
const ELEMENTS: u8 = 2;
const INDEX: u8 = 3;
const NAME: u8 = 4;
const ID: u8 = 5;
const WHERE: u8 = 6;
const ORDINAL: u8 = 7;
const MEMBER: u8 = 8;
const UNSAVED: u8 = 9;
const INSERTION: u8 = 10;

/// Numbers of roots that are not an app.
const CURRENT: i32 = -1;

impl<'js> Helpers<'js> {
    pub(super) fn from(object: &Object<'js>, wording: &Object<'js>) -> rquickjs::Result<Self> {
        Ok(Self {
            wrap: object.get("wrap")?,
            node_of: object.get("nodeOf")?,
            failure: object.get("failure")?,
            local: object.get("local")?,
            seconds: object.get("seconds")?,
            path: object.get("Path")?,
            root: object.get("root")?,
            child: object.get("child")?,
            kind: object.get("kind")?,
            units: object.get("units")?,
            from_units: object.get("fromUnits")?,
            source: object.get("source")?,
            human: object.get("human")?,
            reword: wording.get("reword")?,
            set_source: wording.get("setSource")?,
            set_script: object.get("setScript")?,
            is_held: None,
        })
    }

    /// Returns the same helpers for the script of an app, which has its own objects.
    pub(super) fn with_held(mut self, is_held: Function<'js>) -> Self {
        self.is_held = Some(is_held);
        self
    }

    /// Throws the error of an Apple event.
    pub(super) fn throw(&self, ctx: &Ctx<'js>, error: OsError) -> rquickjs::Error {
        match self.failure.call::<_, Js<'js>>((error.message, error.number)) {
            Ok(thrown) => ctx.throw(thrown),
            Err(error) => error,
        }
    }

    /// Returns a string for a stream. Unpaired surrogates become U+FFFD.
    pub(super) fn lossy(&self, text: &rquickjs::String<'js>) -> rquickjs::Result<String> {
        match self.text(text)? {
            Value::Utf16(units) => Ok(String::from_utf16_lossy(&units)),
            other => Ok(other.as_text().unwrap_or_default().to_owned()),
        }
    }

    pub(super) fn text(&self, text: &rquickjs::String<'js>) -> rquickjs::Result<Value> {
        match text.to_string() {
            Ok(text) => Ok(Value::text(text)),
            Err(_) => Ok(Value::Utf16(self.units.call::<_, Vec<u16>>((text.clone(),))?.into())),
        }
    }

    /// Converts a value that a script passes.
    pub(super) fn read(&self, value: &Js<'js>) -> rquickjs::Result<Answer<Value>> {
        if value.is_undefined() || value.is_null() {
            return Ok(Ok(Value::Missing));
        }
        if let Some(truth) = value.as_bool() {
            return Ok(Ok(Value::Bool(truth)));
        }
        if let Some(number) = value.as_number() {
            return Ok(Ok(Value::from(number)));
        }
        if let Some(text) = value.as_string() {
            return Ok(Ok(self.text(text)?));
        }
        if let Some(node) = self.node(value)? {
            return Ok(self.specifier(&node)?.map(Value::Object));
        }
        match value.as_object() {
            Some(object) if !value.is_function() => self.read_object(object),
            _ => Ok(Err(OsError::of(COERCION))),
        }
    }

    fn read_object(&self, object: &Object<'js>) -> rquickjs::Result<Answer<Value>> {
        if let Some(list) = object.as_array() {
            return self.read_list(list);
        }
        if let Some(is_held) = &self.is_held
            && is_held.call::<_, bool>((object.clone(),))?
        {
            return Ok(Ok(Value::Held(ObjectId(object.get("id")?))));
        }
        match self.kind.call::<_, u8>((object.clone(),))? {
            1 => Ok(Ok(Value::Date(self.seconds.call::<_, f64>((object.clone(),))? as i64))),
            2 => Ok(Ok(Value::File(
                Coerced::<String>::from_js(object.ctx(), object.clone().into_value())?.0.into(),
            ))),
            _ => self.read_record(object),
        }
    }

    fn read_list(&self, list: &Array<'js>) -> rquickjs::Result<Answer<Value>> {
        let mut items = Vec::with_capacity(list.len());
        for item in list.iter::<Js<'js>>() {
            match self.read(&item?)? {
                Ok(item) => items.push(item),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(Value::List(items)))
    }

    fn read_record(&self, object: &Object<'js>) -> rquickjs::Result<Answer<Value>> {
        let mut fields: IndexMap<Rc<str>, Value> = IndexMap::new();
        for entry in object.props::<rquickjs::String<'js>, Js<'js>>() {
            let (name, value) = entry?;
            match self.read(&value)? {
                Ok(value) => _ = fields.insert(self.lossy(&name)?.into(), value),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(Value::Record(Box::new(fields))))
    }

    /// Returns the node of a specifier; `None` for any other value.
    pub(super) fn node(&self, value: &Js<'js>) -> rquickjs::Result<Option<Object<'js>>> {
        if !value.is_function() {
            return Ok(None);
        }
        self.node_of.call((value.clone(),))
    }

    /// Converts the node at the end of a path to a specifier.
    pub(super) fn specifier(&self, node: &Object<'js>) -> rquickjs::Result<Answer<Rc<Specifier>>> {
        let kind: u8 = node.get("k")?;
        if kind == ROOT {
            let app: i32 = node.get::<_, Object<'js>>("r")?.get("app")?;
            return Ok(Ok(Specifier::root(root_of(app))));
        }
        if kind == UNSAVED {
            return match node.get::<_, Option<Object<'js>>>("made")? {
                Some(made) => self.specifier(&made),
                None => Ok(Err(OsError::of(NO_SUCH_OBJECT))),
            };
        }
        let of = match self.specifier(&node.get::<_, Object<'js>>("p")?)? {
            Ok(of) => of,
            Err(error) => return Ok(Err(error)),
        };
        let root = of.root;
        Ok(self.step(node, kind, of)?.map(|step| Specifier::then(root, step)))
    }

    fn step(&self, node: &Object<'js>, kind: u8, of: Rc<Specifier>) -> rquickjs::Result<Answer<Step>> {
        let term = || node.get::<_, String>("t").map(Rc::from);
        Ok(Ok(match kind {
            PROPERTY => Step::Property { of, term: term()? },
            ELEMENTS => Step::Elements { of, class: term()? },
            INDEX => Step::Index { of, index: node.get::<_, f64>("v")? as i64 },
            ORDINAL => Step::Ordinal { of, which: ordinal(node.get("v")?) },
            NAME | ID => match self.read(&node.get::<_, Js<'js>>("v")?)? {
                Ok(name) if kind == NAME => Step::Name { of, name },
                Ok(id) => Step::Id { of, id },
                Err(error) => return Ok(Err(error)),
            },
            WHERE => {
                let written: Object<'js> = node.get("v")?;
                match super::test::filter(self, &written)? {
                    Ok(filter) => Step::Where { of, filter: Rc::new(filter) },
                    Err(error) => return Ok(Err(error)),
                }
            }
            MEMBER => Step::Member { of, identifier: term()? },
            INSERTION => Step::Insertion { of, edge: edge(node.get("v")?) },
            _ => return Ok(Err(OsError::of(NO_SUCH_OBJECT))),
        }))
    }
}

fn root_of(app: i32) -> Root {
    match usize::try_from(app) {
        Ok(app) => Root::App(app),
        Err(_) if app == CURRENT => Root::Current,
        Err(_) => Root::It,
    }
}

fn ordinal(which: u8) -> Ordinal {
    match which {
        0 => Ordinal::First,
        1 => Ordinal::Middle,
        2 => Ordinal::Last,
        _ => Ordinal::Any,
    }
}

fn edge(which: u8) -> Edge {
    match which {
        0 => Edge::Beginning,
        1 => Edge::End,
        2 => Edge::Before,
        _ => Edge::After,
    }
}

/// Converts the answers to one event. Paths that many objects share are converted only once.
pub(super) struct Writer<'a, 'js> {
    helpers: &'a Helpers<'js>,
    ctx: &'a Ctx<'js>,
    /// The state that all specifiers of one `Application()` share.
    shared: Object<'js>,
    written: HashMap<*const Specifier, Object<'js>>,
    /// Makes the objects of an app's own script.
    held: Option<Function<'js>>,
}

impl<'a, 'js> Writer<'a, 'js> {
    pub(super) fn new(helpers: &'a Helpers<'js>, ctx: &'a Ctx<'js>, shared: Object<'js>) -> Self {
        Self { helpers, ctx, shared, written: HashMap::new(), held: None }
    }

    /// Returns the same writer for the script of an app, which has its own objects.
    pub(super) fn with_held(mut self, held: Function<'js>) -> Self {
        self.held = Some(held);
        self
    }

    pub(super) fn write(&mut self, value: &Value) -> rquickjs::Result<Js<'js>> {
        let ctx = self.ctx.clone();
        Ok(match value {
            Value::Held(id) => match &self.held {
                Some(held) => held.call((id.0,))?,
                None => Js::new_null(ctx),
            },
            Value::Missing | Value::Data(_) => Js::new_null(ctx),
            Value::Bool(truth) => Js::new_bool(ctx, *truth),
            #[expect(clippy::cast_precision_loss, reason = "JavaScript's numbers are doubles")]
            Value::Int(number) => Js::new_number(ctx, *number as f64),
            Value::Real(number) => Js::new_number(ctx, *number),
            Value::Text(text) | Value::Enumerator(text) => {
                rquickjs::String::from_str(ctx, text)?.into_value()
            }
            Value::Class(class) => {
                rquickjs::String::from_str(ctx, &crate::schema::identifier(class))?.into_value()
            }
            Value::Utf16(units) => self.helpers.from_units.call((units.to_vec(),))?,
            Value::Date(seconds) => self.helpers.local.call((*seconds as f64,))?,
            Value::File(path) => self.helpers.path.call((&**path,))?,
            Value::List(items) => self.list(items)?.into_value(),
            Value::Record(fields) => self.record(fields)?.into_value(),
            Value::Object(specifier) => {
                let node = self.node(specifier)?;
                self.helpers.wrap.call((node,))?
            }
        })
    }

    fn list(&mut self, items: &[Value]) -> rquickjs::Result<Array<'js>> {
        let list = Array::new(self.ctx.clone())?;
        for (at, item) in items.iter().enumerate() {
            list.set(at, self.write(item)?)?;
        }
        Ok(list)
    }

    /// Converts a record to a plain object. `__proto__` is an ordinary key.
    fn record(&mut self, fields: &IndexMap<Rc<str>, Value>) -> rquickjs::Result<Object<'js>> {
        let object = Object::new(self.ctx.clone())?;
        for (name, value) in fields {
            let value = self.write(value)?;
            object.prop(&**name, Property::from(value).writable().enumerable().configurable())?;
        }
        Ok(object)
    }

    fn node(&mut self, specifier: &Rc<Specifier>) -> rquickjs::Result<Object<'js>> {
        if let Some(node) = self.written.get(&Rc::as_ptr(specifier)) {
            return Ok(node.clone());
        }
        let node = self.new_node(specifier)?;
        self.written.insert(Rc::as_ptr(specifier), node.clone());
        Ok(node)
    }

    fn new_node(&mut self, specifier: &Rc<Specifier>) -> rquickjs::Result<Object<'js>> {
        let ctx = self.ctx.clone();
        let nothing = Js::new_undefined(ctx.clone());
        let Some(of) = specifier.of() else { return self.helpers.root.call((self.shared.clone(),)) };
        let parent = self.node(of)?;
        let inherited: Js<'js> = parent.get("c")?;
        let (kind, term, value, class) = match &specifier.step {
            Step::Property { term, .. } => (PROPERTY, &**term, nothing.clone(), nothing),
            Step::Elements { class, .. } => {
                (ELEMENTS, &**class, nothing, rquickjs::String::from_str(ctx, class)?.into_value())
            }
            #[expect(clippy::cast_precision_loss, reason = "an index is far below 2^53")]
            Step::Index { index, .. } => (INDEX, "", Js::new_number(ctx, *index as f64), inherited),
            Step::Name { name, .. } => (NAME, "", self.write(name)?, inherited),
            Step::Id { id, .. } => (ID, "", self.write(id)?, inherited),
            Step::Root
            | Step::Ordinal { .. }
            | Step::Where { .. }
            | Step::Member { .. }
            | Step::Insertion { .. }
            | Step::Each { .. } => (ROOT, "", nothing.clone(), nothing),
        };
        self.helpers.child.call((parent, kind, term, value, class))
    }
}

/// Returns the text of a thrown value, as `String(value)` gives it.
pub(super) fn text_of<'js>(ctx: &Ctx<'js>, value: Js<'js>) -> Option<String> {
    Coerced::<String>::from_js(ctx, value).ok().map(|text| text.0)
}
