//! What the arguments of a command add to its level.

use super::*;
use crate::app::STANDARD_ADDITIONS;
use crate::permission::writes::may_be_trash;

#[test]
fn an_address_is_read_as_a_browser_reads_it() {
    let shell = |text: &str| {
        let value = Given::Text(text.to_owned());
        classify(&invocation("set", "coresetd", property("URL"), vec![("to", value)]), &[]).is_shell
    };
    for script in [
        "javascript:1",
        " javascript:1",
        "JavaScript:1",
        "java\tscript:1",
        "java\nscript:1",
        "java\r\nscript:1",
        "javascript\t:1",
        "\u{1}javascript:1",
        "\0 \u{1f}\tj\navascript:1",
        "\u{a0}javascript:1",
        "\u{feff}javascript:1",
        "data:text/html,<script>1</script>",
        "DATA:text/html;base64,PHNjcmlwdD4=",
        "da\tta:image/svg+xml,<svg/>",
        "data:application/xhtml+xml,x",
        "data:TEXT/HTML,x",
    ] {
        assert!(shell(script), "{script:?}");
    }
    for text in [
        "https://example.org/javascript:1",
        "about javascript: it runs",
        "data: see below, in the html",
        "data:image/png;base64,AAAA",
        "x javascript:1",
        "(javascript:1",
        "1javascript:1",
        "javascript",
        "data:text/html",
        "note:text/html,x",
    ] {
        assert!(!shell(text), "{text:?}");
    }
}

/// A browser opens the address that a tab gets. An event only stores it.
#[test]
fn an_address_that_is_shown_is_judged_as_one_that_is_opened() {
    for (class, address, level, is_shell) in [
        ("tab", "https://example.org", Level::Modify, false),
        ("tab", "example.org", Level::Modify, false),
        ("tab", "file:///a/X.app", Level::Dangerous, false),
        ("document", "omnifocus:///task/abc", Level::Dangerous, false),
        ("window", "x-apple.systempreferences:x", Level::Dangerous, false),
        ("document", "shortcuts://run-shortcut?name=x", Level::Dangerous, true),
        ("tab", "javascript:1", Level::Dangerous, true),
        ("event", "omnifocus:///task/abc", Level::Modify, false),
        ("event", "javascript:1", Level::Dangerous, true),
    ] {
        let url = || record("URL", Given::Text(address.into()));
        let new = ("new", Given::Class(class.into()));
        let Given::Object(path) = named(class, "x") else { panic!("an object") };
        let Given::Object(term) = property("URL") else { panic!("a property") };
        let Some((_, last)) = term.last() else { panic!("a step") };
        let of_it = Given::Object(path.then(last.clone()));
        for action in [
            set(named(class, "x"), "URL", Given::Text(address.into())),
            set(named(class, "x"), "properties", url()),
            invocation("set", "coresetd", of_it, vec![("to", Given::Text(address.into()))]),
            invocation("make", "corecrel", Given::Null, vec![new, ("with properties", url())]),
        ] {
            let found = classify(&action, &[]);
            assert_eq!((found.level, found.is_shell), (level, is_shell), "{class} {address} {action:?}");
        }
    }
}

/// Every app has its own code for the command, so the name counts, too, and so does an address that is clearly one.
#[test]
fn an_address_is_judged_in_any_command() {
    let text = |text: &str| Given::Text(text.to_owned());
    for (term, code, direct, parameters, level) in [
        ("GetURL", "emalemtg", text("ssh://host"), vec![], Level::Dangerous),
        ("GetURL", "emalemtg", text("mailto:a@b.example"), vec![], Level::Modify),
        ("mailto", "emalemto", text("ssh:host"), vec![], Level::Dangerous),
        ("visit", "xxxxyyyy", Given::Null, vec![("web address", text("ssh:host"))], Level::Dangerous),
        ("visit", "xxxxyyyy", text("ssh://host"), vec![], Level::Dangerous),
        ("visit", "xxxxyyyy", text("tel:123"), vec![], Level::Dangerous),
        ("visit", "xxxxyyyy", Given::List(vec![text("x-man-page://ls")]), vec![], Level::Dangerous),
        ("visit", "xxxxyyyy", text("from: Ann"), vec![], Level::Modify),
        ("visit", "xxxxyyyy", text("https://a.example"), vec![], Level::Modify),
    ] {
        let action = invocation(term, code, direct, parameters);
        assert_eq!(classify(&action, &[]).level, level, "{action:?}");
    }
}

