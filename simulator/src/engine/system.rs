//! What the Objective-C bridge needs from the process: streams, environment, apps, the pasteboard.

use super::native::Bridge;
use crate::files::Kind;
use data_encoding::BASE64;
use rquickjs::function::{Func, Opt};
use rquickjs::{Ctx, Exception, FromJs, Function, IntoJs, Object, Value as Js};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Write as _};
use std::rc::Rc;
use std::time::{Duration, Instant};

const FOUNDATION: &str = include_str!("foundation.js");

/// The parts of the bridge. Each is evaluated when a script first names one of its classes.
const PARTS: [(&str, &str); 9] = [
    ("values", include_str!("foundation/values.js")),
    ("dates", include_str!("foundation/dates.js")),
    ("files", include_str!("foundation/files.js")),
    ("running", include_str!("foundation/running.js")),
    ("appkit", include_str!("foundation/appkit.js")),
    ("eventkit", include_str!("foundation/eventkit.js")),
    ("references", include_str!("foundation/references.js")),
    ("texts", include_str!("foundation/texts.js")),
    ("subclasses", include_str!("foundation/subclasses.js")),
];

/// The most bytes of one read, as much as one read from a pipe returns.
const CHUNK: usize = 64 << 10;

/// Bytes passed to and from JavaScript, as a string with one character for each.
pub(super) struct Bytes(pub(super) Vec<u8>);

impl<'js> FromJs<'js> for Bytes {
    fn from_js(ctx: &Ctx<'js>, value: Js<'js>) -> rquickjs::Result<Self> {
        let text = String::from_js(ctx, value)?;
        let bytes: Result<Vec<u8>, _> = text.chars().map(|c| u8::try_from(u32::from(c))).collect();
        bytes.map(Self).map_err(|_| Exception::throw_message(ctx, "expected one character for each byte"))
    }
}

impl<'js> IntoJs<'js> for Bytes {
    fn into_js(self, ctx: &Ctx<'js>) -> rquickjs::Result<Js<'js>> {
        let text = match String::from_utf8(self.0) {
            Ok(text) if text.is_ascii() => text,
            Ok(text) => text.bytes().map(char::from).collect(),
            Err(error) => error.into_bytes().into_iter().map(char::from).collect(),
        };
        text.into_js(ctx)
    }
}

/// Makes `ObjC`, `$` and `Ref`. Only a script that uses them takes the time for that.
pub(super) fn foundation<'js>(ctx: &Ctx<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<Object<'js>> {
    let system = Object::new(ctx.clone())?;
    streams(&system)?;
    texts(&system)?;
    super::disk::define(&system, bridge)?;
    process(&system, bridge)?;
    apps(&system, bridge)?;
    shell(&system, bridge)?;
    pasteboard(&system, bridge)?;
    super::eventkit::define(&system, bridge)?;
    system.set("part", Func::from(part))?;
    let function: Function<'js> = ctx.eval(FOUNDATION)?;
    function.call((system,))
}

fn part<'js>(ctx: Ctx<'js>, name: String) -> rquickjs::Result<Function<'js>> {
    let found = PARTS.iter().find(|(each, _)| *each == name);
    let (_, source) = found.ok_or_else(|| Exception::throw_message(&ctx, "the bridge has no such part"))?;
    ctx.eval(*source)
}

