//! OmniFocus' own scripts: `evaluate javascript` runs them in a separate context, over the same objects.
//!
//! The model is written in JavaScript. It reads all objects once, as one JSON text, and works on its copy. It reports
//! each change to Rust at once, so the changes of a script that throws later are kept.

mod snapshot;

use super::convert;
use crate::event::{Event, Kind};
use crate::os_error::{Answer, COERCION, FAILED, OsError, SCRIPT};
use crate::session::Session;
use crate::value::specifier::Root;
use crate::value::{ObjectId, Value};
use crate::world::change::{Added, Change};
use crate::world::{App, Changes};
use rquickjs::context::EvalOptions;
use rquickjs::function::{Func, Opt};
use rquickjs::{Context, Ctx, Exception, Function, Object, Value as Js};
use std::rc::Rc;

/// The model's files, in the order in which they build on each other.
const MODEL: [&str; 14] = [
    include_str!("omni/rows.js"),
    include_str!("omni/enumerations.js"),
    include_str!("omni/collections.js"),
    include_str!("omni/status.js"),
    include_str!("omni/repetition.js"),
    include_str!("omni/objects.js"),
    include_str!("omni/tasks.js"),
    include_str!("omni/projects.js"),
    include_str!("omni/sections.js"),
    include_str!("omni/hangings.js"),
    include_str!("omni/database.js"),
    include_str!("omni/windows.js"),
    include_str!("omni/plugins.js"),
    include_str!("omni/system.js"),
];
const CLASSIC: &str = include_str!("omni/classic.js");
const WORDING: &str = include_str!("wording.js");

/// The longest source that the app accepts, in UTF-16 units, as others have measured.
const LONGEST: usize = 261_124;

/// The most timers of one script: more than any real script has, so only an endless one is stopped.
const MOST_TIMERS: usize = 1000;

/// The file name that errors give to an evaluated script.
const FILE: &str = "<omnijs>";

/// Returns the source if an event asks the app's own engine to evaluate a script.
pub(super) fn wanted<'a>(app: &App, event: &'a Event) -> Option<&'a str> {
    let evaluates = matches!(&event.kind, Kind::Command(name) if &**name == "evaluate javascript");
    let has = evaluates && app.model.borrow().omni;
    if has { event.direct.as_ref().and_then(Value::as_text) } else { None }
}

/// The app's own engine, during one event.
pub(super) struct Omni {
    context: Context,
}

impl Omni {
    /// Opens a new context with the app's objects.
    ///
    /// # Errors
    /// The engine does not start, which is a bug of this program.
    pub(super) fn open(session: &Rc<Session>, app: &Rc<App>, changes: &Changes, now: f64) -> Answer<Self> {
        let context = super::start().map_err(|error| broken(&error))?;
        let opened = context.with(|ctx| {
            let place = Place { session: Rc::clone(session), app: Rc::clone(app), changes: changes.clone() };
            install(&ctx, &place, now).map_err(|error| thrown(&ctx, &error))
        });
        opened.map(|()| Self { context })
    }

    /// Evaluates a script and returns its value.
    ///
    /// # Errors
    /// -2700 with the text of the exception; -1700 for a value that has no form outside the engine; -10000 for a
    /// source that is too long.
    pub(super) fn evaluate(&self, source: &str) -> Answer<Value> {
        if source.encode_utf16().count() > LONGEST {
            return Err(OsError::of(FAILED));
        }
        self.context.with(|ctx| {
            let json = run(&ctx, source).map_err(|error| thrown(&ctx, &error))?;
            let json: serde_json::Value =
                serde_json::from_str(&json).map_err(|error| OsError::new(FAILED, error.to_string()))?;
            if json.pointer("/refused").is_some() { Err(OsError::of(COERCION)) } else { value(json) }
        })
    }

    /// Runs a command of the app's dictionary in the model.
    ///
    /// # Errors
    /// -10000 if the model throws, because the app gives no other number.
    pub(super) fn call(&self, name: &str, given: &str) -> Answer<String> {
        self.context.with(|ctx| {
            let call = || ctx.globals().get::<_, Object<'_>>(MODEL_NAME)?.get::<_, Function<'_>>("classic");
            let answer = call().and_then(|call| call.call::<_, String>((name, given)));
            answer.map_err(|error| {
                // Takes the pending exception; otherwise the next call would report it.
                thrown(&ctx, &error);
                OsError::of(FAILED)
            })
        })
    }
}

impl Drop for Omni {
    fn drop(&mut self) {
        // Freeing a heap with ten thousand objects takes time, so it is left to the end of the process.
        std::mem::forget(self.context.clone());
    }
}

/// The global name of the model. Scripts cannot enumerate it.
const MODEL_NAME: &str = "__omni";

/// What the model's native functions need.
#[derive(Clone)]
struct Place {
    session: Rc<Session>,
    app: Rc<App>,
    changes: Changes,
}

fn install(ctx: &Ctx<'_>, place: &Place, now: f64) -> rquickjs::Result<()> {
    let native = Object::new(ctx.clone())?;
    reads(&native, place)?;
    writes(&native, place)?;
    let version = &place.app.bundle.version;
    native.set("version", version.as_str())?;
    native.set("build", "185.15.0")?;
    native.set("planned", !version.starts_with('3'))?;
    let real: f64 = ctx.eval("Date.now()")?;
    native.set("offset", now - real)?;
    let source = format!("(function (native) {{'use strict';\n{}{CLASSIC}}})", MODEL.concat());
    let model: Object<'_> = ctx.eval::<Function<'_>, _>(source)?.call((native,))?;
    ctx.globals().prop(MODEL_NAME, rquickjs::object::Property::from(model))
}