/// A sentence may begin as an address does.
#[test]
fn an_ordinary_text_is_not_an_address() {
    let clipboard = ("set the clipboard to", "JonspClp");
    let visit = ("visit", "xxxxyyyy");
    let search = ("search the web", "sfrisrch");
    for ((term, code), text, level) in [
        (("send", "ichtsend"), "Workflow: first read it", (Level::Dangerous, false)),
        (("send", "ichtsend"), "shortcuts://run-shortcut?name=x", (Level::Dangerous, false)),
        (clipboard, "Workflow: first read, then write", (Level::Modify, false)),
        (clipboard, "To-do: buy milk", (Level::Modify, false)),
        (clipboard, "tel:123", (Level::Modify, false)),
        (clipboard, "javascript:alert(1)", (Level::Modify, false)),
        (("set the clipboard to", "xxxxyyyy"), "tel:123", (Level::Dangerous, false)),
        (("open it", "JonspClp"), "tel:123", (Level::Dangerous, false)),
        (("display notification", "sysonotf"), "File: report.txt was saved", (Level::Modify, false)),
        (("display dialog", "sysodlog"), "About: x", (Level::Modify, false)),
        (("display alert", "sysodisA"), "File:x", (Level::Modify, false)),
        (("say", "sysottos"), "Data: the results are in", (Level::Modify, false)),
        (("parse tasks into", "OFOCFCP?"), "Follow-up: call Ann", (Level::Modify, false)),
        (search, "rust: ownership", (Level::Modify, false)),
        (search, "JavaScript: the good parts", (Level::Modify, false)),
        (visit, "To-do: buy milk", (Level::Modify, false)),
        (visit, "To-do:\nbuy milk", (Level::Modify, false)),
        (visit, "Workflow: first read it", (Level::Modify, false)),
        (visit, "JavaScript: The Good Parts", (Level::Modify, false)),
        (visit, "javascript:alert(1)", (Level::Dangerous, true)),
        (visit, "javascript:var x = document.cookie; send(x)", (Level::Dangerous, true)),
        (visit, "java\tscript:alert(1)\n", (Level::Dangerous, true)),
        (visit, "x-apple.systempreferences:com.apple.x", (Level::Dangerous, false)),
        (visit, "ssh://h", (Level::Dangerous, false)),
        (visit, "ssh://h a", (Level::Dangerous, false)),
        (visit, " tel:123 ", (Level::Dangerous, false)),
        (visit, "shortcuts://run-shortcut?name=My Shortcut", (Level::Dangerous, true)),
        (visit, "file:///Applications/Evil.app", (Level::Dangerous, false)),
        (visit, "file:/Applications/Evil App.app", (Level::Dangerous, false)),
        (("GetURL", "emalemtg"), "javascript: alert(1)", (Level::Dangerous, true)),
        (("GetURL", "emalemtg"), "ssh:h", (Level::Dangerous, false)),
        (("GetURL", "emalemtg"), "ssh://h a", (Level::Dangerous, false)),
        (("open location", "GURLGURL"), "tel: 123", (Level::Dangerous, false)),
        (("open location", "GURLGURL"), "javascript: alert(1)", (Level::Dangerous, true)),
    ] {
        let found = classify(&invocation(term, code, Given::Text(text.into()), vec![]), &[]);
        assert_eq!((found.level, found.is_shell), level, "{term} {text:?}: {}", found.reason);
    }
    let preview = vec![("and preview text", Given::Text("To-do: buy milk".into()))];
    let page = Given::Text("https://a.example".into());
    let item = invocation("add reading list item", "sfriarli", page, preview);
    assert_eq!(classify(&item, &[]).level, Level::Modify);
    for (class, term, text, is_shell) in [
        ("note", "name", "JavaScript: The Good Parts", false),
        ("reminder", "name", "JavaScript:\tThe Good Parts", false),
        ("note", "name", "javascript:alert(1)", true),
        ("bookmark", "URL", "javascript: alert(1)", true),
        ("tab", "URL", "javascript: alert(1)", true),
    ] {
        let value = || Given::Text(text.to_owned());
        let new = ("new", Given::Class(class.into()));
        for action in [
            set(named(class, "x"), term, value()),
            invocation(
                "make",
                "corecrel",
                Given::Null,
                vec![new, ("with properties", record(term, value()))],
            ),
        ] {
            assert_eq!(classify(&action, &[]).is_shell, is_shell, "{class} {term} {text:?} {action:?}");
        }
    }
}

/// An app saves a document at the path that it got, whatever class the document has.
#[test]
fn a_path_that_is_written_is_the_name_of_a_file() {
    for (term, value, level) in [
        ("path", "/Users/alex/.zshrc", Level::Dangerous),
        ("path", "~/Library/LaunchAgents/evil.plist", Level::Dangerous),
        ("path", "Macintosh HD:Users:alex:.zshrc", Level::Dangerous),
        ("POSIX path", "/Users/alex/.zshrc", Level::Dangerous),
        ("URL", "file:///Users/alex/.zshrc", Level::Dangerous),
        ("URL", "file:///Users/alex/%2Ezshrc", Level::Dangerous),
        ("path", "/Users/alex/Documents/a.txt", Level::Modify),
        ("URL", "https://a.example/.well-known", Level::Modify),
        ("comment", "/Users/alex/.zshrc", Level::Modify),
    ] {
        for class in ["sheet", "note"] {
            let text = || Given::Text(value.to_owned());
            let new = ("new", Given::Class(class.into()));
            for action in [
                set(named(class, "x"), term, text()),
                set(named(class, "x"), "properties", record(term, text())),
                invocation(
                    "make",
                    "corecrel",
                    Given::Null,
                    vec![new, ("with properties", record(term, text()))],
                ),
            ] {
                assert_eq!(classify(&action, &[]).level, level, "{class} {term} {value} {action:?}");
            }
        }
    }
}

