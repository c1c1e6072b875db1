//! What the Objective-C bridge needs of the process: streams, files, environment.
//!
//! Files are the real ones, and are only read: the simulated Mac's own folders are Finder's objects.

use super::native::Bridge;
use data_encoding::BASE64;
use rquickjs::function::Func;
use rquickjs::{Ctx, Exception, FromJs, Function, IntoJs, Object, Value as Js};
use std::io::{self, Write as _};
use std::rc::Rc;
use std::time::Duration;

const FOUNDATION: &str = include_str!("foundation.js");

/// A script waits for as much as one read of a pipe gives.
const CHUNK: usize = 64 << 10;

/// Bytes on their way to and from JavaScript: one character for each.
struct Bytes(Vec<u8>);

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

/// Makes `ObjC`, `$` and `Ref`; only a script that uses them pays for them.
pub(super) fn foundation<'js>(ctx: &Ctx<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<Object<'js>> {
    let system = Object::new(ctx.clone())?;
    streams(&system)?;
    texts(&system)?;
    files(&system)?;
    process(&system)?;
    apps(&system, bridge)?;
    let function: Function<'js> = ctx.eval(FOUNDATION)?;
    function.call((system,))
}

fn streams<'js>(system: &Object<'js>) -> rquickjs::Result<()> {
    let read = |ctx: Ctx<'js>, most: usize| bytes(&ctx, read_some(most));
    system.set("available", Func::from(move |ctx: Ctx<'js>| read(ctx, CHUNK)))?;
    system.set("read", Func::from(|ctx: Ctx<'js>, length: usize| bytes(&ctx, read_exactly(length))))?;
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

/// Waits for input and takes what is there; nothing is the end.
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

fn texts<'js>(system: &Object<'js>) -> rquickjs::Result<()> {
    system.set("decode", Func::from(|Bytes(data): Bytes| String::from_utf8(data).ok()))?;
    // A lone surrogate has no UTF-8: the bridge's answer to that is nil.
    let encode = |text: rquickjs::String<'js>| text.to_string().ok().map(|text| Bytes(text.into_bytes()));
    system.set("encode", Func::from(encode))?;
    system.set("base64", Func::from(|Bytes(data): Bytes| BASE64.encode(&data)))
}

fn files<'js>(system: &Object<'js>) -> rquickjs::Result<()> {
    system.set("readFile", Func::from(|path: String| std::fs::read(path).ok().map(Bytes)))?;
    system.set("writeFile", Func::from(|_path: String, _data: Js<'js>| false))?;
    system.set("exists", Func::from(|path: String| std::path::Path::new(&path).exists()))?;
    let list = |path: String| {
        let entries = std::fs::read_dir(path).ok()?;
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        Some(names)
    };
    system.set("list", Func::from(list))?;
    let folder =
        || std::env::current_dir().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    system.set("folder", Func::from(folder))
}

fn process<'js>(system: &Object<'js>) -> rquickjs::Result<()> {
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
    system.set(
        "pathOf",
        Func::from(move |name: String| {
            let found = it.session.world.find(&name).ok().flatten();
            found.map(|at| it.session.world.path_of(&it.session.world.app(at)))
        }),
    )?;
    let it = Rc::clone(bridge);
    let running = move |ctx: Ctx<'js>| {
        let apps = it.session.world.running().unwrap_or_default();
        let objects = apps.into_iter().zip(300..).map(|((name, id, active), pid)| {
            let object = Object::new(ctx.clone())?;
            object.set("name", name)?;
            object.set("id", id)?;
            object.set("active", active)?;
            object.set("pid", pid)?;
            Ok(object)
        });
        objects.collect::<rquickjs::Result<Vec<Object<'js>>>>()
    };
    system.set("running", Func::from(running))
}
