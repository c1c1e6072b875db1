//! Checks that the interfaces match `wit/versions.toml`, so that no one changes them by accident.

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use iac_plugins::capability::Grants;
use iac_plugins::engine::{Backend, Plugin, Setup};
use iac_plugins::package;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::guests::{Guest, call, engine, show, wide};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Versions {
    version: Vec<Version>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Version {
    number: String,
    state: State,
    sha256: String,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// The version may change until the first release.
    Draft,
    /// The version is never edited again.
    Released,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The interface itself, without comments and layout.
fn bare(wit: &str) -> String {
    let lines = wit.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn digest() -> String {
    let both = ["wit/plugin.wit", "wit/language-servers.wit"].map(|file| bare(&text(file)));
    HEXLOWER.encode(&Sha256::digest(both.join("\n")))
}

fn latest() -> Version {
    let versions: Versions =
        toml::from_str(&text("wit/versions.toml")).expect("wit/versions.toml is of that form");
    versions.version.into_iter().next_back().expect("there is a version")
}

#[test]
fn the_interfaces_are_those_that_were_written_down() {
    let Version { number, state, sha256 } = latest();
    let now = digest();
    let what = match state {
        State::Draft => format!(
            "it is a draft: if that is meant, write sha256 = \"{now}\" there, say so in CHANGELOG.md, and build the \
             plugins of this repository again"
        ),
        State::Released => {
            "it is released and never edited: a new function or interface opens the next 0.1.x, any \
             other change 0.2.0; see wit/PENDING.md"
                .to_owned()
        }
    };
    assert_eq!(now, sha256, "wit/ is no longer version {number} of wit/versions.toml; {what}");
    assert!(
        text("wit/plugin.wit").contains(&format!("package iac:plugin@{number};")),
        "the package says {number}"
    );
}

#[test]
fn a_release_freezes_them() {
    let released = text("CHANGELOG.md").lines().any(|line| {
        line.strip_prefix("## ")
            .is_some_and(|rest| rest.trim_start_matches('[').starts_with(|c: char| c.is_ascii_digit()))
    });
    let expected = if released { State::Released } else { State::Draft };
    assert_eq!(latest().state, expected, "wit/versions.toml, beside the releases of CHANGELOG.md");
}

/// A package of this version as bytes. Every later host must answer it as this one does. `UPDATE_EXPECT=1` rewrites
/// the file only while the version is a draft.
#[tokio::test]
async fn a_package_of_each_version_still_answers() {
    let Version { number, state, .. } = latest();
    let file = root().join(format!("tests/plugins/released/{number}.wasm"));
    if state == State::Draft && std::env::var_os("UPDATE_EXPECT").is_some() {
        let packed = Guest::read("log-and-answer").packed(&engine(Backend::Native), &wide()).await;
        let mut made = std::fs::File::create(&file).expect("a file can be made");
        std::io::Write::write_all(&mut made, &packed.expect("it is packed")).expect("a file can be written");
    }
    for entry in std::fs::read_dir(file.parent().expect("a folder")).expect("the folder is there").flatten() {
        let bytes = std::fs::read(entry.path()).expect("the package is there");
        let engine = engine(Backend::Native);
        let package =
            package::read(&bytes).unwrap_or_else(|error| panic!("{}: {error}", entry.path().display()));
        let verified = package::verify(&engine, (&bytes, &package), &wide(), None).await;
        verified.unwrap_or_else(|error| panic!("{}: {error}", entry.path().display()));
        let compiled = engine.compile(&bytes, None).expect("it compiles");
        let setup = Setup {
            grants: package.grants(),
            wanted: Grants::default(),
            id: package.manifest.id,
            limits: wide(),
            settings: serde_json::Map::new(),
            lenient: false,
            tools: package.tools,
            scripts: package.scripts,
            secrets: Vec::new(),
        };
        let plugin = Plugin::link(&engine, &compiled, setup).expect("it links");
        let (answer, report) = plugin.call(call(CancellationToken::new())).await;
        assert_eq!((show(answer).as_str(), report.log[0].text.as_str()), ("{}", "Misbehaves."));
    }
}

#[test]
fn words_for_people_are_no_part_of_an_interface() {
    assert_eq!(bare("/// A.\nget:  func(); // b\n\n"), "get: func();");
    assert_ne!(bare("get: func();"), bare("get: func(a: u8);"));
}
