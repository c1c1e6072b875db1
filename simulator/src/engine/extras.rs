//! Native functions of Standard Additions and libraries.

use super::native::Bridge;
use crate::additions::{Dialog, Done};
use crate::os_error::OsError;
use rquickjs::function::Func;
use rquickjs::{Ctx, Exception, Object, Value as Js};
use std::path::PathBuf;
use std::rc::Rc;

/// Adds the native functions that the prelude needs for Standard Additions and `Library`.
pub(super) fn define<'js>(native: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    dialogs(native, bridge)?;
    clipboard(native, bridge)?;
    volume(native, bridge)?;
    files(native, bridge)?;
    let it = Rc::clone(bridge);
    let shell = move |ctx: Ctx<'js>, command: String| {
        let done = it.session.additions.shell(&command, &command).transpose();
        let done = done.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
        done.map(|done| write_done(&ctx, done)).transpose()
    };
    native.set("shell", Func::from(shell))?;
    let it = Rc::clone(bridge);
    let addition = move |ctx: Ctx<'js>, node: Object<'js>, command: String| {
        let specifier = it.helpers().specifier(&node)?;
        let target = it.answered(&ctx, specifier)?;
        it.session.addition(&target, &command);
        rquickjs::Result::Ok(())
    };
    native.set("addition", Func::from(addition))
}

fn dialogs<'js>(native: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    let dialog = move |ctx: Ctx<'js>, command: String, shown: String| {
        it.session.additions.answer(&command, &shown).map(|dialog| write_dialog(&ctx, dialog)).transpose()
    };
    native.set("dialog", Func::from(dialog))
}

fn write_dialog<'js>(ctx: &Ctx<'js>, dialog: &Dialog) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("button", dialog.button.clone())?;
    object.set("text", dialog.text.clone())?;
    object.set("choose", dialog.choose.clone())?;
    object.set("path", dialog.path.clone())?;
    object.set("paths", dialog.paths.clone())?;
    object.set("cancel", dialog.cancel)?;
    object.set("after", dialog.after)?;
    Ok(object)
}

pub(super) fn write_done<'js>(ctx: &Ctx<'js>, done: Done) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("status", done.status)?;
    object.set("out", done.out)?;
    object.set("err", done.err)?;
    Ok(object)
}

fn clipboard<'js>(native: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    native.set("clipboard", Func::from(move || it.session.additions.pasteboard().text()))?;
    let it = Rc::clone(bridge);
    let set = move |ctx: Ctx<'js>, text: String| {
        let additions = &it.session.additions;
        let set = additions.set_pasteboard(&additions.pasteboard().with_text(&text));
        set.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
    };
    native.set("setClipboard", Func::from(set))
}

fn volume<'js>(native: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    native.set("volume", Func::from(move || it.session.additions.volume()))?;
    let it = Rc::clone(bridge);
    let set = move |ctx: Ctx<'js>, settings: String| {
        let set = it.session.additions.set_volume(&settings);
        set.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
    };
    native.set("setVolume", Func::from(set))
}

fn files<'js>(native: &Object<'js>, bridge: &Rc<Bridge<'js>>) -> rquickjs::Result<()> {
    let it = Rc::clone(bridge);
    native.set("home", Func::from(move || it.session.world.mac.home.clone()))?;
    native.set("getenv", Func::from(|name: String| std::env::var(name).ok()))?;
    super::disk::define(native, bridge)?;
    super::system::texts(native)?;
    let it = Rc::clone(bridge);
    native.set("frontmost", Func::from(move || it.session.frontmost_path()))?;
    let it = Rc::clone(bridge);
    let path_of = move |app: Js<'js>| {
        let node = it.helpers().node(&app)?;
        let at = node.map(|node| node.get::<_, Object<'js>>("r")?.get::<_, i32>("app")).transpose()?;
        let app = at.and_then(|at| usize::try_from(at).ok()).map(|at| it.session.world.app(at));
        rquickjs::Result::Ok(app.map(|app| it.session.world.path_of(&app)))
    };
    native.set("pathOf", Func::from(path_of))?;
    let it = Rc::clone(bridge);
    let library = move |ctx: Ctx<'js>, name: String| {
        let home = it.session.world.mac.home.trim_start_matches('/').to_owned();
        let folders = [PathBuf::from(home).join("Library"), PathBuf::from("Library")];
        let found = folders.iter().find_map(|folder| {
            it.session.world.read_text(&folder.join("Script Libraries").join(format!("{name}.js")))
        });
        found.ok_or_else(|| it.helpers().throw(&ctx, OsError::of(crate::os_error::NO_SUCH_OBJECT)))
    };
    native.set("library", Func::from(library))
}
