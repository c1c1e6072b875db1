//! Runs the script of an app for an event, if the app has one. It adds behaviour that a dictionary cannot describe.

use super::convert::{Writer, text_of};
use super::native::Bridge;
use super::omni::{self, Omni};
use crate::event::{Event, Kind};
use crate::files::Refusal;
use crate::os_error::{Answer, FAILED, OsError, refused_by_script};
use crate::resolve::View;
use crate::session::Behaviour;
use crate::value::specifier::{Edge, Root, Specifier, Step};
use crate::value::{ObjectId, Value};
use crate::world::change::{Added, Change};
use crate::world::model::Place;
use crate::world::{App, Changes};
use rquickjs::function::{Func, Opt};
use rquickjs::{Ctx, Function, Object, Value as Js};
use std::rc::Rc;

const PRELUDE: &str = include_str!("behaviour.js");

/// The JavaScript helpers for scripts of apps.
#[derive(Clone)]
pub(super) struct Stage<'js> {
    pub(super) held: Function<'js>,
    pub(super) is_held: Function<'js>,
    handler: Function<'js>,
    perform: Function<'js>,
}

impl<'js> Stage<'js> {
    pub(super) fn new(ctx: &Ctx<'js>) -> rquickjs::Result<Self> {
        let made: Object<'js> = ctx.eval::<Function<'js>, _>(PRELUDE)?.call((Func::from(refused),))?;
        Ok(Self {
            held: made.get("held")?,
            is_held: made.get("isHeld")?,
            handler: made.get("handler")?,
            perform: made.get("perform")?,
        })
    }
}

/// Refuses with this error number, on behalf of JavaScript.
pub(super) fn refused(number: i32, stack: String) -> i32 {
    refused_by_script(number, &stack)
}

/// Runs the scripts of apps during one event.
pub(super) struct Acting<'a, 'js> {
    pub(super) bridge: &'a Rc<Bridge<'js>>,
    pub(super) ctx: &'a Ctx<'js>,
}

impl Behaviour for Acting<'_, '_> {
    fn perform(&self, app: &Rc<App>, event: &Event, changes: &Changes) -> Option<Answer<Value>> {
        if let Some(source) = omni::wanted(app, event) {
            return Some(self.evaluate(app, changes, event, source));
        }
        let reached = match self.reached(app, event, changes).transpose() {
            Ok(reached) => reached,
            Err(error) => return Some(Err(error)),
        };
        let is_reached = reached.is_some();
        let event = reached.as_ref().unwrap_or(event);
        let handler = match self.handler(app, event) {
            Ok(Some(handler)) => handler,
            Ok(None) if is_reached => return Some(self.bridge.session.by_dictionary(app, event, changes)),
            Ok(None) => return None,
            Err(error) => return Some(Err(self.failed(&error))),
        };
        let root = event.target.root;
        let admitted = self.bridge.session.look(app, root, |view| view.admitted(event));
        if let Err(refusal) = admitted {
            return Some(Err(refusal));
        }
        Some(self.handle(&handler, app, event, changes))
    }
}

