//! The functions that the prelude calls: everything that sends an event or touches the process.

use super::convert::{Helpers, Writer};
use crate::event::{Event, Kind};
use crate::os_error::{Answer, NOT_UNDERSTOOD, OsError};
use crate::schema::{Meaning, Member};
use crate::session::Session;
use crate::show;
use crate::specifier::{Root, Specifier, Step};
use crate::value::Value;
use rquickjs::function::Func;
use rquickjs::{Ctx, Function, Object, Value as Js};
use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

/// The session and the prelude's helpers, shared by all native functions.
struct Bridge<'js> {
    session: Rc<Session>,
    helpers: OnceCell<Helpers<'js>>,
}

/// Evaluates the prelude and gives it its native functions.
pub(super) fn install<'js>(
    ctx: &Ctx<'js>,
    session: Rc<Session>,
    prelude: &str,
) -> rquickjs::Result<Helpers<'js>> {
    let bridge = Rc::new(Bridge { session, helpers: OnceCell::new() });
    let native = Object::new(ctx.clone())?;
    define(ctx, &native, &bridge)?;
    let function: Function<'js> = ctx.eval(prelude)?;
    let exports: Object<'js> = function.call((native,))?;
    let helpers = Helpers::from(&exports)?;
    let _ = bridge.helpers.set(helpers.clone());
    let world = &bridge.session.world;
    world.set_now(exports.get::<_, Function<'js>>("now")?.call::<_, f64>(())? as i64);
    if let Some(start) = world.fixed_clock() {
        exports.get::<_, Function<'js>>("setClock")?.call::<_, ()>((start as f64,))?;
    }
    Ok(helpers)
}

/// Defines one native function under its name; the closure gets the bridge first.
macro_rules! native {
    ($object:ident, $bridge:ident, $name:literal, |$it:ident, $ctx:ident $(, $arg:ident : $kind:ty)*| $body:expr) => {{
        let $it = Rc::clone($bridge);
        $object.set($name, Func::from(move |$ctx: Ctx<'js> $(, $arg: $kind)*| $body))?;
    }};
}

fn define<'js>(ctx: &Ctx<'js>, native: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let _ = ctx;
    native!(native, bridge, "application", |it, ctx, target: Js<'js>| it.application(&ctx, &target));
    native!(native, bridge, "meaning", |it, ctx, app: i32, class: Option<String>, key: String| {
        it.meaning(&ctx, app, class.as_deref(), &key)
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
        it.send(&ctx, &node, Kind::Command(name.into()), &arguments)
    });
    native!(native, bridge, "push", |it, ctx, _node: Object<'js>, _value: Js<'js>| {
        it.answered::<Js<'js>>(&ctx, Err(OsError::of(NOT_UNDERSTOOD)))
    });
    native!(native, bridge, "constructorOf", |it, ctx, _node: Object<'js>, _class: String| {
        it.answered::<Js<'js>>(&ctx, Err(OsError::of(NOT_UNDERSTOOD)))
    });
    native!(native, bridge, "className", |it, ctx, node: Option<Object<'js>>| it.class_name(&ctx, node));
    native!(native, bridge, "display", |it, ctx, node: Object<'js>| it.display(&ctx, &node));
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
    fn helpers(&self) -> &Helpers<'js> {
        self.helpers.get().expect("the helpers are set before any script runs")
    }

    fn answered<T>(&self, ctx: &Ctx<'js>, answer: Answer<T>) -> rquickjs::Result<T> {
        answer.map_err(|error| self.helpers().throw(ctx, error))
    }

    fn application(&self, ctx: &Ctx<'js>, target: &Js<'js>) -> rquickjs::Result<i32> {
        let name = match target.as_string() {
            Some(name) => self.helpers().lossy(name)?,
            None => String::new(),
        };
        let found = self.answered(ctx, self.session.find(&name))?;
        Ok(i32::try_from(found).unwrap_or(i32::MAX))
    }

    fn meaning(
        &self,
        ctx: &Ctx<'js>,
        app: i32,
        class: Option<&str>,
        key: &str,
    ) -> rquickjs::Result<Option<Object<'js>>> {
        let known =
            usize::try_from(app).ok().and_then(|at| self.session.world.app(at).schema.meaning(class, key));
        let always = || Session::always(key).then(|| Meaning::Command(key.into()));
        known.or_else(always).map(|meaning| write_meaning(ctx, &meaning)).transpose()
    }

    fn send(
        &self,
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
        let value = match self.without_event(&event) {
            Some(value) => value,
            None => self.answered(ctx, self.session.send(&event))?,
        };
        Writer::new(self.helpers(), ctx, node.get("r")?).write(&value)
    }

    /// What the bridge itself knows of an app: no event is sent, and nothing is launched.
    fn without_event(&self, event: &Event) -> Option<Value> {
        let (Step::Property { of, term }, Kind::Get) = (&event.target.step, &event.kind) else { return None };
        let (Step::Root, Root::App(at)) = (&of.step, of.root) else { return None };
        let app = self.session.world.app(at);
        match &**term {
            "running" => Some(Value::Bool(app.model.borrow().running)),
            "id" => Some(Value::text(app.bundle.id.as_str())),
            "name" => Some(Value::text(app.bundle.name.as_str())),
            _ => None,
        }
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
