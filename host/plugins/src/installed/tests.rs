use serde_json::json;

use super::*;

fn package(id: &str, version: &str, tool: &str) -> (Vec<u8>, Package, Receipt) {
    let bytes = format!("the bytes of {id} {version}").into_bytes();
    let text = format!(
        "id = \"{id}\"\nversion = \"{version}\"\nlicence = \"MIT\"\napi = \"0.1\"\ndescription = \"d\""
    );
    let manifest = Manifest::parse(&text).expect("the test's own manifest");
    let tools = vec![Descriptor {
        name: tool.to_owned(),
        title: None,
        description: "d".to_owned(),
        input_schema: json!({}),
        output_schema: None,
        read_only: true,
        destructive: false,
        idempotent: true,
    }];
    let sha256 = HEXLOWER.encode(&Sha256::digest(&bytes));
    let package = Package {
        manifest,
        tools,
        scripts: Vec::new(),
        resources: BTreeMap::new(),
        imports: BTreeSet::new(),
        sha256,
        size: bytes.len(),
    };
    let receipt = Receipt::of(&package, "test".to_owned(), Grants::default());
    (bytes, package, receipt)
}

fn add(installed: &Installed, id: &str, version: &str) -> Result<(), InstallError> {
    let (bytes, package, receipt) = package(id, version, &id.replace('-', "_"));
    installed.add(&bytes, &package, receipt)
}

fn update(installed: &Installed, id: &str, version: &str) -> Result<(), InstallError> {
    let (bytes, package, receipt) = package(id, version, &id.replace('-', "_"));
    installed.update(&bytes, &package, receipt)
}

/// Describes the installed plugins. It reads every file and checks its hash.
fn image(path: &Path) -> Vec<String> {
    let installed = Installed::open(path).expect("it opens");
    let list = installed.list().expect("the head is whole");
    let line = |(id, receipt): (&PluginId, &Receipt)| {
        installed.bytes(id, receipt).expect("the file is whole");
        format!("{id} {}", receipt.version)
    };
    list.iter().map(line).collect()
}

/// Cuts the power before each effect of a change in turn. The next start must see the old state or the new one.
fn check_power_cuts(change: impl Fn(&Installed) -> Result<(), InstallError>, old: &[&str], new: &[&str]) {
    let mut seen_old = false;
    for power in 0.. {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let installed = Installed::open(folder.path()).expect("it opens");
        add(&installed, "demo", "1.0.0").expect("it is added");
        installed.power.set(Some(power));
        let ended = change(&installed);
        let image = image(folder.path());
        assert!(image == old || image == new, "cut before effect {power}: {image:?}");
        seen_old |= image == old;
        if ended.is_ok() {
            assert_eq!(image, new);
            break;
        }
        let again = Installed::open(folder.path()).expect("it opens");
        add(&again, "next", "1.0.0").expect("the next change works");
        let left = |name: &str| name.ends_with(".new");
        let names = std::fs::read_dir(folder.path()).expect("it is there").flatten();
        let stale: Vec<_> = names.filter(|entry| entry.file_name().to_str().is_some_and(left)).collect();
        assert!(stale.is_empty(), "cut before effect {power}: {stale:?} was left");
    }
    assert!(seen_old, "some cut came before the change");
}

#[test]
fn the_power_may_go_at_any_time() {
    check_power_cuts(|it| add(it, "other", "1.0.0"), &["demo 1.0.0"], &["demo 1.0.0", "other 1.0.0"]);
    check_power_cuts(|it| update(it, "demo", "2.0.0"), &["demo 1.0.0"], &["demo 2.0.0"]);
    check_power_cuts(|it| it.remove("demo"), &["demo 1.0.0"], &[]);
}

fn check(change: impl Fn(&Installed) -> Result<(), InstallError>, expected: &str) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let installed = Installed::open(folder.path()).expect("it opens");
    add(&installed, "demo", "1.0.0").expect("it is added");
    let shown = change(&installed).map_or_else(|error| error.to_string(), |()| "ok".to_owned());
    assert!(shown.starts_with(expected), "{shown}");
}

#[test]
fn a_change_fits_what_is_there() {
    check(|it| add(it, "demo", "2.0.0"), "plugin `demo` is already installed");
    check(|it| update(it, "other", "2.0.0"), "no plugin `other` is installed");
    check(|it| it.remove("other"), "no plugin `other` is installed");
    check(|it| it.edit("other", |_| ()), "no plugin `other` is installed");
    check(|it| it.edit("demo", |receipt| receipt.grants.store = true), "ok");
    let stolen = |it: &Installed| {
        let (bytes, package, receipt) = package("demo-two", "1.0.0", "demo");
        it.add(&bytes, &package, receipt)
    };
    check(stolen, "the plugin `demo` already has the tool `demo`");
}

#[test]
fn a_file_that_was_changed_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let installed = Installed::open(folder.path()).expect("it opens");
    add(&installed, "demo", "1.0.0").expect("it is added");
    let (id, receipt) = installed.list().expect("the head is whole").pop_first().expect("it is there");
    assert!(installed.bytes(&id, &receipt).is_ok());
    installed.directory.write(file(&receipt.sha256), "something else").expect("it is written");
    assert!(matches!(installed.bytes(&id, &receipt), Err(InstallError::Changed(_))));
}

#[test]
fn nothing_runs_on_a_head_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let installed = Installed::open(folder.path()).expect("it opens");
    for text in ["", "{", "{\"format\":2,\"plugins\":{}}", "{\"format\":1,\"plugins\":{\"../x\":{}}}"] {
        installed.directory.write(HEAD, text).expect("it is written");
        assert!(matches!(installed.list(), Err(InstallError::Head(_))), "{text:?}");
        assert!(matches!(add(&installed, "demo", "1.0.0"), Err(InstallError::Head(_))), "{text:?}");
    }
    let head = folder.path().join(HEAD);
    std::fs::File::create(&head).and_then(|file| file.set_len(1 << 40)).expect("a file may have a hole");
    assert!(matches!(installed.list(), Err(InstallError::Io(..))));
    std::fs::remove_file(&head).expect("it can be removed");
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
    rustix::fs::mknodat(rustix::fs::CWD, &head, kind, mode, 0).expect("a pipe can be made");
    assert!(matches!(installed.list(), Err(InstallError::Io(..))), "nobody writes into it");
}

#[test]
fn the_secret_stays() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let first = Installed::open(folder.path()).and_then(|it| it.secret()).expect("there is a secret");
    let second = Installed::open(folder.path()).and_then(|it| it.secret()).expect("there is a secret");
    assert!(first == second && first != [0; 32]);
}

#[test]
fn a_package_that_was_touched_or_linked_elsewhere_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let state = folder.path().join("plugins");
    let installed = Installed::open(&state).expect("it opens");
    add(&installed, "demo", "1.0.0").expect("it is installed");
    let list = installed.list().expect("the head is whole");
    let (id, receipt) = list.first_key_value().expect("it is there");
    let (held, outside) = (state.join(file(&receipt.sha256)), folder.path().join("outside"));
    let check = |expected: &str| {
        let refused = installed.bytes(id, receipt).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains(expected), "{refused}");
    };
    std::fs::rename(&held, &outside).expect("a file can be moved");
    std::os::unix::fs::symlink(&outside, &held).expect("a link can be made");
    check("cannot be read");
    std::fs::remove_file(&held).expect("a link can be removed");
    std::fs::File::create(&held).expect("a file can be made");
    check("was changed after its installation");
    std::fs::copy(&outside, &held).expect("a file can be made");
    assert!(installed.bytes(id, receipt).is_ok(), "the very bytes are used");
}