impl<'js> Acting<'_, 'js> {
    /// Runs an Omni Automation script inside the app. Its changes are kept even if it throws.
    fn evaluate(&self, app: &Rc<App>, changes: &Changes, event: &Event, source: &str) -> Answer<Value> {
        self.bridge.session.look(app, event.target.root, |view| view.admitted(event))?;
        changes.keep();
        self.omni(app, changes).and_then(|omni| omni.evaluate(source))
    }

    fn omni(&self, app: &Rc<App>, changes: &Changes) -> Answer<Omni> {
        // The current time as the script sees it, which may be that of the world.
        let now: f64 = self.ctx.eval("Date.now()").map_err(|error| self.failed(&error))?;
        Omni::open(&self.bridge.session, app, changes, now)
    }

    /// Returns the event about the objects to which its path leads, if a step of this path is computed by the app's
    /// script: the name of a project's next task. `None` if no step is.
    fn reached(&self, app: &Rc<App>, event: &Event, changes: &Changes) -> Option<Answer<Event>> {
        // How other apps answer on a path through a computed property is not known.
        app.behaviour.as_ref().filter(|_| app.model.borrow().omni)?;
        let reads = matches!(event.kind, Kind::Get | Kind::Set);
        let whole = &event.target;
        // The handler of the event itself computes the last property of a read or a write.
        let target = match &whole.step {
            Step::Property { of, .. } if reads => {
                self.stepwise(app, of, changes).map(|of| of.map(|of| whole.after(of)))
            }
            _ => self.stepwise(app, whole, changes),
        };
        target.map(|target| Ok(Event { target: target?, ..event.clone() }))
    }

    /// Replaces each step that the app's script computes by the objects that it gives. `None` if there is no such step,
    /// or it leads nowhere.
    fn stepwise(
        &self,
        app: &Rc<App>,
        path: &Rc<Specifier>,
        changes: &Changes,
    ) -> Option<Answer<Rc<Specifier>>> {
        let of = match self.stepwise(app, path.of()?, changes).transpose() {
            Ok(of) => of,
            Err(error) => return Some(Err(error)),
        };
        let path = of.map_or_else(|| Reached::Same(path), |of| Reached::Other(path.after(of)));
        let term = match &path.get().step {
            Step::Property { term, .. } => term,
            Step::Elements { class, .. } => class,
            _ => return path.other(),
        };
        // Most steps are not computed, so the script is not asked about them.
        if !app.behaviour.as_ref().is_some_and(|source| source.contains(&**term)) {
            return path.other();
        }
        match self.computed(app, path.get(), changes) {
            Ok(None) => path.other(),
            Ok(Some(found)) => Some(Ok(found)),
            Err(error) => Some(Err(error)),
        }
    }

    /// Asks the app's script for the objects of a property or for elements. `None` if it does not compute them, or if
    /// there is no object.
    fn computed(
        &self,
        app: &Rc<App>,
        path: &Rc<Specifier>,
        changes: &Changes,
    ) -> Answer<Option<Rc<Specifier>>> {
        let get = Event::new(Kind::Get, Rc::clone(path));
        let Some(handler) = self.handler(app, &get).map_err(|error| self.failed(&error))? else {
            return Ok(None);
        };
        let value = self.handle(&handler, app, &get, changes)?;
        self.bridge.session.look(app, path.root, |view| {
            let Some(of) = path.of() else { return Ok(None) };
            // In a column, a missing object stays missing: by the dictionary, there is none.
            let missing = |of: ObjectId| path.after(view.specifier(of));
            let targets = view.meant(of)?;
            Ok(objects(value, path.root, &targets, &missing))
        })
    }

    /// Returns the function of the app's script that handles an event.
    fn handler(&self, app: &Rc<App>, event: &Event) -> rquickjs::Result<Option<Function<'js>>> {
        let Some(source) = &app.behaviour else { return Ok(None) };
        // Most scripts do not handle reads, so they are not evaluated for one.
        if event.kind == Kind::Get && !source.contains("get: {") {
            return Ok(None);
        }
        let script = self.bridge.script(self.ctx, &app.bundle.id, source)?;
        let (kind, name) = match &event.kind {
            Kind::Set | Kind::Get => match &event.target.step {
                Step::Property { term, .. } => (event.kind.name(), Rc::clone(term)),
                Step::Elements { class, .. } if event.kind == Kind::Get => ("elements", Rc::clone(class)),
                _ => return Ok(None),
            },
            Kind::Command(name) if &**name == "make" => ("make", self.made_class(app, event)),
            Kind::Command(name) => ("commands", Rc::clone(name)),
            Kind::Count => return Ok(None),
        };
        self.bridge.stage(self.ctx)?.handler.call((script, kind, &*name))
    }

    fn made_class(&self, app: &Rc<App>, event: &Event) -> Rc<str> {
        let class = event.parameters.get("new").and_then(Value::as_text).unwrap_or_default();
        let found = self.bridge.session.look(app, event.target.root, |view| view.class_named(class));
        found.map_or_else(|_| class.into(), |class| Rc::clone(&class.name))
    }

    fn handle(
        &self,
        handler: &Function<'js>,
        app: &Rc<App>,
        event: &Event,
        changes: &Changes,
    ) -> Answer<Value> {
        let it = self.event(app, event)?;
        let answer = self.describe(&it, app, event, changes).and_then(|()| {
            let answer: Js<'js> = self.bridge.stage(self.ctx)?.perform.call((handler.clone(), it))?;
            self.bridge.read_plain(self.ctx, &answer)
        });
        let value = answer.map_err(|error| self.failed(&error))?;
        Ok(self.bridge.session.look(app, event.target.root, |view| view.outward(value)))
    }

    /// Makes the event object: its targets and its parameters.
    fn event(&self, app: &Rc<App>, event: &Event) -> Answer<Object<'js>> {
        let (targets, direct, parameters) = self.bridge.session.look(app, event.target.root, |view| {
            let about = match (&event.kind, event.target.of()) {
                (Kind::Set | Kind::Get, Some(of)) => of,
                _ => &event.target,
            };
            let direct = event.direct.as_ref().map(|direct| view.inward(direct)).transpose()?;
            let parameters = view.parameters(event)?;
            // If the direct parameter of a command is a list of objects, these are the targets.
            let targets = match &direct {
                Some(Value::List(items)) => items.iter().map(held).collect::<Option<Vec<_>>>(),
                _ => None,
            };
            let targets = targets.filter(|all| !all.is_empty() && matches!(event.kind, Kind::Command(_)));
            Answer::Ok((targets.map_or_else(|| view.meant(about), Ok)?, direct, parameters))
        })?;
        let write = || {
            let it = Object::new(self.ctx.clone())?;
            let targets = Value::List(targets.into_iter().map(Value::Held).collect());
            it.set("targets", self.plain(&targets)?)?;
            it.set("value", self.plain(&direct.unwrap_or(Value::Missing))?)?;
            it.set("parameters", self.plain(&Value::Record(Box::new(parameters)))?)?;
            it.set("place", self.place(app, event)?)?;
            Ok(it)
        };
        write().map_err(|error| self.failed(&error))
    }

    /// Returns the insertion location in an event: at an end of a list, or beside an element.
    fn place(&self, app: &Rc<App>, event: &Event) -> rquickjs::Result<Option<Object<'js>>> {
        let given = event.parameters.get("at").or_else(|| event.parameters.get("to"));
        let Some(Value::Object(place)) = given else { return Ok(None) };
        let Step::Insertion { of, edge } = &place.step else { return Ok(None) };
        let written = Object::new(self.ctx.clone())?;
        written.set("edge", edge.word())?;
        if matches!(edge, Edge::Before | Edge::After) {
            let meant = self.bridge.session.look(app, event.target.root, |view| view.meant(of));
            let beside = meant.ok().and_then(|found| found.first().copied());
            written.set("beside", self.plain(&beside.map_or(Value::Missing, Value::Held))?)?;
        }
        Ok(Some(written))
    }

    fn plain(&self, value: &Value) -> rquickjs::Result<Js<'js>> {
        self.bridge.write_plain(self.ctx, value)
    }

    /// Adds the functions of a handler: to read and change the app's objects, or to leave the event to the
    /// dictionary.
    fn describe(
        &self,
        it: &Object<'js>,
        app: &Rc<App>,
        event: &Event,
        changes: &Changes,
    ) -> rquickjs::Result<()> {
        let place = Stand { bridge: Rc::clone(self.bridge), app: Rc::clone(app), changes: changes.clone() };
        reads(it, &place)?;
        writes(it, &place)?;
        omni_calls(it, &place)?;
        let event = event.clone();
        let otherwise = move |ctx: Ctx<'js>, at: Opt<Object<'js>>| {
            let mut event = event.clone();
            if let Some(at) = at.0 {
                let at = ObjectId(at.get("id")?);
                // An insertion location within that same object is more specific than the object.
                let is_place = |view: &View<'_>| match event.parameters.get("at") {
                    Some(Value::Object(place)) if matches!(place.step, Step::Insertion { .. }) => {
                        view.container(place) == Ok(at)
                    }
                    _ => false,
                };
                if !place.bridge.session.look(&place.app, event.target.root, |view| is_place(view)) {
                    let at =
                        place.bridge.session.look(&place.app, event.target.root, |view| view.specifier(at));
                    event.parameters.insert("at".into(), Value::Object(at));
                }
            }
            let answer = place.bridge.session.by_dictionary(&place.app, &event, &place.changes);
            let answer = answer.map_err(|error| place.bridge.helpers().throw(&ctx, error))?;
            let held = place.bridge.session.look(&place.app, event.target.root, |view| view.inward(&answer));
            place.bridge.write_plain(&ctx, &held.unwrap_or(Value::Missing))
        };
        it.set("otherwise", Func::from(otherwise))
    }

    /// Converts an exception of an app's script: to a refusal if it has an error number, otherwise to a script error.
    fn failed(&self, error: &rquickjs::Error) -> OsError {
        if !error.is_exception() {
            return OsError::new(FAILED, error.to_string());
        }
        let thrown = self.ctx.catch();
        let field =
            |name| thrown.as_object().and_then(|object| object.get::<_, Option<i32>>(name).ok().flatten());
        let message: Option<String> =
            thrown.as_object().and_then(|object| object.get::<_, Option<String>>("message").ok().flatten());
        match (field("errorNumber"), message) {
            (Some(number), Some(message)) if message.is_empty() => OsError::of(number),
            (Some(number), Some(message)) => OsError::new(number, message),
            _ => OsError::new(FAILED, text_of(self.ctx, thrown).unwrap_or_default()),
        }
    }
}