/// A container of deleted objects is known by its name, its class, its place, and by what is in it.
#[test]
fn what_is_in_the_trash_leads_to_it() {
    use Way::{Named, Property};
    let moved = |app: &str, to: Given| {
        let action = invocation("move", "coremove", named("message", "x"), vec![("to", to)]);
        classify(&Action { app: app.into(), ..action }, &[]).level
    };
    let (mail, finder, other) = ("com.apple.mail", "com.apple.finder", "x.y");
    let home = || Property("home", "folder");
    let message = || Named("message", "x");
    for (app, ways, level) in [
        (mail, vec![Named("mailbox", " Trash")], Level::Dangerous),
        (other, vec![Named("mailbox", "Trash")], Level::Modify),
        (mail, vec![Named("folder", "Trash")], Level::Modify),
        (mail, vec![Named("mailbox", "Trash"), message(), Property("mailbox", "mailbox")], Level::Dangerous),
        (mail, vec![Named("mailbox", "Lists"), message(), Property("mailbox", "mailbox")], Level::Modify),
        (finder, vec![Property("trash", "trash-object"), Named("folder", "Old")], Level::Dangerous),
        (finder, vec![Property("trash", "trash-object"), Named("folder", ":Old")], Level::Dangerous),
        (
            finder,
            vec![home(), Named("folder", ".Trash"), Named("folder", "x"), Property("container", "folder")],
            Level::Dangerous,
        ),
        (finder, vec![home(), Named("folder", "x"), Property("container", "folder")], Level::Modify),
        (other, vec![Named("folder", ".Trash")], Level::Dangerous),
        (other, vec![Named("folder", ".Trash"), Named("folder", "Old")], Level::Dangerous),
        (other, vec![Named("folder", "Old")], Level::Modify),
    ] {
        let to = Given::Object(path(ways));
        assert_eq!(moved(app, to.clone()), level, "{app} {to:?}");
    }
    let both = |names: [&str; 2]| Given::List(names.map(|name| named("mailbox", name)).to_vec());
    assert_eq!(moved(mail, both(["Lists", "Trash"])), Level::Dangerous);
    assert_eq!(moved(mail, both(["Lists", "Letters"])), Level::Modify);
    // Only `set` gives the property of its object a value.
    let its_mailbox = Given::Object(path([message(), Property("mailbox", "mailbox")]));
    let shown = invocation("show", "miscmvis", its_mailbox, vec![("in", named("mailbox", "Trash"))]);
    assert_eq!(classify(&Action { app: mail.into(), ..shown }, &[]).level, Level::Modify);
}

/// One of several values is enough: the new body removes the attachments, and the mailbox deletes the message.
#[test]
fn what_a_value_removes_counts_among_others() {
    let fields = |all: Vec<(&str, Given)>| {
        let field = |(term, value): (&str, Given)| (Identifier::of(term).expect("an identifier"), value);
        Given::Record(all.into_iter().map(field).collect())
    };
    let sdef =
        r#"<dictionary><suite name="x" code="xxxx"><class name="note" code="note"/></suite></dictionary>"#;
    let (dictionary, _) = crate::dictionary::parse(sdef.as_bytes(), &crate::dictionary::Includes::new());
    let notes = Terms(Some(Arc::new(dictionary)));
    let of_note = |term: &'static str, value: Given| {
        let owned = Given::Object(path([Way::Named("note", "x"), Way::Property(term, "")]));
        let action = invocation("set", "coresetd", owned, vec![("to", value)]);
        classify(&Action { app: "com.apple.Notes".into(), terms: notes.clone(), ..action }, &[]).level
    };
    assert_eq!(of_note("body", Given::Null), Level::Dangerous);
    assert_eq!(of_note("name", Given::Null), Level::Modify);
    let both = fields(vec![("name", Given::Null), ("body", Given::Null)]);
    assert_eq!(of_note("properties", both), Level::Dangerous);
    let both = fields(vec![("subject", Given::Null), ("mailbox", Given::Object(trash()))]);
    let both = set(named("message", "x"), "properties", both);
    assert_eq!(classify(&Action { app: "com.apple.mail".into(), ..both }, &[]).level, Level::Dangerous);
}

