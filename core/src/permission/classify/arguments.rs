//! Judges the arguments of a command. They can only raise its level.

use super::{Classified, Level, LevelRule, addresses, classify_write, tables};
use crate::action::{Action, Invocation};
use crate::change::{Change, is_lossy};
use crate::marshal::Given;
use crate::permission::closed::{Closed, Kind, Spot, is_file, is_of_files, loose, spot, whole, written};
use crate::permission::touch::classes;
use crate::permission::writes;
use crate::specifier::{By, Path, Segment};

/// Parameters that contain a command line, in any command.
const COMMAND_LINES: [&str; 2] = ["command", "shell command"];

/// Files that do not run when an app opens them. Finder and System Events pass a file to the program for its kind, and
/// new programs bring new kinds of files that run. A list of files that run can therefore never be complete, so any
/// kind outside this list counts as a program.
const DOCUMENTS: &[&str] = &[
    "aac", "aif", "aiff", "avi", "avif", "bmp", "bz2", "c", "cpp", "css", "csv", "doc", "docx", "eml",
    "epub", "flac", "gif", "go", "gpx", "gz", "h", "heic", "hpp", "htm", "html", "ics", "ini", "jpeg", "jpg",
    "json", "key", "log", "m4a", "m4v", "md", "mkv", "mov", "mp3", "mp4", "numbers", "odp", "ods", "odt",
    "ogg", "opml", "pages", "pdf", "plist", "png", "ppt", "pptx", "psd", "rs", "rtf", "rtfd", "srt", "svg",
    "swift", "tar", "tex", "tif", "tiff", "toml", "tsv", "txt", "usdz", "vcf", "wav", "webp", "xls", "xlsx",
    "xml", "yaml", "yml", "zip",
];

/// Files that run when any app opens them. Apps other than Finder and System Events open a file themselves, and most
/// can only show it.
const RUNNABLE: &[&str] = &[
    "action", "app", "applescript", "bash", "bundle", "command", "csh", "definition", "dmg", "dylib",
    "fileloc", "fish", "ftploc", "inetloc", "iso", "jar", "jnlp", "js", "ksh", "kext", "mobileconfig",
    "mobileprovision", "mpkg", "osax", "php", "pkg", "pl", "pm", "prefpane", "ps1", "py", "pyc", "pyw",
    "qlgenerator", "rb", "saver", "scpt", "scptd", "sh", "shortcut", "sparseimage", "systemextension", "tcl",
    "tcsh", "terminal", "tool", "vncloc", "webloc", "wflow", "workflow", "xpc", "zsh",
];

/// Folders in which programs look for code to run, by the last names of their paths.
const STARTS: &[&[&str]] = &[
    &["launchagents"],
    &["launchdaemons"],
    &["startupitems"],
    &["application scripts"],
    &["folder action scripts"],
    &["scriptingadditions"],
    &["preferencepanes"],
    &["internet plug-ins"],
    &["input methods"],
    &["quicklook"],
    &["screen savers"],
    &["library", "automator"],
    &["library", "colorpickers"],
    &["library", "keybindings"],
    &["library", "scripts"],
    &["library", "services"],
    &["library", "spotlight"],
    &["library", "workflows"],
];

/// Folders that belong to the whole Mac, by the first names of their paths. Programs in them run for every user.
const SYSTEM: &[&[&str]] =
    &[&["bin"], &["etc"], &["library"], &["opt"], &["sbin"], &["system"], &["usr"], &["var", "at"]];

/// Returns the level of a command with these arguments.
pub(super) fn raise(classified: Classified, action: &Action, invocation: &Invocation) -> Classified {
    let said = [
        code(action, invocation),
        property(action, invocation),
        made(action, invocation),
        unsaved(invocation),
        replaces(invocation),
        into_trash(action, invocation),
        runnable(action, invocation),
        place(action, &[invocation], &[]),
        hidden_file(invocation),
    ];
    said.into_iter().flatten().fold(classified, Classified::or_worse)
}

/// How many objects a command is about.
pub(super) fn targets(invocation: &Invocation) -> usize {
    invocation.direct.iter().map(objects).sum()
}

/// How many objects and files a value holds.
pub(super) fn objects(given: &Given) -> usize {
    given.objects().len() + given.files().len()
}

/// An argument that runs code or opens another program, for any command.
pub(super) fn code(action: &Action, invocation: &Invocation) -> Option<Classified> {
    // Nothing is worse than a command line.
    command_line(invocation).or_else(|| addresses::worst_of_command(action, invocation))
}