/// A path as it was, or with other steps.
enum Reached<'a> {
    Same(&'a Rc<Specifier>),
    Other(Rc<Specifier>),
}

impl Reached<'_> {
    fn get(&self) -> &Rc<Specifier> {
        match self {
            Self::Same(path) => path,
            Self::Other(path) => path,
        }
    }

    fn other<E>(self) -> Option<Result<Rc<Specifier>, E>> {
        match self {
            Self::Same(_) => None,
            Self::Other(path) => Some(Ok(path)),
        }
    }
}

/// Returns the path to the objects of an answer; `None` if it is not about objects. `targets` are those that were
/// asked.
fn objects(
    value: Value,
    root: Root,
    targets: &[ObjectId],
    missing: &dyn Fn(ObjectId) -> Rc<Specifier>,
) -> Option<Rc<Specifier>> {
    let each = |value, at: usize| match value {
        Value::Missing => targets.get(at).map(|of| missing(*of)),
        value => objects(value, root, &[], missing),
    };
    match value {
        Value::Object(path) => Some(path),
        Value::List(items) => {
            let all: Option<Vec<_>> =
                items.into_iter().enumerate().map(|(at, item)| each(item, at)).collect();
            all.map(|all| Specifier::then(root, Step::Each { all }))
        }
        _ => None,
    }
}

