//! A plugin that does what a test tells it to do, good or bad.

use iac_plugin::{Arguments, Fault, Json, Plugin, Tool, apps, clock, files, json, log, settings, store};

struct Probe;

impl Plugin for Probe {
    fn tools() -> Vec<Tool> {
        let schema = json!({
            "type": "object",
            "properties": {
                "do": {"type": "string"},
                "with": {"type": "object"},
                "names": {"type": "array", "items": {"type": "string"}},
                "undo": {"type": "object"},
            },
        });
        vec![
            Tool::reads("probe", "Does what a test tells it, and changes nothing.", schema.clone()),
            Tool::changes("probe_change", "Does what a test tells it, and changes something.", schema),
        ]
    }

    fn call(tool: &str, arguments: Arguments) -> Result<Json, Fault> {
        let with = || arguments.get("with").cloned().unwrap_or_default();
        match (tool, arguments.object().text("do")?.unwrap_or_default()) {
            ("probe", "spin") => spin(),
            ("probe", "panic") => panic!("as it was told"),
            ("probe", "hog") => Ok(json!({"bytes": hog().len()})),
            ("probe", "progress") => progress(),
            ("probe", "count") => count(),
            ("probe", "settings") => Ok(json!({"word": settings::get("word")})),
            ("probe", "properties") => apps::open("com.apple.reminders")?.get_properties(&with()),
            ("probe", "elements") => apps::open("com.apple.mail")?.get_elements(&with()),
            ("probe", "files") => read_files(&with()),
            ("probe", "keep") => {
                store::put("kept", &apps::open("com.apple.mail")?.get_elements(&with())?)?;
                Ok(json!({}))
            }
            ("probe", "kept") => Ok(json!({"kept": store::get::<Json>("kept")?})),
            ("probe", "finder") => Ok(json!({"app": apps::open("com.apple.finder")?.bundle_id()})),
            ("probe", "tasks") => Ok(json!({"tasks": omnifocus()?.run_script("count", &Json::Null)?})),
            (_, "kept and command") => {
                store::get::<Json>("kept")?;
                apps::open("com.apple.reminders")?.run_command(&with())
            }
            (_, "command") => apps::open("com.apple.reminders")?.run_command(&with()),
            (_, "set") => apps::open("com.apple.reminders")?.set_property(&with()),
            (_, "rename") => rename(&arguments),
            (_, "rename task") => {
                let objects = ["the first task".to_owned()];
                let names = omnifocus()?.run_script_on("rename", &with(), &[], &objects)?;
                Ok(json!({"names": names, "undo": arguments.get("undo")}))
            }
            (_, "rename task and spin") => {
                omnifocus()?.run_script_on("rename", &with(), &[], &["the first task".to_owned()])?;
                spin()
            }
            (_, what) => {
                Err(Fault::new("invalid_parameter", format!("`do` is {what:?}, which is not known")))
            }
        }
    }
}

iac_plugin::export!(Probe);

fn omnifocus() -> Result<apps::App, Fault> {
    apps::open("com.omnigroup.OmniFocus4")
}

fn spin() -> ! {
    loop {
        std::hint::black_box(0);
    }
}

fn hog() -> Vec<u8> {
    let mut held = Vec::new();
    loop {
        held.resize(held.len() + (1 << 20), 1);
    }
}

/// Reads what stands at some paths below a root: the names of a folder, or the text of a file, or why not.
fn read_files(with: &Json) -> Result<Json, Fault> {
    let root = files::open(with["root"].as_str().unwrap_or_default())?;
    let read = |path: &str| match root.entries(path, None, 1_000) {
        Ok(entries) => json!(entries.into_iter().map(|entry| entry.name).collect::<Vec<_>>()),
        Err(_) => match root.read_text(path, 0, 1_000) {
            Ok(text) => json!(text),
            Err(fault) => json!({"code": fault.code, "message": fault.message}),
        },
    };
    let paths = with["paths"].as_array().into_iter().flatten().filter_map(Json::as_str);
    Ok(json!({"read": paths.map(read).collect::<Vec<_>>()}))
}

fn progress() -> Result<Json, Fault> {
    for done in 0..5 {
        log::progress(done, Some(5), "steps");
    }
    Ok(json!({}))
}

/// Counts its own calls, and checks that the time stays the same during a call.
fn count() -> Result<Json, Fault> {
    let before: u64 = store::get("calls")?.unwrap_or_default();
    store::put("calls", &(before + 1))?;
    let (first, second) = (clock::now().milliseconds, clock::now().milliseconds);
    Ok(json!({"calls": before + 1, "still": first == second}))
}

/// Renames the first reminders, one write after the other, and stores a count meanwhile.
fn rename(arguments: &Arguments) -> Result<Json, Fault> {
    let app = apps::open("com.apple.reminders")?;
    let names = arguments.get("names").and_then(Json::as_array).cloned().unwrap_or_default();
    let wanted =
        json!({"container": {"type": "application"}, "elementType": "reminder", "limit": names.len()});
    let found = app.get_elements(&wanted)?;
    let mut written = Vec::new();
    for (element, name) in found["elements"].as_array().into_iter().flatten().zip(names) {
        let done =
            app.set_property(&json!({"reference": element["id"], "property": "name", "value": name}))?;
        written.push(done["changes"][0]["new"].clone());
    }
    Ok(json!({"written": written, "counted": count()?["calls"]}))
}
