//! QuickJS with the objects of JavaScript for Automation: runs one script against a session.

mod behaviour;
mod convert;
mod disk;
pub(crate) mod eventkit;
mod extras;
mod locale;
mod native;
mod omni;
mod system;
mod test;

use crate::os_error::{OsError, SCRIPT};
use crate::output;
use crate::session::Session;
use convert::Helpers;
use rquickjs::context::{EvalOptions, intrinsic};
use rquickjs::{Array, Context, Ctx, Function, Runtime, Value as Js};
use std::io::BufRead as _;
use std::rc::Rc;

/// The built-in objects of the engine. These are the ones that JavaScriptCore on a Mac has by default.
type Intrinsics = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
    intrinsic::WeakRef,
);

/// A script, with its file and arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) source: String,
    /// The file that it came from, which errors name.
    pub(crate) file: Option<String>,
    /// The arguments of its `run` handler.
    pub(crate) arguments: Vec<String>,
}

/// How a result is converted to text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people: strings without quotes.
    #[default]
    Human,
    /// As JavaScript source.
    Source,
}

/// Runs a script and returns the text of its result; `None` for `undefined`.
///
/// # Errors
/// The exception that the script did not catch.
pub(crate) fn run(session: Rc<Session>, script: &Script, form: Form) -> Result<Option<String>, OsError> {
    let context = start().map_err(|error| engine_failed(&error))?;
    let result = context.with(|ctx| {
        let helpers = native::install(&ctx, session).map_err(|error| caught(&ctx, None, &error))?;
        evaluate(&ctx, &helpers, script, form).map_err(|error| caught(&ctx, Some(&helpers), &error))
    });
    // The process ends here. Freeing the heap would only take time.
    std::mem::forget(context);
    result
}

/// Evaluates line after line, as `osascript -i` does. Writes `=> ` and the value as source, or `!! ` and the error.
///
/// # Errors
/// A stream cannot be read or written.
pub(crate) fn interact(session: Rc<Session>) -> std::io::Result<()> {
    let failed = |error: &rquickjs::Error| std::io::Error::other(error.to_string());
    let context = start().map_err(|error| failed(&error))?;
    let result = context.with(|ctx| {
        let helpers = native::install(&ctx, session).map_err(|error| failed(&error))?;
        output::print(">> ")?;
        for line in std::io::stdin().lock().lines() {
            let script = Script { source: line?, ..Script::default() };
            let answer = match evaluate(&ctx, &helpers, &script, Form::Source) {
                Ok(text) => format!("=> {}", text.unwrap_or_else(|| "undefined".to_owned())),
                Err(error) => format!("!! Error on line 1: {}", caught(&ctx, Some(&helpers), &error).message),
            };
            output::print(&format!("{answer}\n>> "))?;
        }
        output::print("\n")
    });
    std::mem::forget(context);
    result
}

pub(super) fn start() -> rquickjs::Result<Context> {
    /// Deep recursion must throw a RangeError before the thread's own stack overflows.
    const STACK: usize = 1 << 20;
    let runtime = Runtime::new()?;
    runtime.set_max_stack_size(STACK);
    runtime.set_gc_threshold(8 << 20);
    let context = Context::custom::<Intrinsics>(&runtime)?;
    context.with(|ctx| locale::install(&ctx))?;
    Ok(context)
}

/// Evaluates the simulator's own code under a file name, which appears in stack traces.
fn named<'js, T: rquickjs::FromJs<'js>>(ctx: &Ctx<'js>, source: &str, name: &str) -> rquickjs::Result<T> {
    let mut options = EvalOptions::default();
    options.filename = Some(name.to_owned());
    ctx.eval_with_options(source, options)
}

fn evaluate<'js>(
    ctx: &Ctx<'js>,
    helpers: &Helpers<'js>,
    script: &Script,
    form: Form,
) -> rquickjs::Result<Option<String>> {
    let mut options = EvalOptions::default();
    let file = script.file.clone().unwrap_or_else(|| "<stdin>".to_owned());
    helpers.set_source.call::<_, ()>((file.as_str(), script.source.as_str()))?;
    let path = script.file.as_ref().and_then(|file| std::path::absolute(file).ok());
    helpers.set_script.call::<_, ()>((path.map(|path| path.to_string_lossy().into_owned()),))?;
    options.strict = false;
    options.filename = Some(file);
    let mut result: Js<'js> = ctx.eval_with_options(script.source.as_bytes(), options)?;
    if let Ok(run) = ctx.globals().get::<_, Function<'js>>("run") {
        let arguments = Array::new(ctx.clone())?;
        for (at, argument) in script.arguments.iter().enumerate() {
            arguments.set(at, argument.as_str())?;
        }
        result = run.call((arguments,))?;
    }
    let write = if form == Form::Human { &helpers.human } else { &helpers.source };
    let text: Option<rquickjs::String<'js>> = write.call((result,))?;
    text.map(|text| helpers.lossy(&text)).transpose()
}

/// Formats the uncaught exception as osascript reports it: its text, and its error number if it has one.
fn caught<'js>(ctx: &Ctx<'js>, helpers: Option<&Helpers<'js>>, error: &rquickjs::Error) -> OsError {
    if !error.is_exception() {
        return engine_failed(error);
    }
    let thrown = ctx.catch();
    if let Some(helpers) = helpers {
        // If the stack was exhausted, there was no room to reword the error when it was created, so it is reworded
        // now.
        let _ = helpers.reword.call::<_, ()>((thrown.clone(),));
    }
    let number =
        thrown.as_object().and_then(|object| object.get::<_, Option<i32>>("errorNumber").ok().flatten());
    let text = convert::text_of(ctx, thrown).unwrap_or_else(|| "Error".to_owned());
    OsError::new(number.unwrap_or(SCRIPT), text)
}

fn engine_failed(error: &rquickjs::Error) -> OsError {
    OsError::new(SCRIPT, format!("Error: {error}"))
}