fn reads(native: &Object<'_>, place: &Place) -> rquickjs::Result<()> {
    let at = place.clone();
    let load = move || at.session.look(&at.app, Root::Current, snapshot::write);
    native.set("load", Func::from(load))?;
    let at = place.clone();
    let key = move |salt: u32| {
        let next = at.app.model.borrow().next_id().0;
        crate::birth::short_id(&at.app.bundle.id, next, salt)
    };
    native.set("key", Func::from(key))?;
    let at = place.clone();
    native.set("clipboard", Func::from(move || at.session.additions.pasteboard().text()))?;
    let at = place.clone();
    let set = move |ctx: Ctx<'_>, text: String| {
        let additions = &at.session.additions;
        let set = additions.set_pasteboard(&additions.pasteboard().with_text(&text));
        set.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
    };
    native.set("setClipboard", Func::from(set))
}

fn writes(native: &Object<'_>, place: &Place) -> rquickjs::Result<()> {
    let at = place.clone();
    let set = move |ctx: Ctx<'_>, id: u32, term: String, value: String| {
        let value = stored(&ctx, &value)?;
        at.changes.apply(Change::Set { object: ObjectId(id), term, value });
        rquickjs::Result::Ok(())
    };
    native.set("set", Func::from(set))?;
    let at = place.clone();
    let add = move |ctx: Ctx<'_>,
                    of: u32,
                    listed: String,
                    class: Option<String>,
                    place: Option<usize>,
                    values: String| {
        let values: Vec<(String, Value)> = stored(&ctx, &values)?;
        let new = at.app.model.borrow().next_id();
        at.changes.apply(Change::Add(Added { of: ObjectId(of), listed, class, at: place, values }));
        rquickjs::Result::Ok(new.0)
    };
    native.set("add", Func::from(add))?;
    let at = place.clone();
    let relocate = move |id: u32, to: u32, class: String, place: Opt<Option<usize>>| {
        let place = place.0.flatten();
        at.changes.apply(Change::Move { object: ObjectId(id), to: ObjectId(to), class, at: place });
    };
    native.set("move", Func::from(relocate))?;
    let at = place.clone();
    native.set("remove", Func::from(move |id: u32| at.changes.apply(Change::Remove(ObjectId(id)))))
}

/// Parses what the model wrote, in the format of the journal.
fn stored<T: serde::de::DeserializeOwned>(ctx: &Ctx<'_>, json: &str) -> rquickjs::Result<T> {
    serde_json::from_str(json).map_err(|error| Exception::throw_message(ctx, &error.to_string()))
}

/// Evaluates a script and its pending jobs, and returns its value as JSON.
fn run<'js>(ctx: &Ctx<'js>, source: &str) -> rquickjs::Result<String> {
    let wording: Object<'js> = ctx.eval::<Function<'js>, _>(WORDING)?.call(())?;
    wording.get::<_, Function<'js>>("setSource")?.call::<_, ()>((FILE, source))?;
    ctx.globals()
        .prop("__reword", rquickjs::object::Property::from(wording.get::<_, Function<'js>>("reword")?))?;
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(FILE.to_owned());
    let result: Js<'js> = ctx.eval_with_options(source, options)?;
    while ctx.execute_pending_job() {}
    let model: Object<'js> = ctx.globals().get(MODEL_NAME)?;
    let answer = model.get::<_, Function<'js>>("outward")?.call((result,))?;
    let fire_next: Function<'js> = model.get("fireNext")?;
    // A timer that always sets another one would run for ever.
    for _ in 0..MOST_TIMERS {
        if !fire_next.call::<_, bool>(())? {
            break;
        }
        while ctx.execute_pending_job() {}
    }
    Ok(answer)
}

/// Formats a script's exception as the app does: the app's text, then the error's own text.
fn thrown(ctx: &Ctx<'_>, error: &rquickjs::Error) -> OsError {
    if !error.is_exception() {
        return broken(error);
    }
    let thrown = ctx.catch();
    if let Ok(reword) = ctx.globals().get::<_, Function<'_>>("__reword") {
        // If the stack was exhausted, there was no room to reword the error before.
        let _ = reword.call::<_, ()>((thrown.clone(),));
    }
    OsError::new(SCRIPT, convert::text_of(ctx, thrown).unwrap_or_else(|| "Error".to_owned()))
}

fn broken(error: &rquickjs::Error) -> OsError {
    OsError::new(SCRIPT, format!("Error: {error}"))
}

/// Converts the value of an evaluation.
fn value(json: serde_json::Value) -> Answer<Value> {
    Ok(match json {
        serde_json::Value::Null => Value::Missing,
        serde_json::Value::Bool(truth) => Value::Bool(truth),
        serde_json::Value::Number(number) => Value::from(number.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => Value::text(text),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(value).collect::<Answer<_>>()?),
        serde_json::Value::Object(fields) => match fields.get("date").and_then(serde_json::Value::as_i64) {
            Some(date) => Value::Date(date),
            None => return Err(OsError::of(COERCION)),
        },
    })
}