/// The disk takes these names for the Trash.
#[test]
fn a_move_to_the_trash_deletes_in_any_spelling() {
    let moved = |to: Given| {
        let action = invocation("move", "coremove", named("document file", "x"), vec![("to", to)]);
        classify(&Action { app: "com.apple.finder".into(), ..action }, &[]).level
    };
    let home = |name: &'static str| {
        Given::Object(path([Way::Property("home", "folder"), Way::Named("folder", name)]))
    };
    for name in [
        ".Trash",
        ".TRASH",
        ".Tra\u{17f}h",
        ".Trash\u{200c}",
        ".Trash.",
        ".Trash ",
        "/Users/alex/.Trash",
        "Macintosh HD:Users:alex:.Trash",
        "Macintosh HD:Users:alex:.Trash:",
        "/Users/alex/.Tra\u{17f}h",
        "/Volumes/USB/.Trashes./501",
        "x/../.Trash",
    ] {
        assert_eq!(moved(home(name)), Level::Dangerous, "{name:?}");
        assert_eq!(moved(named("folder", name)), Level::Dangerous, "{name:?}");
        assert_eq!(moved(Given::File(name.into())), Level::Dangerous, "{name:?}");
        assert_eq!(moved(Given::Text(name.into())), Level::Dangerous, "{name:?}");
    }
    for address in ["file:///Users/alex/%2eTrash", " file:///Users/alex/%2eTrash"] {
        assert_eq!(moved(Given::File(address.into())), Level::Dangerous);
    }
    assert_eq!(moved(Given::List(vec![Given::File("/Users/alex/.Trash".into())])), Level::Dangerous);
    for name in ["Trash", ".Trash/..", "Trash x", "/Users/alex/Documents"] {
        assert_eq!(moved(home(name)), Level::Modify, "{name:?}");
        assert_eq!(moved(Given::File(name.into())), Level::Modify, "{name:?}");
    }
}

#[test]
fn what_open_may_run_is_dangerous() {
    let open = |app: &str, value: Given| {
        let action = invocation("open", "aevtodoc", value, vec![]);
        classify(&Action { app: app.into(), ..action }, &[]).level
    };
    let file = |path: &str| Given::File(path.to_owned());
    for name in [
        "X.app", "X.app/", "X.app/.", "X.APP/./.", "X.app.", "X.app ", "X.a\u{200c}pp", "b.inetloc",
        "b.fileloc", "b.webloc", "b.mpkg", "b.dmg", "b.prefPane", "b.saver", "b.shortcut",
        "b.mobileprovision", "b.py", "b.rb", "b.pl", "b.zsh", "b.bash", "b.osax", "b.scpt ",
        "b.txt/../c.command", "c.command/b/..", "b.dmg/", "b.dmg/.",
    ] {
        let path = format!("/a/{name}");
        assert_eq!(open("com.apple.finder", file(&path)), Level::Dangerous, "{path}");
        assert_eq!(open("com.apple.TextEdit", file(&path)), Level::Dangerous, "{path}");
    }
    for extension in [
        "action", "applescript", "bundle", "csh", "definition", "dylib", "fish", "ftploc", "iso", "jar",
        "jnlp", "js", "ksh", "kext", "mobileconfig", "php", "pkg", "pm", "ps1", "pyc", "pyw", "qlgenerator",
        "scptd", "sh", "sparseimage", "systemextension", "tcl", "tcsh", "terminal", "tool", "vncloc",
        "wflow", "workflow", "xpc",
    ] {
        assert_eq!(
            open("com.apple.TextEdit", file(&format!("/a/b.{extension}"))),
            Level::Dangerous,
            "{extension}"
        );
    }
    for path in ["/a/b", "/a/b.new-kind", "/a/b.txt.new-kind"] {
        assert_eq!(open("com.apple.systemevents", file(path)), Level::Dangerous, "{path}");
        assert_eq!(open("com.apple.TextEdit", file(path)), Level::Modify, "{path}: it is only shown");
    }
    for extension in [
        "aac", "aif", "aiff", "avi", "avif", "bmp", "bz2", "c", "cpp", "css", "csv", "doc", "docx", "eml",
        "epub", "flac", "gif", "go", "gpx", "gz", "h", "heic", "hpp", "htm", "html", "ics", "ini", "jpeg",
        "jpg", "json", "key", "log", "m4a", "m4v", "md", "mkv", "mov", "mp3", "mp4", "numbers", "odp", "ods",
        "odt", "ogg", "opml", "pages", "pdf", "plist", "png", "ppt", "pptx", "psd", "rs", "rtf", "rtfd",
        "srt", "svg", "swift", "tar", "tex", "tif", "tiff", "toml", "tsv", "txt", "usdz", "vcf", "wav",
        "webp", "xls", "xlsx", "xml", "yaml", "yml", "zip",
    ] {
        let path = format!("/a/b.{extension}");
        assert_eq!(open("com.apple.finder", file(&path)), Level::Modify, "{path}");
    }
    for path in ["/a/b.pdf", "/a/b.TXT", "/a.app-notes/b.docx", "/a/b.tar.gz"] {
        assert_eq!(open("com.apple.finder", file(path)), Level::Modify, "{path}");
    }
    assert_eq!(open("com.apple.finder", named("folder", "Documents")), Level::Modify);
    assert_eq!(open("com.apple.finder", named("folder", "X.app")), Level::Dangerous);
    assert_eq!(open("com.apple.finder", named("document file", "README")), Level::Dangerous);
    assert_eq!(open("com.apple.finder", object(0)), Level::Dangerous);
    assert_eq!(open("com.apple.TextEdit", object(0)), Level::Modify);
    assert_eq!(open("com.apple.TextEdit", named("item", "Install.pkg")), Level::Dangerous);
    assert_eq!(open("com.apple.TextEdit", named("item", "b.new-kind")), Level::Modify);
    assert_eq!(open("com.apple.finder", property("title")), Level::Modify, "it is no file");
    let selection = invocation("open", "aevtodoc", property("selection"), vec![]);
    let selection = Action { app: "com.apple.finder".into(), terms: mail(), ..selection };
    assert_eq!(classify(&selection, &[]).level, Level::Dangerous, "any of its files");
    let folder = path([Way::Property("home", "folder"), Way::At("folder")]);
    assert_eq!(open("com.apple.finder", Given::Object(folder)), Level::Modify, "whichever it is");
    assert_eq!(open("com.apple.finder", named("window", "X.app")), Level::Dangerous);
    assert_eq!(open("com.apple.finder", named("window", "X")), Level::Modify);
    assert_eq!(open("com.apple.TextEdit", named("application file", "Mail")), Level::Dangerous);
    let text = || Given::Text("X.app".to_owned());
    assert_eq!(open("com.apple.finder", text()), Level::Dangerous);
    assert_eq!(open("com.apple.TextEdit", text()), Level::Modify, "a text is no file there");
    assert_eq!(open("com.apple.finder", Given::Text("x.txt".to_owned())), Level::Modify);
    assert_eq!(open("com.apple.finder", Given::List(vec![text(), file("/a/b.txt")])), Level::Dangerous);
    for class in ["folder", "disk", "container"] {
        assert_eq!(open("com.apple.finder", named(class, "USB")), Level::Modify, "{class}");
    }
    // Some apps take colons for a way up, so another file may be meant.
    assert_eq!(open("com.apple.finder", named("document file", "a.txt::")), Level::Dangerous);
    let location = |text: &str| {
        let value = Given::Text(text.to_owned());
        let found = classify(&invocation("open location", "GURLGURL", value, vec![]), &[]);
        (found.level, found.is_shell)
    };
    for address in [
        "https://example.org",
        "http://example.org",
        "about:blank",
        "https://example.org/omnijs-run",
        "mailto:a@example.org?subject=shortcuts:",
        "example.org",
        ":x",
        "see page: x",
    ] {
        assert_eq!(location(address), (Level::Modify, false), "{address}");
    }
    for address in [
        "file:///a/X.app",
        "ssh://host",
        "fi\nle:///x",
        "omnifocus:///task/abc",
        "x-apple.systempreferences:x",
        "svn+ssh://host",
    ] {
        assert_eq!(location(address), (Level::Dangerous, false), "{address}");
    }
    // These addresses do not show what they run, like the command `run` of Shortcuts Events. A rule must name the
    // command first.
    for address in [
        "shortcuts://run-shortcut?name=x",
        " ShortCuts://x-callback-url/run-shortcut",
        "workflow://x",
        "omnifocus://localhost/omnijs-run?script=1",
        "omnifocus://localhost/omnijs%2Drun?script=1",
    ] {
        assert_eq!(location(address), (Level::Dangerous, true), "{address}");
    }
    for addresses in [["ssh://host", "workflow://x"], ["workflow://x", "ssh://host"]] {
        let all = Given::List(addresses.map(|address| Given::Text(address.to_owned())).into());
        assert!(classify(&invocation("open location", "GURLGURL", all, vec![]), &[]).is_shell);
    }
}