fn held(value: &Value) -> Option<ObjectId> {
    match value {
        Value::Held(id) => Some(*id),
        _ => None,
    }
}

/// What a handler's functions need.
#[derive(Clone)]
struct Stand<'js> {
    bridge: Rc<Bridge<'js>>,
    app: Rc<App>,
    changes: Changes,
}

/// Returns the id of an object that a handler names.
fn id(object: &Object<'_>) -> rquickjs::Result<ObjectId> {
    Ok(ObjectId(object.get("id")?))
}

fn reads<'js>(it: &Object<'js>, place: &Stand<'js>) -> rquickjs::Result<()> {
    let at = place.clone();
    let get = move |ctx: Ctx<'js>, object: Object<'js>, term: String| {
        let of = id(&object)?;
        if term.starts_with('.') {
            let kept = at.look(|view| view.model().value(of, &term).cloned());
            return at.bridge.write_plain(&ctx, &kept.unwrap_or(Value::Missing));
        }
        let found = at.look(|view| view.property(of, &term).map(|found| view.inner(found)));
        let found = found.map_err(|error| at.bridge.helpers().throw(&ctx, error))?;
        at.bridge.write_plain(&ctx, &found)
    };
    it.set("get", Func::from(get))?;
    let at = place.clone();
    let children = move |ctx: Ctx<'js>, object: Object<'js>, class: String| {
        let of = id(&object)?;
        let found = at.look(|view| view.children(of, &class));
        let found = found.map_err(|error| at.bridge.helpers().throw(&ctx, error))?;
        at.bridge.write_plain(&ctx, &Value::List(found.into_iter().map(Value::Held).collect()))
    };
    it.set("children", Func::from(children))?;
    let at = place.clone();
    let stored = move |ctx: Ctx<'js>, object: Object<'js>, class: String| {
        let of = id(&object)?;
        let found = at.look(|view| view.stored(of, &class));
        at.bridge.write_plain(&ctx, &Value::List(found.into_iter().map(Value::Held).collect()))
    };
    it.set("stored", Func::from(stored))?;
    let at = place.clone();
    let class = move |object: Object<'js>| {
        let of = id(&object)?;
        rquickjs::Result::Ok(at.look(|view| view.class(of).name.to_string()))
    };
    it.set("classOf", Func::from(class))?;
    let at = place.clone();
    let container = move |ctx: Ctx<'js>, object: Object<'js>| {
        let place = at.app.model.borrow().object(id(&object)?).place;
        let of = match place {
            Place::Application => Value::Missing,
            Place::Element { of, .. } | Place::Property { of, .. } => Value::Held(of),
        };
        at.bridge.write_plain(&ctx, &of)
    };
    it.set("container", Func::from(container))?;
    let at = place.clone();
    let keyed = move |ctx: Ctx<'js>, key: String| {
        let found = at.app.model.borrow().keyed(&key);
        at.bridge.write_plain(&ctx, &found.map_or(Value::Missing, Value::Held))
    };
    it.set("keyed", Func::from(keyed))?;
    let at = place.clone();
    it.set("application", at.bridge.write_plain(it.ctx(), &Value::Held(crate::value::APP))?)?;
    let now = move |ctx: Ctx<'js>| at.bridge.write_plain(&ctx, &Value::Date(at.bridge.session.world.now()));
    it.set("now", Func::from(now))
}