fn streams<'js>(system: &Object<'js>) -> rquickjs::Result<()> {
    let read = |ctx: Ctx<'js>, most: usize| bytes(&ctx, read_some(most));
    system.set("available", Func::from(move |ctx: Ctx<'js>| read(ctx, CHUNK)))?;
    system.set("read", Func::from(|ctx: Ctx<'js>, length: usize| bytes(&ctx, read_exactly(length))))?;
    system.set("readable", Func::from(readable))?;
    system.set("readAll", Func::from(|ctx: Ctx<'js>| bytes(&ctx, read_exactly(usize::MAX))))?;
    let write = |ctx: Ctx<'js>, to: i32, Bytes(data): Bytes| {
        let written = match to {
            1 => io::stdout().lock().write_all(&data).and_then(|()| io::stdout().flush()),
            _ => io::stderr().lock().write_all(&data),
        };
        written.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
    };
    system.set("write", Func::from(write))
}

/// Whether input or its end arrives before this many seconds have passed.
fn readable(seconds: f64) -> bool {
    let stdin = io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
    let time = Duration::try_from_secs_f64(seconds).ok().and_then(|time| Timespec::try_from(time).ok());
    poll(&mut polled, time.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Waits for input and reads it. An empty result means the end.
fn read_some(most: usize) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; most];
    loop {
        match rustix::io::read(io::stdin(), &mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Err(rustix::io::Errno::INTR) => (),
            Err(error) => return Err(error.into()),
        }
    }
}

fn read_exactly(length: usize) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    while all.len() < length {
        let part = read_some(CHUNK.min(length - all.len()))?;
        if part.is_empty() {
            break;
        }
        all.extend(part);
    }
    Ok(all)
}

fn bytes(ctx: &Ctx<'_>, read: io::Result<Vec<u8>>) -> rquickjs::Result<Bytes> {
    read.map(Bytes).map_err(|error| Exception::throw_message(ctx, &error.to_string()))
}

pub(super) fn texts<'js>(system: &Object<'js>) -> rquickjs::Result<()> {
    system.set("decode", Func::from(|Bytes(data): Bytes| String::from_utf8(data).ok()))?;
    // An unpaired surrogate cannot be encoded in UTF-8, for which the bridge returns nil.
    let encode = |text: rquickjs::String<'js>| text.to_string().ok().map(|text| Bytes(text.into_bytes()));
    system.set("encode", Func::from(encode))?;
    system.set("unbase64", Func::from(|text: String| BASE64.decode(text.as_bytes()).ok().map(Bytes)))?;
    system.set("base64", Func::from(|Bytes(data): Bytes| BASE64.encode(&data)))
}

fn process<'js>(system: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let arguments = move || std::env::args_os().map(text).collect::<Vec<String>>();
    system.set("arguments", Func::from(arguments))?;
    let environment = move || {
        let pairs = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        pairs.collect::<std::collections::HashMap<String, String>>()
    };
    system.set("environment", Func::from(environment))?;
    system.set("getenv", Func::from(move |name: String| std::env::var_os(name).map(text)))?;
    system.set("pid", Func::from(std::process::id))?;
    let it = Rc::clone(bridge);
    let folder = move || it.session.files.here().to_string_lossy().into_owned();
    system.set("folder", Func::from(folder))?;
    let it = Rc::clone(bridge);
    let enter = move |path: String| {
        let whole = it.session.files.here().join(path);
        let is_folder = it.session.file_kind(&whole.to_string_lossy()) == Kind::Folder;
        if is_folder {
            it.session.files.enter(&whole.to_string_lossy());
            // A shell starts there too, if this machine has the folder.
            let _ = std::env::set_current_dir(whole);
        }
        is_folder
    };
    system.set("enter", Func::from(enter))?;
    let started = Instant::now();
    system.set("uptime", Func::from(move || 100_000.0 + started.elapsed().as_secs_f64()))?;
    system.set("exit", Func::from(|status: i32| -> () { std::process::exit(status & 0xFF) }))?;
    system.set(
        "sleep",
        Func::from(|time: f64| {
            std::thread::sleep(Duration::try_from_secs_f64(time).unwrap_or_default());
        }),
    )?;
    system.set("log", Func::from(|line: String| crate::output::complain(&line)))
}

fn apps<'js>(system: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    system.set("home", Func::from(move || it.session.world.mac.home.clone()))?;
    let it = Rc::clone(bridge);
    system.set("user", Func::from(move || it.session.world.mac.user.clone()))?;
    let it = Rc::clone(bridge);
    let uuid = move || crate::birth::unique(&std::process::id().to_string(), it.next_uuid());
    system.set("uuid", Func::from(uuid))?;
    let it = Rc::clone(bridge);
    system.set(
        "pathOf",
        Func::from(move |name: String| {
            let found = it.session.world.find(&name).ok().flatten();
            found.map(|at| it.session.world.path_of(&it.session.world.app(at)))
        }),
    )?;
    let it = Rc::clone(bridge);
    system.set("open", Func::from(move |target: String| it.session.open(&target)))?;
    let it = Rc::clone(bridge);
    let permission = move |target: String, asks: bool| it.session.permission(&target, asks);
    system.set("permission", Func::from(permission))?;
    let it = Rc::clone(bridge);
    system.set("accessibility", Func::from(move || it.session.conditions.accessibility()))?;
    let it = Rc::clone(bridge);
    let responsible = move || {
        let consent = it.session.conditions.consent.as_ref()?;
        consent.responsible().map(str::to_owned)
    };
    system.set("responsible", Func::from(responsible))?;
    let it = Rc::clone(bridge);
    let definition = move |ctx: Ctx<'js>, path: String| {
        it.session.world.definition(&path).map(|found| bytes(&ctx, Ok(found))).transpose()
    };
    system.set("definition", Func::from(definition))?;
    let it = Rc::clone(bridge);
    let running = move |ctx: Ctx<'js>| {
        let apps = it.session.world.running().unwrap_or_default();
        let objects = apps.into_iter().zip(300..).map(|((name, id, active), pid)| {
            let object = Object::new(ctx.clone())?;
            object.set("name", name)?;
            object.set("active", active)?;
            object.set("pid", it.session.number_of(&id).unwrap_or(pid))?;
            object.set("id", id)?;
            Ok(object)
        });
        objects.collect::<rquickjs::Result<Vec<Object<'js>>>>()
    };
    system.set("running", Func::from(running))
}

/// Runs the shell commands that the world allows.
fn shell<'js>(system: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    let run = move |ctx: Ctx<'js>, command: String, shown: Opt<String>| {
        let done = it.session.additions.shell(shown.0.as_ref().unwrap_or(&command), &command).transpose();
        let done = done.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
        done.map(|done| super::extras::write_done(&ctx, done)).transpose()
    };
    system.set("spawn", Func::from(run))
}

fn pasteboard<'js>(system: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    let get = move || serde_json::to_string(&it.session.additions.pasteboard()).unwrap_or_default();
    system.set("pasteboard", Func::from(get))?;
    let it = Rc::clone(bridge);
    let set = move |ctx: Ctx<'js>, text: String| {
        let kept = serde_json::from_str(&text).map_err(|error| error.to_string());
        let done = kept
            .and_then(|kept| it.session.additions.set_pasteboard(&kept).map_err(|error| error.to_string()));
        done.map_err(|error| Exception::throw_message(&ctx, &error))
    };
    system.set("setPasteboard", Func::from(set))
}