#[test]
fn where_programs_look_for_what_to_run_is_dangerous_to_write() {
    let level = |code: &str, direct: Given, to: Vec<(&str, Given)>| {
        classify(&invocation("x", code, direct, to), &[]).level
    };
    let made = |name: &str| {
        let key = Identifier::of("name").expect("an identifier");
        let properties = Given::Record(vec![(key, Given::Text(name.to_owned()))]);
        level(
            "corecrel",
            Given::Null,
            vec![("new", Given::Class("property list file".into())), ("with properties", properties)],
        )
    };
    let saved = |path: &str| level("coresave", object(0), vec![("in", Given::File(path.to_owned()))]);
    for path in [
        "/Users/a/Library/LaunchAgents/x.plist",
        "/users/a/library/launchagents/x.plist",
        "/Library/LaunchDaemons/x.plist",
        "/Users/a/Library/Services/x.workflow",
        "/Users/a/Library/Automator/x",
        "/Users/a/Library/ColorPickers/x",
        "/Users/a/Library/KeyBindings/x",
        "/Users/a/Library/Scripts/x",
        "/Users/a/Library/Spotlight/x",
        "/Users/a/Library/Workflows/x",
        "/Users/a/Library/LaunchDaemons/x",
        "/Users/a/Library/StartupItems/x",
        "/Users/a/Library/ScriptingAdditions/x",
        "/Users/a/Library/PreferencePanes/x",
        "/Users/a/Library/Internet Plug-Ins/x",
        "/Users/a/Library/Input Methods/x",
        "/Users/a/Library/QuickLook/x",
        "/Users/a/Library/Screen Savers/x",
        "/Users/a/Folder Action Scripts/x",
        "/bin/x",
        "/sbin/x",
        "/usr/x",
        "/opt/x",
        "/Library/x",
        "/System/x",
        "/var/at/x",
        "/Users/a/Library/Scripts/Folder Action Scripts/x.scpt",
        "/Users/a/Library/Application Scripts/b/x.scpt",
        "/etc/hosts",
        "/private/etc/hosts",
        "/System/Volumes/Data/private/etc/hosts",
        "/Users/a/.zshrc",
        "/Users/a/.../x",
        "/Users/a/x/../.zshrc",
        "/Applications/X.app/Contents/x",
        "/Applications/X.app/x",
    ] {
        assert_eq!(saved(path), Level::Dangerous, "{path}");
        let any = level("xxxxyyyy", Given::Null, vec![("x", Given::File(path.to_owned()))]);
        assert_eq!(any, Level::Dangerous, "{path}");
        assert_eq!(made(path), Level::Dangerous, "{path}");
        let colons = format!("Macintosh HD{}", path.replace('/', ":"));
        assert_eq!(made(&colons), Level::Dangerous, "{colons}");
    }
    for path in [
        "/Users/a/Documents/x.plist",
        "/Users/a/Library/x.plist",
        "/Users/a/Services/x",
        "/Users/a/x.app",
        "/Users/a/.Trash/x",
        "/Users/a/./x",
        "/Users/a/.zshrc/../x",
        "/Users/a/Library//LaunchAgents/../x",
        "/var/log/x",
        "/etc",
        "/",
    ] {
        assert_eq!(saved(path), Level::Modify, "{path}");
        assert_eq!(made(path), Level::Modify, "{path}");
    }
    for code in ["coremove", "coreclon"] {
        let into = |name: &str, folder: Given| level(code, named("file", name), vec![("to", folder)]);
        let agents = named("folder", "/Users/a/Library/LaunchAgents");
        assert_eq!(into("x.plist", agents), Level::Dangerous, "{code}");
        assert_eq!(into(".zshrc", property("home")), Level::Dangerous, "{code}");
        assert_eq!(into("x.pdf", property("home")), Level::Modify, "{code}");
    }
}