fn writes<'js>(it: &Object<'js>, place: &Stand<'js>) -> rquickjs::Result<()> {
    let at = place.clone();
    let set = move |ctx: Ctx<'js>, object: Object<'js>, term: String, value: Js<'js>| {
        let value = at.bridge.read_plain(&ctx, &value)?;
        at.changes.apply(Change::Set { object: id(&object)?, term, value });
        rquickjs::Result::Ok(())
    };
    it.set("set", Func::from(set))?;
    let at = place.clone();
    let remove = move |object: Object<'js>| {
        at.changes.apply(Change::Remove(id(&object)?));
        rquickjs::Result::Ok(())
    };
    it.set("remove", Func::from(remove))?;
    let at = place.clone();
    let save = move |path: String, size: i64| {
        // The error number that the app's own message would have.
        at.bridge.session.save(&path, size).err().map(|refusal| match refusal {
            Refusal::Gone | Refusal::NoFolder => -43,
            Refusal::Taken => -48,
            Refusal::Denied => FAILED,
        })
    };
    it.set("save", Func::from(save))?;
    let at = place.clone();
    it.set("sizeOf", Func::from(move |path: String| at.bridge.session.size_of(&path)))?;
    let at = place.clone();
    let text = move |path: String| {
        at.bridge.session.files.read(&path).and_then(|bytes| String::from_utf8(bytes).ok())
    };
    it.set("textOf", Func::from(text))?;
    let at = place.clone();
    let list = move |object: Object<'js>, of: Object<'js>, class: String, listed: bool| {
        at.changes.apply(Change::List { object: id(&object)?, of: id(&of)?, class, listed });
        rquickjs::Result::Ok(())
    };
    it.set("list", Func::from(list))?;
    let at = place.clone();
    let relocate = move |object: Object<'js>, to: Object<'js>, class: String, before: Opt<usize>| {
        at.changes.apply(Change::Move { object: id(&object)?, to: id(&to)?, class, at: before.0 });
        rquickjs::Result::Ok(())
    };
    it.set("move", Func::from(relocate))?;
    let at = place.clone();
    let fresh = move |ctx: Ctx<'js>, object: Object<'js>, term: String| {
        let of = id(&object)?;
        let value = at.look(|view| {
            let class = view.class(of);
            class.property(&term).and_then(|property| view.new_id(property, 0))
        });
        at.bridge.write_plain(&ctx, &value.unwrap_or(Value::Missing))
    };
    it.set("fresh", Func::from(fresh))?;
    let at = place.clone();
    let add = move |ctx: Ctx<'js>, of: Object<'js>, listed: String, values: Js<'js>, class: Opt<String>| {
        let values = match at.bridge.read_plain(&ctx, &values)? {
            Value::Record(fields) => {
                fields.into_iter().map(|(term, value)| (term.to_string(), value)).collect()
            }
            _ => Vec::new(),
        };
        let new = at.app.model.borrow().next_id();
        at.changes.apply(Change::Add(Added { of: id(&of)?, listed, class: class.0, at: None, values }));
        at.bridge.write_plain(&ctx, &Value::Held(new))
    };
    it.set("add", Func::from(add))
}

