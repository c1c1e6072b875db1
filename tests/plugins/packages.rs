//! Packages and compiled code that someone has changed.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use iac_plugins::capability::Grants;
use iac_plugins::engine::{Backend, Cache, Plugin, Setup};
use iac_plugins::package::{self, Texts};
use proptest::prelude::*;
use serde_json::Map;
use tokio_util::sync::CancellationToken;
use wit_component::StringEncoding;

use crate::guests::{Guest, call, engine, shown, wide};

async fn honest() -> Vec<u8> {
    Guest::read("honest").packed(&engine(Backend::Native), &wide()).await.expect("the guest is packed")
}

fn setup(package: package::Package) -> Setup {
    let grants = package.grants();
    Setup {
        id: package.manifest.id,
        grants,
        wanted: Grants::default(),
        limits: wide(),
        settings: Map::new(),
        lenient: false,
        tools: package.tools,
        scripts: package.scripts,
        secrets: Vec::new(),
    }
}

fn cache(folder: &Path, secret: u8) -> Cache {
    Cache::new(Dir::open_ambient_dir(folder, ambient_authority()).expect("the folder is there"), [secret; 32])
}

fn only_file(folder: &Path) -> std::path::PathBuf {
    let mut files = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let file = files.next().expect("something was kept").path();
    assert!(files.next().is_none(), "one file is kept");
    file
}

fn overwrite(path: &Path, bytes: &[u8]) {
    let mut file = std::fs::File::create(path).expect("the file can be written");
    std::io::Write::write_all(&mut file, bytes).expect("the file can be written");
}

/// Changes the cached code, compiles again, and checks that the code was replaced and the guest works as before.
async fn check_touched(how: &str, touch: impl Fn(Vec<u8>) -> Vec<u8>, secret: u8) {
    let (engine, bytes) = (engine(Backend::Native), honest().await);
    let folder = tempfile::tempdir().expect("a folder can be made");
    engine.compile(&bytes, Some(&cache(folder.path(), 1))).expect("the guest compiles");
    let file = only_file(folder.path());
    let kept = std::fs::read(&file).expect("the file is there");
    overwrite(&file, &touch(kept.clone()));
    let compiled = engine.compile(&bytes, Some(&cache(folder.path(), secret))).expect("the guest compiles");
    let plugin = Plugin::link(&engine, &compiled, setup(package::read(&bytes).expect("it is whole")))
        .expect("it links");
    assert_eq!(shown(&plugin).await, "{}", "{how}");
    let again = std::fs::read(only_file(folder.path())).expect("the file is there");
    assert!(again[32..] == kept[32..], "{how}: what was touched is replaced");
}

#[tokio::test]
async fn compiled_code_that_was_touched_is_never_used() {
    check_touched("untouched", |kept| kept, 1).await;
    check_touched(
        "one bit",
        |mut kept| {
            kept[5_000] ^= 1;
            kept
        },
        1,
    )
    .await;
    check_touched(
        "its code",
        |mut kept| {
            kept.truncate(kept.len() - 1);
            kept
        },
        1,
    )
    .await;
    check_touched("cut", |kept| kept[..20].to_vec(), 1).await;
    check_touched("empty", |_| Vec::new(), 1).await;
    check_touched("of another server", |kept| kept, 2).await;
}

#[tokio::test]
async fn what_was_kept_is_used() {
    let (engine, bytes) = (engine(Backend::Native), honest().await);
    let folder = tempfile::tempdir().expect("a folder can be made");
    engine.compile(&bytes, Some(&cache(folder.path(), 1))).expect("the guest compiles");
    let file = only_file(folder.path());
    // Writing would create a new file; a use only updates the file's time.
    let written = std::fs::metadata(&file).expect("the file is there").ino();
    engine.compile(&bytes, Some(&cache(folder.path(), 1))).expect("the guest loads");
    assert_eq!(std::fs::metadata(&file).expect("the file is there").ino(), written);
}

async fn check_version(version: &str, expected: &str) {
    let engine = engine(Backend::Native);
    let guest = Guest::read("log-flood");
    let module = guest.module_of(version, StringEncoding::UTF8);
    let came = match package::pack(&engine, &module, &guest.manifest(), &Texts::new(), &wide(), None).await {
        Ok(bytes) => {
            let compiled = engine.compile(&bytes, None).expect("the guest compiles");
            let package = package::read(&bytes).expect("it is whole");
            shown(&Plugin::link(&engine, &compiled, setup(package)).expect("it links")).await
        }
        Err(refused) => refused.to_string(),
    };
    assert!(came.contains(expected), "{version}: {came}");
}

#[tokio::test]
async fn interfaces_of_the_same_version_fit() {
    check_version("0.1.0", "log lines").await;
    check_version("0.1.7", "log lines").await;
    check_version("0.2.0", "imports `iac:plugin/log@0.2.0`").await;
    check_version("1.0.0", "imports `iac:plugin/log@1.0.0`").await;
}