/// An argument that raises the level of one command says nothing about another.
#[test]
fn arguments_are_judged_by_their_command() {
    use Given::{Bool, Class, Enumerator, File, Null, Object, Text};
    let folder = |path: &str| vec![("to", File(path.into()))];
    for (code, direct, parameters) in [
        ("miscmvis", Text("from: ssh".into()), vec![]),
        ("corecrel", Text("ssh://host".into()), vec![("new", Class("event".into()))]),
        ("miscmvis", property("value"), vec![]),
        ("miscmvis", Null, vec![("x", Class("login item".into()))]),
        ("miscmvis", named("login item", "x"), vec![]),
        ("coresave", object(0), vec![("saving", Enumerator("no".into()))]),
        ("coremove", object(0), vec![("replacing", Bool(false))]),
        ("coremove", object(0), vec![("to", Text("x".into()))]),
        ("coreclon", object(0), vec![("to", Object(trash()))]),
        ("aevtodoc", Null, vec![]),
    ] {
        let action = invocation("x", code, direct, parameters);
        assert_eq!(classify(&action, &[]).level, Level::Modify, "{action:?}");
    }
    let at = |place: Place| Given::Place(place);
    let member = || {
        Arc::new(Member {
            term: "item".into(),
            identifier: Identifier::of("items").expect("an identifier"),
            class: "item".into(),
        })
    };
    for (to, reason) in [
        (vec![("to", property("trash"))], "deletes objects"),
        (vec![("to", at(Place::Beginning(trash(), member())))], "deletes objects"),
        (vec![("to", at(Place::End(trash(), member())))], "deletes objects"),
        (vec![("to", named("trash-object", "x"))], "deletes objects"),
        (vec![("to", named("folder", "/Volumes/USB/.Trashes/501"))], "deletes objects"),
        (folder("/Users/a/.Trash"), "deletes objects"),
        (folder("/Volumes/USB/.Trashes/501"), "deletes objects"),
    ] {
        let found = classify(&invocation("x", "coremove", object(0), to), &[]);
        assert_eq!((found.level, &*found.reason), (Level::Dangerous, reason));
    }
}

