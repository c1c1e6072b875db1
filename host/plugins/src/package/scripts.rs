//! The scripts of a package, collected when it is made and checked when it is read.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Inspection, PackageError, SECTION_SCRIPTS};
use crate::capability::Capability;
use crate::manifest::{Manifest, ScriptFile};
use crate::script::Script;

/// Texts by the name of the file that `plugin.toml` gives.
pub type Texts = BTreeMap<String, String>;

/// The most UTF-16 units of a script. It leaves room for the data below the limit of what an app accepts at once.
const LONGEST: usize = 200_000;

/// Combines each text with its entry in the manifest.
pub(super) fn collect(manifest: &Manifest, texts: &Texts) -> Result<Vec<Script>, PackageError> {
    let script = |file: &ScriptFile| {
        let read = |name: &String| {
            let text = texts.get(name);
            text.ok_or_else(|| failed(&file.name, &format!("the file {name} does not exist")))
        };
        let text = composed(
            file,
            read(&file.file)?,
            file.shared.as_ref().map(read).transpose()?.map(String::as_str),
        );
        check(&file.name, &text)?;
        Ok(script(manifest, file, &text))
    };
    manifest.scripts.iter().map(script).collect()
}

/// Wraps a text in a function that takes the fixed and shared values and returns the script.
fn composed(file: &ScriptFile, text: &str, shared: Option<&str>) -> String {
    let (fixed, inner) = (json!(file.fixed), text.trim_end());
    match shared.map(str::trim_end) {
        Some(shared) => {
            format!("((fixed, shared) => (\n{inner}\n))(Object.freeze({fixed}), (\n{shared}\n)())")
        }
        None if file.fixed.is_empty() => text.to_owned(),
        None => format!("(fixed => (\n{inner}\n))(Object.freeze({fixed}))"),
    }
}

pub(super) fn write(scripts: &[Script]) -> Vec<u8> {
    serde_json::to_vec(scripts).expect("scripts are plain data")
}

/// Reads the scripts of a package, which must be those that its manifest names.
pub(super) fn read(manifest: &Manifest, inspection: &Inspection) -> Result<Vec<Script>, PackageError> {
    if manifest.scripts.is_empty() {
        return match inspection.has(SECTION_SCRIPTS) {
            true => Err(failed("", "plugin.toml names no scripts, but the package has some")),
            false => Ok(Vec::new()),
        };
    }
    let held: Vec<Script> = serde_json::from_str(inspection.text(SECTION_SCRIPTS)?)
        .map_err(|error| failed("", &format!("the section `{SECTION_SCRIPTS}` cannot be read: {error}")))?;
    let texts = manifest.scripts.iter().zip(&held).map(|(file, script)| (file, script.text.as_str()));
    let expected: Vec<Script> = texts.map(|(file, text)| script(manifest, file, text)).collect();
    if held.len() != manifest.scripts.len() || held != expected {
        return Err(failed("", "the package has other scripts than plugin.toml; make it again"));
    }
    held.iter().try_for_each(|script| check(&script.name, &script.text))?;
    Ok(held)
}

fn script(manifest: &Manifest, file: &ScriptFile, text: &str) -> Script {
    let want = manifest.wants.iter().find(|want| want.capability == Capability::AppScripts);
    let all = || want.map(|want| want.apps.clone()).unwrap_or_default();
    let apps = if file.apps.is_empty() { all() } else { file.apps.clone() };
    Script {
        name: file.name.clone(),
        apps: apps.iter().map(|app| app.to_ascii_lowercase()).collect(),
        level: file.level,
        reason: file.reason.clone(),
        text: text.to_owned(),
        acts: file.acts.clone(),
    }
}

/// Checks a script. The operator must see the whole text that is granted, so no character may hide itself or its
/// neighbours.
fn check(name: &str, text: &str) -> Result<(), PackageError> {
    let length = text.encode_utf16().count();
    if text.trim().is_empty() || length > LONGEST {
        return Err(failed(name, &format!("it has {length} characters, expected 1 to {LONGEST}")));
    }
    match crate::failure::hidden(text) {
        Some(c) => {
            let code = u32::from(c);
            Err(failed(name, &format!("it has the invisible character U+{code:04X}; write it as an escape")))
        }
        None => Ok(()),
    }
}