#[tokio::test]
async fn text_is_utf8() {
    let engine = engine(Backend::Native);
    let guest = Guest::read("log-flood");
    for encoding in [StringEncoding::UTF16, StringEncoding::CompactUTF16] {
        let module = guest.module_of("0.1.0", encoding);
        let refused = package::pack(&engine, &module, &guest.manifest(), &Texts::new(), &wide(), None)
            .await
            .err()
            .map(|it| it.to_string());
        assert_eq!(refused.as_deref(), Some("the component passes text as UTF-16, expected UTF-8"));
    }
}

/// A custom section in the binary format, for lengths below 16,384.
fn section(name: &str, data: &[u8]) -> Vec<u8> {
    let length = |value: usize| {
        [u8::try_from(value & 0x7f | 0x80).expect("seven bits"), u8::try_from(value >> 7).expect("small")]
    };
    let mut body = length(name.len()).to_vec();
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(data);
    let mut section = vec![0];
    section.extend_from_slice(&length(body.len()));
    section.extend_from_slice(&body);
    section
}

fn refused(bytes: &[u8]) -> String {
    package::read(bytes).err().map_or_else(|| "nothing".to_owned(), |error| error.to_string())
}

#[tokio::test]
async fn a_package_says_everything_once() {
    let bytes = honest().await;
    assert_eq!(refused(&bytes), "nothing");
    for name in ["iac:plugin.toml", "iac:tools.json"] {
        let twice = [&bytes[..], &section(name, b"")[..]].concat();
        let expected = format!("the section `{name}` occurs 2 times, expected once");
        assert!(refused(&twice).starts_with(&expected), "{}", refused(&twice));
    }
    let module = Guest::read("honest").module();
    assert!(refused(&module).starts_with("the file is not a component"), "{}", refused(&module));
    assert!(refused(b"").starts_with("the file is not a component"));
}

#[tokio::test]
async fn tools_that_are_not_the_guests_own_are_found() {
    let bytes = honest().await;
    let text = b"Misbehaves.";
    let last =
        bytes.windows(text.len()).rposition(|window| window == text).expect("the description is there");
    let mut touched = bytes.clone();
    touched[last] = b'B';
    assert_eq!(refused(&touched), "nothing");
    let verify = async |bytes: &[u8]| {
        let package = package::read(bytes).expect("it is whole");
        package::verify(&engine(Backend::Native), (bytes, &package), &wide(), None).await
    };
    let found = verify(&touched).await.err().map(|it| it.to_string());
    let expected =
        "the component lists other tools than its package; make the file again with `iac-mcp plugin pack`";
    assert_eq!(found.as_deref(), Some(expected));
    assert!(verify(&bytes).await.is_ok());
}

#[test]
fn bytes_that_are_no_package_are_refused() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    let bytes = runtime.block_on(honest());
    for length in (0..bytes.len()).step_by(97) {
        assert!(package::read(&bytes[..length]).is_err(), "cut at {length}");
    }
    proptest!(ProptestConfig::with_cases(300), |(at in 0..bytes.len(), byte: u8, noise: Vec<u8>)| {
        let mut touched = bytes.clone();
        touched[at] = byte;
        drop(package::read(&touched));
        prop_assert!(package::read(&noise).is_err());
        prop_assert!(package::read(&[&bytes[..8], &noise].concat()).is_err());
    });
}

#[tokio::test]
async fn a_refusal_names_the_command_that_grants() {
    let engine = engine(Backend::Native);
    let bytes = Guest::read("app-not-granted").packed(&engine, &wide()).await.expect("the guest is packed");
    let compiled = engine.compile(&bytes, None).expect("the guest compiles");
    let command = "`iac-mcp plugin grant hostile apps com.example.other`";
    let unwanted = "plugin.toml does not ask for it: the author can add it there, or the user can grant it:";
    for (wanted, says) in
        [("com.example.other", "only the user can change this:"), ("com.example.notes", unwanted)]
    {
        let mut setup = setup(package::read(&bytes).expect("it is whole"));
        setup.wanted.apps = [wanted.to_owned()].into();
        let plugin = Plugin::link(&engine, &compiled, setup).expect("it links");
        let (answer, _) = plugin.call(call(CancellationToken::new())).await;
        let body = answer.expect_err("it is refused").body(&plugin.setup().id);
        assert_eq!(body["suggestion"], format!("{says} {command}"));
    }
}

#[tokio::test]
async fn a_script_runs_only_as_it_was_granted() {
    let engine = engine(Backend::Native);
    let bytes = Guest::read("script").packed(&engine, &wide()).await.expect("the guest is packed");
    let compiled = engine.compile(&bytes, None).expect("the guest compiles");
    for (pin, part) in
        [(None, "\"data\":{\"a\":1}"), (Some("another text"), "no grant for the script `change`")]
    {
        let mut setup = setup(package::read(&bytes).expect("it is whole"));
        if let Some(pin) = pin {
            setup.grants.app_scripts.insert("change".to_owned(), pin.to_owned());
        }
        let plugin = Plugin::link(&engine, &compiled, setup).expect("it links");
        let came = shown(&plugin).await;
        assert!(came.contains(part), "{came}");
    }
}