#[test]
fn arguments_only_raise() {
    use Given::{Class, Enumerator, File, List, Null, Object, Text};
    let cases = [
        (invocation("move", "coremove", object(0), vec![("to", object(1))]), Level::Modify, false),
        (invocation("move", "coremove", object(0), vec![("to", Object(trash()))]), Level::Dangerous, false),
        (invocation("open", "aevtodoc", File("/a/b.txt".into()), vec![]), Level::Modify, false),
        (invocation("open", "aevtodoc", File("/a/b.COMMAND".into()), vec![]), Level::Dangerous, false),
        (
            invocation("save", "coresave", object(0), vec![("in", File("/u/.zshrc".into()))]),
            Level::Dangerous,
            false,
        ),
        (
            invocation("close", "coreclos", object(0), vec![("saving", Enumerator("yes".into()))]),
            Level::Modify,
            false,
        ),
        (
            invocation("close", "coreclos", object(0), vec![("saving", Enumerator("no".into()))]),
            Level::Dangerous,
            false,
        ),
        (
            invocation("quit", "aevtquit", Null, vec![("saving", Enumerator("no".into()))]),
            Level::Dangerous,
            false,
        ),
        (invocation("make", "corecrel", Null, vec![("new", Class("window".into()))]), Level::Modify, false),
        (
            invocation("make", "corecrel", Null, vec![("new", Class("login item".into()))]),
            Level::Dangerous,
            false,
        ),
        (invocation("make", "corecrel", Null, vec![("new", Class("script".into()))]), Level::Dangerous, true),
        (invocation("create tab", "Itrmntwp", Null, vec![("command", Null)]), Level::Modify, false),
        (
            invocation("create tab", "Itrmntwp", Null, vec![("command", Text("ls".into()))]),
            Level::Dangerous,
            true,
        ),
        (
            invocation("create tab", "Itrmntwp", Null, vec![("shell command", Text("ls".into()))]),
            Level::Dangerous,
            true,
        ),
        (
            invocation("reveal", "miscmvis", List((0..MANY as u32).map(object).collect()), vec![]),
            Level::Modify,
            false,
        ),
        (
            invocation("reveal", "miscmvis", List((0..=MANY as u32).map(object).collect()), vec![]),
            Level::Dangerous,
            false,
        ),
        (
            invocation("count", "corecnte", List((0..=MANY as u32).map(object).collect()), vec![]),
            Level::Safe,
            false,
        ),
    ];
    let more = [
        (invocation("open", "aevtodoc", named("application file", "Mail"), vec![]), Level::Dangerous, false),
        (invocation("open", "aevtodoc", named("item", "Install.pkg"), vec![]), Level::Dangerous, false),
        (invocation("open", "aevtodoc", named("item", "a.txt"), vec![]), Level::Modify, false),
        (
            invocation("make", "corecrel", Null, vec![("with data", Text(" JavaScript:alert(1)".into()))]),
            Level::Dangerous,
            true,
        ),
        (
            invocation("set", "coresetd", property("value"), vec![("to", Text("x".into()))]),
            Level::Dangerous,
            false,
        ),
        (invocation("set", "coresetd", property("bounds"), vec![]), Level::Modify, false),
        (
            invocation("move", "coremove", object(0), vec![("replacing", Given::Bool(true))]),
            Level::Dangerous,
            false,
        ),
        // A read of a hidden file is a read.
        (invocation("count", "corecnte", File("/u/.zshrc".into()), vec![]), Level::Safe, false),
    ];
    for (action, level, is_shell) in cases.into_iter().chain(more) {
        let found = classify(&action, &[]);
        assert_eq!((found.level, found.is_shell), (level, is_shell), "{action:?}: {}", found.reason);
    }
}

/// A longer approval holds what stands in its scope: the command, the class and the property, but no value.
#[test]
fn a_value_that_makes_it_worse_is_told_from_what_is_as_bad_with_any_value() {
    let rules =
        [LevelRule { app: None, command: None, property: Some("mailbox".into()), level: Level::Dangerous }];
    let in_mail = |action: Action| Action { app: "com.apple.mail".into(), ..action };
    let put = |term: &str, value: Given| in_mail(set(named("message", "x"), term, value));
    let moved = |to: Given| put("mailbox", to);
    let in_answer = |action: Action| {
        let Deed::Set(mut changes) = action.deed else { panic!("a change") };
        let creation = Creation { writes: changes.pop().map(Box::new), ..Creation::default() };
        Action { deed: Deed::Create(Box::new(creation)), app: action.app, terms: action.terms }
    };
    let alarm = || vec![("new", Given::Class("mail alarm".into()))];
    let in_calendar = |action: Action| Action { app: "com.apple.iCal".into(), ..action };
    let discarded = in_calendar(invocation(
        "move",
        "coremove",
        named("mail alarm", "x"),
        vec![("to", Given::Object(trash()))],
    ));
    let of_make =
        [LevelRule { app: None, command: Some("make".into()), property: None, level: Level::Modify }];
    let folder_script = vec![("new", Given::Class("script".into())), ("command", Given::Text("ls".into()))];
    let in_steps = |names: &[&str]| {
        let step = |name: &&str| {
            let to = vec![("to", Given::File(format!("/u/{name}")))];
            let Deed::Command(copy) = invocation("copy", "coreclon", object(0), to).deed else {
                panic!("a command")
            };
            Following { place: String::new(), judged: (*copy).clone(), sent: *copy }
        };
        let creation = Creation { then: names.iter().map(step).collect(), ..Creation::default() };
        Action { deed: Deed::Create(Box::new(creation)), ..invocation("x", "x", Given::Null, vec![]) }
    };
    for (action, rules, raised) in [
        (moved(Given::Object(trash())), &[][..], true),
        (moved(Given::Object(trash())), &rules[..], false),
        (moved(named("mailbox", "Letters")), &[][..], false),
        (put("deleted status", Given::Bool(true)), &[][..], false),
        (in_answer(moved(Given::Object(trash()))), &[][..], true),
        (in_answer(moved(named("mailbox", "Letters"))), &[][..], false),
        (discarded, &[][..], true),
        (in_calendar(invocation("make", "corecrel", Given::Null, alarm())), &[][..], false),
        // The operator's level stands for the class, too, but not for code.
        (invocation("make", "corecrel", Given::Null, folder_script), &of_make[..], true),
        (in_steps(&[".zshrc", "x"]), &[][..], true),
        (in_steps(&["x"]), &[][..], false),
    ] {
        assert_eq!(is_raised(&action, rules), raised, "{action:?} {rules:?}");
    }
}