fn failed(name: &str, why: &str) -> PackageError {
    PackageError::Script { name: name.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::capability::Level;

    const MANIFEST: &str = "id = \"demo\"\nversion = \"0.1.0\"\nlicence = \"MIT\"\napi = \"0.1\"\ndescription = \"d\"\n\
        [[wants]]\ncapability = \"app-scripts\"\napps = [\"com.example.A\", \"com.example.B\"]\nreason = \"r\"\n\
        [[scripts]]\nname = \"read\"\nfile = \"read.js\"\nlevel = \"safe\"\nreason = \"reads\"\napps = [\"com.example.A\"]\n\
        [[scripts]]\nname = \"change\"\nfile = \"change.js\"\nlevel = \"MODIFY\"\nreason = \"changes\"\n";

    fn collected(read: &str) -> Result<Vec<Script>, PackageError> {
        let texts = [("read.js", read), ("change.js", "d => 1")];
        let texts = texts.map(|(name, text)| (name.to_owned(), text.to_owned()));
        collect(&Manifest::parse(MANIFEST).expect("the test's own manifest"), &Texts::from(texts))
    }

    #[test]
    fn scripts_belong_to_apps_at_levels() {
        let scripts = collected("d => d").expect("they are there");
        let [read, change] = &scripts[..] else { panic!("two scripts") };
        assert!(read.is_for("com.example.a") && !read.is_for("com.example.B"));
        assert!(change.is_for("com.example.A") && change.is_for("com.example.B"));
        assert_eq!((read.level, change.level), (Level::Safe, Level::Modify));
    }

    #[test]
    fn one_file_is_several_scripts_by_what_is_fixed() {
        let two = "[[scripts]]\nname = \"change\"\nfile = \"change.js\"\nlevel = \"modify\"\nreason = \"r\"\nfixed = { mayDelete = false }\n\
            [[scripts]]\nname = \"delete\"\nfile = \"change.js\"\nlevel = \"dangerous\"\nreason = \"r\"\nfixed = { mayDelete = true }\n";
        let head = MANIFEST.split("[[scripts]]").next().expect("the wants come first");
        let manifest = Manifest::parse(&format!("{head}{two}")).expect("the test's own manifest");
        let texts = Texts::from([("change.js".to_owned(), "// says\nd => fixed.mayDelete\n".to_owned())]);
        let scripts = collect(&manifest, &texts).expect("they are there");
        let text = |may| {
            format!("(fixed => (\n// says\nd => fixed.mayDelete\n))(Object.freeze({{\"mayDelete\":{may}}}))")
        };
        assert_eq!([&scripts[0].text, &scripts[1].text], [&text(false), &text(true)]);
        let wrong = Manifest::parse(&format!("{head}{}", two.replace("mayDelete", "\"a-b\"")));
        assert!(wrong.expect_err("it is refused").to_string().contains("names like mayDelete"));
    }

    #[test]
    fn scripts_share_a_text() {
        let both = MANIFEST.replace("level = ", "shared = \"shared.js\"\nlevel = ");
        let manifest = Manifest::parse(&both).expect("the test's own manifest");
        let texts = [
            ("read.js", "d => shared.say(d)\n"),
            ("change.js", "d => 1"),
            ("shared.js", "() => ({ say })\n"),
        ];
        let mut texts = Texts::from(texts.map(|(name, text)| (name.to_owned(), text.to_owned())));
        let scripts = collect(&manifest, &texts).expect("they are there");
        let text =
            "((fixed, shared) => (\nd => shared.say(d)\n))(Object.freeze({}), (\n() => ({ say })\n)())";
        assert_eq!(scripts[0].text, text);
        texts.remove("shared.js");
        let missing = collect(&manifest, &texts).expect_err("one file is missing").to_string();
        assert!(missing.contains("the file shared.js does not exist"), "{missing}");
        let above = Manifest::parse(&both.replace("shared.js", "../shared.js"));
        assert!(above.expect_err("it is refused").to_string().contains("../shared.js"));
    }

    #[test]
    fn a_pin_is_for_all_that_a_script_may_do() {
        let script = collected("d => d").expect("they are there").remove(0);
        let pin = script.pin();
        assert_ne!(pin, Script { text: "d => 2".to_owned(), ..script.clone() }.pin());
        assert_ne!(pin, Script { level: Level::Modify, ..script.clone() }.pin());
        assert_ne!(pin, Script { apps: BTreeSet::from(["*".to_owned()]), ..script.clone() }.pin());
        assert_ne!(pin, Script { acts: [("a".to_owned(), Level::Safe)].into(), ..script.clone() }.pin());
        assert_eq!(pin, Script { reason: "other words".to_owned(), ..script }.pin());
    }

    #[test]
    fn what_cannot_be_seen_cannot_be_granted() {
        let check = |text: &str, part: &str| {
            let error = collected(text).expect_err("it is refused").to_string();
            assert!(error.contains(part), "{error}");
        };
        check("d => '\u{202e}'", "U+202E");
        check("d => '\u{1b}'", "U+001B");
        check(" ", "it has 1 characters");
        check(&"x".repeat(LONGEST + 1), "expected 1 to 200000");
    }
}