fn command_line(invocation: &Invocation) -> Option<Classified> {
    let given = |term: &str| invocation.parameter(term).is_some_and(|value| *value != Given::Null);
    COMMAND_LINES.into_iter().any(given).then(|| Classified::shell("runs a shell command"))
}

/// Further effects of the new values of a change: they delete the object, or open an address.
pub(super) fn by_value(action: &Action, change: &Change) -> Option<Classified> {
    let deletes = || writes::of_change(change).iter().any(|write| write.deletes(action)).then(deletes_it);
    // Whatever an address opens is as bad as a deletion, or worse.
    addresses::worst_of_change(action, change).or_else(deletes)
}

/// The command `set` writes a property, so it has the level of that write.
fn property(action: &Action, invocation: &Invocation) -> Option<Classified> {
    let Some(Given::Object(path)) = invocation.direct.as_ref().filter(|_| invocation.code == "coresetd")
    else {
        return None;
    };
    let (owner, Segment::Property(member)) = path.last()? else { return None };
    let fields = invocation.parameters.iter().flat_map(|argument| fields(&argument.value));
    let terms: Vec<String> = fields.chain([member.term.clone()]).collect();
    // No one has looked at the object, so it may have something to lose.
    let is_lossy = |term: &String| {
        action.terms.0.as_ref().is_some_and(|all| is_lossy(&action.app, all, owner.class(), term))
    };
    if terms.iter().any(is_lossy) {
        return Some(Classified::new(Level::Dangerous, "may remove parts of an object for good"));
    }
    terms.iter().find_map(|term| tables::write(&action.app, &action.terms, owner.class(), term))
}

fn fields(value: &Given) -> Vec<String> {
    let mut found = Vec::new();
    value.visit(&mut |each| {
        if let Given::Record(fields) = each {
            found.extend(fields.iter().map(|(term, _)| term.as_str().to_owned()));
        }
    });
    found
}

/// The event that saves.
const SAVE: &str = "coresave";

/// The events that give an object properties: `make`, `duplicate` and `move`.
const GIVING: [&str; 3] = ["corecrel", "coreclon", "coremove"];

/// The new object with all properties that the command sets. A copy is also a new object.
fn made(action: &Action, invocation: &Invocation) -> Option<Classified> {
    let mut classes = Vec::new();
    invocation.values().for_each(|value| match value {
        Given::Class(class) if invocation.code == "corecrel" => classes.push(class.as_str()),
        value if matches!(invocation.code.as_str(), "coreclon" | "coremove") => {
            classes.extend(value.objects().into_iter().map(Path::class));
        }
        _ => {}
    });
    let terms: Vec<String> =
        invocation.parameters.iter().flat_map(|argument| fields(&argument.value)).collect();
    let of = |class: &str| {
        let write = |term: &String| tables::write(&action.app, &action.terms, class, term);
        // The row for making an object is at least as bad as the rows for its properties.
        tables::make(&action.app, &action.terms, class).or_else(|| terms.iter().find_map(write))
    };
    classes.into_iter().filter_map(of).reduce(Classified::or_worse)
}

/// The highest level among the properties of a new, copied or moved object, as if each were set afterwards. So a rule
/// for a property also applies here.
pub(super) fn given(action: &Action, invocation: &Invocation, rules: &[LevelRule]) -> Option<Classified> {
    if !GIVING.contains(&invocation.code.as_str()) {
        return None;
    }
    let terms: Vec<String> =
        invocation.parameters.iter().flat_map(|argument| fields(&argument.value)).collect();
    let of = |class: &str| {
        let write = |term: &String| classify_write(&action.app, &action.terms, class, term, 1, rules);
        terms.iter().map(write).reduce(Classified::or_worse)
    };
    classes(invocation).into_iter().filter_map(of).reduce(Classified::or_worse)
}

/// What `save` does if it names no file: an app with documents writes the document's own file, and any other app keeps
/// its data.
pub(super) fn saved(invocation: &Invocation) -> Option<Classified> {
    let has_document = || {
        let targets = invocation.direct.iter().flat_map(Given::objects);
        targets.into_iter().any(|path| !path.class().is_empty() && path.last().is_some())
    };
    let is_file = |value: &Given| !value.files().is_empty();
    let has_file = !invocation.parameters.is_empty() || invocation.direct.as_ref().is_some_and(is_file);
    (invocation.code == SAVE && !has_file).then(|| {
        let what = if has_document() { "saves what is open in the app" } else { "saves the app's own data" };
        Classified::new(Level::Modify, what)
    })
}