/// Adds the app's own engine: `omni(name, arguments)` takes and returns JSON, in which objects are numbers.
fn omni_calls<'js>(it: &Object<'js>, place: &Stand<'js>) -> rquickjs::Result<()> {
    let at = place.clone();
    let call = move |ctx: Ctx<'js>, name: String, given: String| {
        let now: f64 = ctx.eval("Date.now()")?;
        let omni = Omni::open(&at.bridge.session, &at.app, &at.changes, now);
        let answer = omni.and_then(|omni| omni.call(&name, &given));
        answer.map_err(|error| at.bridge.helpers().throw(&ctx, error))
    };
    it.set("omni", Func::from(call))?;
    let at = place.clone();
    let held = move |ctx: Ctx<'js>, id: u32| at.bridge.write_plain(&ctx, &Value::Held(ObjectId(id)));
    it.set("held", Func::from(held))
}

impl Stand<'_> {
    fn look<T>(&self, see: impl FnOnce(&View<'_>) -> T) -> T {
        self.bridge.session.look(&self.app, Root::Current, see)
    }
}

impl<'js> Bridge<'js> {
    /// Converts a value for an app's script. Objects become the script's own objects.
    fn write_plain(&self, ctx: &Ctx<'js>, value: &Value) -> rquickjs::Result<Js<'js>> {
        let held = self.stage(ctx)?.held;
        Writer::new(self.helpers(), ctx, Object::new(ctx.clone())?).with_held(held).write(value)
    }

    /// Converts a value that an app's script returns.
    fn read_plain(&self, ctx: &Ctx<'js>, value: &Js<'js>) -> rquickjs::Result<Value> {
        let held = self.stage(ctx)?.is_held;
        let read = self.helpers().clone().with_held(held).read(value)?;
        read.map_err(|error| self.helpers().throw(ctx, error))
    }
}
