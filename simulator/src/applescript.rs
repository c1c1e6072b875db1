//! Translates the simple AppleScript queries that JavaScript servers use besides their scripts: whether something
//! exists, how many there are, a property, a literal. Each becomes JavaScript for the same bridge. Everything else is
//! refused.

use crate::schema::{ClassInfo, Schema, identifier};
use crate::session::Session;
use std::rc::Rc;

/// Formats values as AppleScript does, as far as this does not depend on the system's language.
const SHOWN: &str = "const shown = (value) => { \
    if (value === undefined) return ''; \
    if (value === null) return 'missing value'; \
    if (Array.isArray(value)) return value.map(shown).join(', '); \
    if (typeof value === 'number' ? Number.isInteger(value) && Math.abs(value) < 2 ** 29 : ['string', 'boolean'].includes(typeof value)) return String(value); \
    throw new Error('the simulated Mac does not write this value as AppleScript does'); };";

/// A script translated to JavaScript, and the app that its errors name.
pub(crate) struct Translated {
    pub(crate) source: String,
    pub(crate) app: Option<String>,
}

/// Translates a script; `None` if it is anything but simple queries.
pub(crate) fn translate(session: &Session, script: &str) -> Option<Translated> {
    let lines = script.lines().map(|line| line.split("--").next().unwrap_or_default().trim());
    let mut lines = lines.filter(|line| !line.is_empty()).peekable();
    let (mut done, mut app) = (Vec::new(), None);
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("tell application ") else {
            done.push(of_no_app(line)?);
            continue;
        };
        let (name, rest) = quoted(rest)?;
        let told = App::find(session, name)?;
        match rest.trim().strip_prefix("to ") {
            Some(statement) => done.push(told.statement(statement)?),
            None if rest.trim().is_empty() => loop {
                match lines.next()? {
                    "end tell" => break,
                    statement => done.push(told.statement(statement)?),
                }
            },
            None => return None,
        }
        app = Some(name.to_owned());
    }
    let last = done.pop()?;
    let before: String = done.iter().map(|each| format!("{each};")).collect();
    Some(Translated { source: format!("(() => {{ {SHOWN} {before} return shown({last}); }})()"), app })
}

/// Translates a statement outside any `tell`.
fn of_no_app(line: &str) -> Option<String> {
    let line = line.strip_prefix("return ").unwrap_or(line);
    if let Some(time) = line.strip_prefix("delay ") {
        return time.parse::<f64>().ok().map(|time| format!("(delay({time}), undefined)"));
    }
    if let Some(rest) = line.strip_prefix("application ") {
        let (name, rest) = quoted(rest)?;
        let asks = ["is running", "running"].contains(&rest.trim());
        return asks.then(|| format!("Application({name:?}).running()"));
    }
    literal(line)
}

/// The app of a `tell` block.
struct App {
    name: String,
    app: Rc<crate::world::App>,
}

impl App {
    fn find(session: &Session, name: &str) -> Option<Self> {
        let at = session.find(name).ok()?;
        Some(Self { name: name.to_owned(), app: session.world.app(at) })
    }

    fn schema(&self) -> &Schema {
        &self.app.schema
    }

    fn statement(&self, statement: &str) -> Option<String> {
        let statement = statement.strip_prefix("return ").unwrap_or(statement).trim();
        let statement = statement.strip_prefix("get ").unwrap_or(statement).trim();
        let inner = statement.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let statement = inner.unwrap_or(statement).trim();
        let me = format!("Application({:?})", self.name);
        match statement {
            "activate" | "launch" | "quit" => return Some(format!("({me}.{statement}(), undefined)")),
            "run" => return Some(format!("({me}.launch(), undefined)")),
            _ => (),
        }
        if let Some(counted) = statement.strip_prefix("count ") {
            let counted = counted.strip_prefix("of ").unwrap_or(counted);
            return self.all(counted).map(|(all, _)| format!("{me}.{all}.length"));
        }
        if let Some(rest) = statement.strip_prefix("set ") {
            let (what, value) = rest.split_once(" to ")?;
            return Some(format!("({} = {})", self.property(&me, what)?, literal(value)?));
        }
        let asked = statement.strip_prefix("exists ").or_else(|| statement.strip_suffix(" exists"));
        if let Some(object) = asked {
            return self.object(object).map(|(object, _)| format!("{me}.{object}.exists()"));
        }
        literal(statement).or_else(|| self.property(&me, statement).map(|property| format!("{property}()")))
    }

    /// Translates a property of the app, of all elements of a class, or of one element.
    fn property(&self, me: &str, words: &str) -> Option<String> {
        let Some((term, of)) = words.split_once(" of ") else {
            let class = self.schema().class("application")?;
            let term = words.strip_prefix("its ").unwrap_or(words);
            let known = ["name", "version", "id"].contains(&term) || class.properties.contains_key(term);
            return known.then(|| format!("{me}.{}", identifier(term)));
        };
        let (way, class) = self.object(of).or_else(|| self.all(of))?;
        let info = self.schema().class(&class)?;
        info.properties.contains_key(term).then(|| format!("{me}.{way}.{}", identifier(term)))
    }

    /// Translates all elements of a class of the app. Returns the JavaScript expression and the class.
    fn all(&self, words: &str) -> Option<(String, Rc<str>)> {
        let words = words.strip_prefix("every ").unwrap_or(words).trim();
        let info: Rc<ClassInfo> = self.schema().class("application")?;
        let classes = &self.schema().dictionary().classes;
        let found = info.elements.iter().find(|class| {
            let plural = classes.get(&***class).map(|class| class.plural.as_str());
            ***class == *words || plural == Some(words)
        })?;
        let plural = classes.get(&**found).map(|class| identifier(&class.plural))?;
        Some((plural.to_string(), Rc::clone(found)))
    }

    /// Translates one element, such as `process "Mail"` or `mailbox 2`.
    fn object(&self, words: &str) -> Option<(String, Rc<str>)> {
        let words = words.trim();
        if let Some(at) = words.find('"') {
            let (name, rest) = quoted(&words[at..])?;
            let (all, class) = self.all(&words[..at])?;
            return rest.is_empty().then(|| (format!("{all}.byName({name:?})"), class));
        }
        let (class, place) = words.rsplit_once(' ')?;
        let place = place.parse::<u32>().ok()?.checked_sub(1)?;
        self.all(class).map(|(all, class)| (format!("{all}[{place}]"), class))
    }
}

/// Parses a quoted string at the beginning, without escapes. Returns it and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    (!name.contains('\\')).then_some((name, rest))
}

/// Translates a string, a whole number or a Boolean.
fn literal(words: &str) -> Option<String> {
    match words {
        "true" | "false" => return Some(words.to_owned()),
        _ => (),
    }
    if let Ok(number) = words.parse::<i32>() {
        return Some(number.to_string());
    }
    let (text, rest) = quoted(words)?;
    rest.is_empty().then(|| format!("{text:?}"))
}
