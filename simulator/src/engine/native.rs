//! The native functions that the prelude calls: everything that sends an event or affects the process.

use super::behaviour::{Acting, Stage};
use super::convert::{Helpers, Writer};
use crate::command;
use crate::event::{Event, Kind};
use crate::os_error::{Answer, COERCION, refuse};
use crate::schema::{Meaning, Member};
use crate::session::Session;
use crate::show;
use crate::value::Value;
use crate::value::specifier::{Root, Specifier, Step};
use rquickjs::function::Func;
use rquickjs::{Ctx, Function, Object, Value as Js};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

const PRELUDE: &str = include_str!("prelude.js");
const ADDITIONS: &str = include_str!("additions.js");
const WORDING: &str = include_str!("wording.js");

/// Modifiers that may accompany an event's parameters. They have no effect here.
const MODIFIERS: [&str; 3] = ["timeout", "ignoring", "considering"];

/// The session and the prelude's helpers, which all native functions share.
pub(super) struct Bridge<'js> {
    pub(super) session: Rc<Session>,
    helpers: OnceCell<Helpers<'js>>,
    stage: OnceCell<Stage<'js>>,
    /// The scripts of apps by bundle id.
    scripts: RefCell<HashMap<String, Object<'js>>>,
    /// The number of UUIDs that were generated.
    uuids: Cell<u32>,
}

/// Evaluates the prelude and passes it the native functions.
pub(super) fn install<'js>(ctx: &Ctx<'js>, session: Rc<Session>) -> rquickjs::Result<Helpers<'js>> {
    let bridge = Rc::new(Bridge {
        session,
        helpers: OnceCell::new(),
        stage: OnceCell::new(),
        scripts: RefCell::default(),
        uuids: Cell::default(),
    });
    let native = Object::new(ctx.clone())?;
    define(ctx, &native, &bridge)?;
    let wording: Object<'js> = ctx.eval::<Function<'js>, _>(WORDING)?.call(())?;
    let exports: Object<'js> = ctx.eval::<Function<'js>, _>(PRELUDE)?.call((native,))?;
    let helpers = Helpers::from(&exports, &wording)?;
    let _ = bridge.helpers.set(helpers.clone());
    let world = &bridge.session.world;
    world.set_clock(exports.get::<_, Function<'js>>("now")?.call::<_, f64>(())? as i64);
    if let Some(start) = world.fixed_clock() {
        exports.get::<_, Function<'js>>("setClock")?.call::<_, ()>((start as f64,))?;
    }
    Ok(helpers)
}