/// The scheme of System Settings opens a pane and nothing else, if Standard Additions get it in its usual spelling.
#[test]
fn a_pane_of_the_settings_is_no_program() {
    let open = |app: &str, value: Given| {
        let action = Action { app: app.into(), ..invocation("open location", "GURLGURL", value, vec![]) };
        let found = classify(&action, &[]);
        (found.level, found.reason.into_owned())
    };
    let text = |text: &str| Given::Text(text.to_owned());
    let pane = (Level::Modify, "opens a pane of System Settings".to_owned());
    let other = (Level::Dangerous, "opens an address that may start any program".to_owned());
    for address in [
        "x-apple.systempreferences:com.apple.BluetoothSettings",
        "x-apple.systempreferences:com.apple.preference.security?Privacy_Automation",
        "x-apple.systempreferences:com.apple.Network-Settings.extension",
        "x-apple.systempreferences:",
    ] {
        assert_eq!(open(STANDARD_ADDITIONS, text(address)), pane, "{address}");
        assert_eq!(open("com.apple.Safari", text(address)), other, "an app may do anything with it");
    }
    for address in [
        "X-Apple.SystemPreferences:com.apple.x",
        " x-apple.systempreferences:com.apple.x",
        "x-apple.systempreferences:com.apple.x\n",
        "x-apple.system\tpreferences:com.apple.x",
        "x-apple.systempreferences://com.apple.x",
        "x-apple.systempreferences:com.apple.x?action=install",
        "x-apple.systempreferences:com.apple.x?a&b",
        "x-apple.systempreferences:com.apple.x?a?b",
        "x-apple.systempreferences:com.apple.x#a",
        "x-apple.systempreferences:..%2Fx",
        "x-apple.systempreferences:/Library/X.prefPane",
        "x-apple.systempreferences.x:com.apple.x",
        "x-apple.configuration:com.apple.x",
    ] {
        assert_eq!(open(STANDARD_ADDITIONS, text(address)), other, "{address:?}");
    }
    let both = |other: &str| Given::List(vec![text("x-apple.systempreferences:com.apple.x"), text(other)]);
    assert_eq!(open(STANDARD_ADDITIONS, both("x-apple.systempreferences:com.apple.y")), pane);
    assert_eq!(open(STANDARD_ADDITIONS, both("ssh://h")), other);
    let page = (Level::Modify, "opens an address".to_owned());
    assert_eq!(open(STANDARD_ADDITIONS, both("https://example.org")), page);
}

#[test]
fn a_save_without_a_file_writes_none() {
    let save = |direct: Given, parameters: Vec<(&str, Given)>| {
        classify(&invocation("save", "coresave", direct, parameters), &[]).reason.into_owned()
    };
    let app = || Given::Object(Path::application());
    assert_eq!(save(app(), vec![]), "saves the app's own data");
    assert_eq!(save(named("document", "Letter"), vec![]), "saves what is open in the app");
    assert_eq!(
        save(named("document", "Letter"), vec![("in", Given::File("/a/b.txt".into()))]),
        "writes a file"
    );
    assert_eq!(save(app(), vec![("in", Given::Text("x".into()))]), "writes a file");
    assert_eq!(save(Given::File("/a/b.txt".into()), vec![]), "writes a file");
    assert_eq!(save(property("selection"), vec![]), "saves the app's own data");
    assert_eq!(
        save(Given::List(vec![app(), named("document", "x")]), vec![]),
        "saves what is open in the app"
    );
    // Under another name the code proves nothing.
    let erase = classify(&invocation("erase all", "coresave", app(), vec![]), &[]);
    assert_eq!((erase.level, &*erase.reason), (Level::Dangerous, "erases something"));
}

/// A question does not cut an address, because its end may decide its host.
#[test]
fn an_address_is_told_by_its_form() {
    for address in ["https://a.example/x", "HTTP://a.example", "mailto:ann@b.example", "x-apple.note:x"] {
        assert!(is_address(address), "{address}");
    }
    for text in ["", "https:", "from: Ann", "two words", "note: see https://a.example"] {
        assert!(!is_address(text), "{text}");
    }
}

/// The path of the property says that it is the trash, and that of a mailbox by its number says nothing.
#[test]
fn only_a_container_without_a_name_may_be_the_trash() {
    let member = |term: &str| {
        let identifier = Identifier::of("x").expect("an identifier");
        Arc::new(Member { term: term.into(), identifier, class: "mailbox".into() })
    };
    let at = |segment: Segment| {
        may_be_trash("com.apple.mail", &Terms::default(), &Path::application().then(segment))
    };
    assert!(at(Segment::Property(member("inbox"))));
    assert!(!at(Segment::Property(member("trash mailbox"))));
    assert!(at(Segment::Element(member("mailbox"), By::Index(0))));
    assert!(!at(Segment::Element(member("mailbox"), By::Name("Trash".into()))));
}