fn unsaved(invocation: &Invocation) -> Option<Classified> {
    invocation.discards().then(|| Classified::new(Level::Dangerous, "discards unsaved changes"))
}

/// A replaced object is lost, and is not in the Trash either.
fn replaces(invocation: &Invocation) -> Option<Classified> {
    let yes = |value: &Given| *value == Given::Bool(true);
    invocation
        .parameter("replacing")
        .is_some_and(yes)
        .then(|| Classified::new(Level::Dangerous, "replaces existing objects"))
}

fn into_trash(action: &Action, invocation: &Invocation) -> Option<Classified> {
    let deletes = || writes::of_command(invocation).iter().any(|write| write.deletes(action));
    (writes::is_discarded(action, invocation) || deletes()).then(deletes_it)
}

fn deletes_it() -> Classified {
    Classified::new(Level::Dangerous, "deletes objects")
}

/// Opening a program runs it.
fn runnable(action: &Action, invocation: &Invocation) -> Option<Classified> {
    let hands_on = is_of_files(&action.app);
    let mut runs = false;
    invocation.values().for_each(|value| {
        value.visit(&mut |each| {
            runs |= match each {
                Given::File(path) => may_run(path, hands_on),
                Given::Text(text) if hands_on => may_run(text, hands_on),
                Given::Object(path) => object_runs(action, path, hands_on),
                _ => false,
            }
        });
    });
    (invocation.code == "aevtodoc" && runs).then(|| Classified::new(Level::Dangerous, "runs a program"))
}

/// Whether a file may run once it is opened; `hands_on` means that the app passes it to another program.
fn may_run(path: &str, hands_on: bool) -> bool {
    let names: Vec<String> = loose(path);
    let extension = names.last().and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
    match extension {
        Some(extension) if hands_on => !DOCUMENTS.contains(&extension),
        Some(extension) => RUNNABLE.contains(&extension),
        None => hands_on,
    }
}

fn object_runs(action: &Action, path: &Path, hands_on: bool) -> bool {
    let is_a = |class: &str| action.terms.is_a(path.class(), class);
    if is_a("application file") {
        return true;
    }
    let is_window = is_file(&action.app, &action.terms, path.class()) == Kind::No && !path.class().is_empty();
    if !hands_on || is_window {
        return matches!(path.last(), Some((_, Segment::Element(_, By::Name(name)))) if may_run(name, false));
    }
    // The Finder shows a folder. A folder that is a program has an extension.
    let is_folder = ["folder", "disk", "container"].iter().any(|class| is_a(class));
    match spot(&action.app, &action.terms, path).spot {
        Spot::Named(names) => {
            let shows =
                |name: &String| is_folder && !loose(name).last().is_some_and(|name| name.contains('.'));
            names.iter().any(|name| !shows(name) && may_run(name, hands_on))
        }
        Spot::Below(_) | Spot::Anywhere => !is_folder,
        Spot::Elsewhere => false,
    }
}

/// Judges the destination of a new file: programs look for code to run in dot files and in some folders.
pub(super) fn place(action: &Action, commands: &[&Invocation], changes: &[&Change]) -> Option<Classified> {
    let names = written(action, commands, changes);
    names.iter().any(|name| is_run_from(name)).then(touches_hidden)
}

fn hidden_file(invocation: &Invocation) -> Option<Classified> {
    let file = invocation.values().flat_map(Given::files).any(is_run_from);
    file.then(touches_hidden)
}

fn touches_hidden() -> Classified {
    Classified::new(Level::Dangerous, "touches a folder from which programs run")
}

fn is_run_from(path: &str) -> bool {
    let parts = loose(path);
    let hidden = parts.iter().any(|part| part.starts_with('.') && part != ".trash");
    let inside = |names: &&[&str]| parts.windows(names.len()).any(|part| part == *names);
    let in_a_program = parts.iter().rev().skip(1).any(|part| part.ends_with(".app"));
    hidden || in_a_program || STARTS.iter().any(inside) || is_of_the_system(path)
}

fn is_of_the_system(path: &str) -> bool {
    let below = |path: &Vec<String>| {
        SYSTEM
            .iter()
            .any(|names| names.len() < path.len() && names.iter().zip(path).all(|(name, part)| name == part))
    };
    Closed::default().paths(path).iter().flat_map(|path| whole(path)).any(|path| below(&path))
}