/// Defines one native function. The closure gets the bridge as its first argument.
macro_rules! native {
    ($object:ident, $bridge:ident, $name:literal, |$it:ident, $ctx:ident $(, $arg:ident : $kind:ty)*| $body:expr) => {{
        let $it = Rc::clone($bridge);
        $object.set($name, Func::from(move |$ctx: Ctx<'js> $(, $arg: $kind)*| $body))?;
    }};
}

fn define<'js>(ctx: &Ctx<'js>, native: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let _ = ctx;
    native!(native, bridge, "application", |it, ctx, target: Js<'js>| it.application(&ctx, &target));
    native!(native, bridge, "meaning", |it,
                                        ctx,
                                        app: i32,
                                        class: Option<String>,
                                        key: String,
                                        strict: u8| {
        it.meaning(&ctx, app, class.as_deref(), (&key, strict))
    });
    native!(native, bridge, "get", |it, ctx, node: Object<'js>, arguments: Vec<Js<'js>>| {
        it.send(&ctx, &node, Kind::Get, &arguments)
    });
    native!(native, bridge, "count", |it, ctx, node: Object<'js>| it.send(&ctx, &node, Kind::Count, &[]));
    native!(native, bridge, "set", |it, ctx, node: Object<'js>, value: Js<'js>| {
        it.send(&ctx, &node, Kind::Set, &[value])
    });
    native!(native, bridge, "command", |it,
                                        ctx,
                                        node: Object<'js>,
                                        name: String,
                                        arguments: Vec<Js<'js>>| {
        it.command(&ctx, &node, &name, &arguments)
    });
    native!(native, bridge, "make", |it, ctx, unsaved: Object<'js>, at: Option<Object<'js>>| {
        it.make(&ctx, &unsaved, at)
    });
    native!(native, bridge, "className", |it, ctx, node: Option<Object<'js>>| it.class_name(&ctx, node));
    native!(native, bridge, "display", |it, ctx, node: Object<'js>| it.display(&ctx, &node));
    super::extras::define(native, bridge)?;
    native!(native, bridge, "additions", |_it, ctx| super::named::<Function<'js>>(
        &ctx, ADDITIONS, "additions.js"
    ));
    native.set("refused", Func::from(super::behaviour::refused))?;
    native!(native, bridge, "foundation", |it, ctx| super::system::foundation(&ctx, &it));
    native!(native, bridge, "delay", |_it, _ctx, seconds: f64| {
        std::thread::sleep(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    });
    native!(native, bridge, "log", |it, _ctx, text: rquickjs::String<'js>| {
        crate::output::complain(&it.helpers().lossy(&text)?);
        rquickjs::Result::Ok(())
    });
    Ok(())
}

impl<'js> Bridge<'js> {
    pub(super) fn helpers(&self) -> &Helpers<'js> {
        self.helpers.get().expect("the helpers are set before any script runs")
    }

    pub(super) fn next_uuid(&self) -> u32 {
        self.uuids.replace(self.uuids.get() + 1)
    }

    /// Returns the environment of the apps' scripts, which is made on first use.
    pub(super) fn stage(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Stage<'js>> {
        if self.stage.get().is_none() {
            let _ = self.stage.set(Stage::new(ctx)?);
        }
        Ok(self.stage.get().expect("it was just set").clone())
    }

    /// An app's script, evaluated once.
    pub(super) fn script(&self, ctx: &Ctx<'js>, app: &str, source: &str) -> rquickjs::Result<Object<'js>> {
        if let Some(script) = self.scripts.borrow().get(app) {
            return Ok(script.clone());
        }
        let script: Object<'js> = super::named(ctx, source, &format!("{app}.js"))?;
        self.scripts.borrow_mut().insert(app.to_owned(), script.clone());
        Ok(script)
    }

    pub(super) fn answered<T>(&self, ctx: &Ctx<'js>, answer: Answer<T>) -> rquickjs::Result<T> {
        answer.map_err(|error| self.helpers().throw(ctx, error))
    }

    fn application(&self, ctx: &Ctx<'js>, target: &Js<'js>) -> rquickjs::Result<i32> {
        let name = match (target.as_string(), target.as_number()) {
            (Some(name), _) => self.helpers().lossy(name)?,
            (None, Some(process)) => self.session.app_of_process(process as i64).unwrap_or_default(),
            (None, None) => String::new(),
        };
        let found = self.answered(ctx, self.session.find(&name))?;
        Ok(i32::try_from(found).unwrap_or(i32::MAX))
    }

    fn meaning(
        &self,
        ctx: &Ctx<'js>,
        app: i32,
        class: Option<&str>,
        (key, strict): (&str, u8),
    ) -> rquickjs::Result<Option<Object<'js>>> {
        let app = usize::try_from(app).ok().map(|at| self.session.world.app(at));
        let known = app.and_then(|app| {
            app.schema.meaning(class, key).filter(|meaning| app.schema.allows(class, meaning, strict))
        });
        let always = || command::always(key).then(|| Meaning::Command(key.into()));
        known.or_else(always).map(|meaning| write_meaning(ctx, &meaning)).transpose()
    }

    fn send(
        self: &Rc<Self>,
        ctx: &Ctx<'js>,
        node: &Object<'js>,
        kind: Kind,
        arguments: &[Js<'js>],
    ) -> rquickjs::Result<Js<'js>> {
        let specifier = self.helpers().specifier(node)?;
        let target = self.answered(ctx, specifier)?;
        let mut event = Event::new(kind, target);
        if let Some(first) = arguments.first() {
            let direct = self.helpers().read(first)?;
            event.direct = Some(self.answered(ctx, direct)?);
        }
        self.reply(ctx, node, &event)
    }

    /// Sends an event, and converts its answer for the same application object.
    fn reply(
        self: &Rc<Self>,
        ctx: &Ctx<'js>,
        node: &Object<'js>,
        event: &Event,
    ) -> rquickjs::Result<Js<'js>> {
        let known = self.without_event(event);
        let value = match self.answered(ctx, known)? {
            Some(value) => value,
            None => self.answered(ctx, self.session.send(event, &Acting { bridge: self, ctx }))?,
        };
        Writer::new(self.helpers(), ctx, node.get("r")?).write(&value)
    }

    /// Answers what the bridge itself knows about an app, without an event or a launch.
    fn without_event(&self, event: &Event) -> Answer<Option<Value>> {
        let (Step::Property { of, term }, Kind::Get) = (&event.target.step, &event.kind) else {
            return Ok(None);
        };
        let (Step::Root, Root::App(at)) = (&of.step, of.root) else { return Ok(None) };
        let app = self.session.world.app(at);
        Ok(match &**term {
            "running" => Some(Value::Bool(self.session.is_running(&app)?)),
            "id" => Some(Value::text(app.bundle.id.as_str())),
            "name" => Some(Value::text(app.bundle.name.as_str())),
            // Measured for the name only; a script must not take a version as a sign that the app answers.
            "version" => Some(Value::text(app.bundle.version.as_str())),
            _ => None,
        })
    }

    /// Sends a command. Its direct parameter is the object that it is called on or, for an application, the first
    /// argument.
    fn command(
        self: &Rc<Self>,
        ctx: &Ctx<'js>,
        node: &Object<'js>,
        name: &str,
        arguments: &[Js<'js>],
    ) -> rquickjs::Result<Js<'js>> {
        let specifier = self.helpers().specifier(node)?;
        let target = self.answered(ctx, specifier)?;
        let direct_first = target.of().is_none() && self.takes_direct(target.root, name);
        let mut event = Event::new(Kind::Command(name.into()), target);
        if direct_first {
            let direct = arguments.first().map(|first| self.helpers().read(first)).transpose()?;
            match self.answered(ctx, direct.transpose())? {
                None | Some(Value::Missing) => (),
                Some(Value::Object(specifier)) => event.target = specifier,
                direct => event.direct = direct,
            }
        }
        if let Some(named) = arguments.get(usize::from(direct_first)) {
            let named = self.helpers().read(named)?;
            let named = self.answered(ctx, named)?;
            self.answered(ctx, self.name_parameters(&mut event, named))?;
        }
        self.reply(ctx, node, &event)
    }

    fn takes_direct(&self, root: Root, name: &str) -> bool {
        let Root::App(at) = root else { return false };
        let app = self.session.world.app(at);
        let mut definitions = app.schema.commands(name).peekable();
        definitions.peek().is_none() || definitions.any(|definition| definition.direct.is_some())
    }

    /// Adds the named parameters. A parameter that the command does not have is an error.
    fn name_parameters(&self, event: &mut Event, named: Value) -> Answer<()> {
        let (Root::App(at), Kind::Command(name)) = (event.target.root, &event.kind) else { return Ok(()) };
        let app = self.session.world.app(at);
        let fields = match named {
            Value::Missing => return Ok(()),
            Value::Record(fields) => *fields,
            _ => return refuse(COERCION),
        };
        for (key, value) in fields {
            let mut parameters = app.schema.commands(name).flat_map(|definition| &definition.parameters);
            if parameters.any(|parameter| crate::schema::identifier(&parameter.name) == key) {
                event.parameters.insert(key, value);
            } else if !MODIFIERS.contains(&&*key) {
                return refuse(COERCION);
            }
        }
        Ok(())
    }

    /// Makes an object that a script constructed, in a container's elements or where the app puts it.
    fn make(
        self: &Rc<Self>,
        ctx: &Ctx<'js>,
        unsaved: &Object<'js>,
        at: Option<Object<'js>>,
    ) -> rquickjs::Result<Js<'js>> {
        let app: i32 = unsaved.get::<_, Object<'js>>("r")?.get("app")?;
        let root = usize::try_from(app).map_or(Root::Current, Root::App);
        let mut event = Event::new(Kind::Command("make".into()), Specifier::root(root));
        event.parameters.insert("new".into(), Value::text(unsaved.get::<_, String>("t")?));
        let written: Object<'js> = unsaved.get("v")?;
        for (key, parameter) in [("properties", "withProperties"), ("data", "withData")] {
            let value = self.helpers().read(&written.get(key)?)?;
            let value = self.answered(ctx, value)?;
            if value != Value::Missing {
                event.parameters.insert(parameter.into(), value);
            }
        }
        if let Some(at) = at {
            let at = self.helpers().specifier(&at)?;
            event.parameters.insert("at".into(), Value::Object(self.answered(ctx, at)?));
        }
        self.reply(ctx, unsaved, &event)
    }

    fn display(&self, ctx: &Ctx<'js>, node: &Object<'js>) -> rquickjs::Result<String> {
        let specifier = self.helpers().specifier(node)?;
        let specifier = self.answered(ctx, specifier)?;
        Ok(show::source(&self.session.world, &specifier))
    }

    fn class_name(&self, ctx: &Ctx<'js>, node: Option<Object<'js>>) -> rquickjs::Result<Option<String>> {
        let Some(node) = node else { return Ok(None) };
        let specifier = self.helpers().specifier(&node)?;
        let specifier: Rc<Specifier> = self.answered(ctx, specifier)?;
        Ok(match &specifier.step {
            Step::Root => Some("application".to_owned()),
            _ => {
                node.get::<_, Option<String>>("c")?.map(|class| crate::schema::identifier(&class).to_string())
            }
        })
    }
}

fn write_meaning<'js>(ctx: &Ctx<'js>, meaning: &Meaning) -> rquickjs::Result<Object<'js>> {
    let (kind, term, class) = match meaning {
        Meaning::Member(Member::Property { term, class }) => ("property", term, class.as_deref()),
        Meaning::Member(Member::Elements { class }) => ("elements", class, Some(&**class)),
        Meaning::Command(name) => ("command", name, None),
        Meaning::Constructor(class) => ("constructor", class, None),
    };
    let object = Object::new(ctx.clone())?;
    object.set("kind", kind)?;
    object.set("term", &**term)?;
    object.set("class", class)?;
    Ok(object)
}
