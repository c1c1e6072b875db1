//! The two engines: both give the same results, and neither uses the other's compiled code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use iac_plugins::capability::Grants;
use iac_plugins::engine::{Backend, Cache, Plugin, Setup};
use iac_plugins::package;
use serde_json::Map;

use crate::guests::{Guest, engine, limits, shown, wide};

const BOTH: [Backend; 2] = [Backend::Native, Backend::Interpreter];

/// The result of a guest under an engine: its answer, or the reason why it stopped.
async fn came(guest: &Guest, backend: Backend) -> String {
    match guest.plugin(&engine(backend), limits(guest.expected())).await {
        Ok(plugin) => shown(&plugin).await,
        Err(refused) => refused,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_guest_comes_to_the_same_end_under_both() {
    for guest in Guest::all() {
        let [native, interpreted] = [came(&guest, BOTH[0]).await, came(&guest, BOTH[1]).await];
        assert_eq!(native, interpreted, "{}", guest.name);
    }
}

#[test]
fn both_run_the_least_module() {
    for backend in BOTH {
        engine(backend).try_out().expect("the least module runs");
    }
}

/// Compiles the honest guest with both engines into one cache folder, and calls it.
async fn check(folder: &Path, when: &str) {
    for backend in BOTH {
        let engine = engine(backend);
        let bytes = Guest::read("honest").packed(&engine, &wide()).await.expect("the guest is packed");
        let directory = Dir::open_ambient_dir(folder, ambient_authority()).expect("the folder is there");
        let compiled = engine.compile(&bytes, Some(&Cache::new(directory, [1; 32])));
        let package = package::read(&bytes).expect("the package is whole");
        let setup = Setup {
            grants: package.grants(),
            wanted: Grants::default(),
            id: package.manifest.id,
            limits: wide(),
            settings: Map::new(),
            lenient: false,
            tools: package.tools,
            scripts: Vec::new(),
            secrets: Vec::new(),
        };
        let plugin = Plugin::link(&engine, &compiled.expect("it compiles"), setup).expect("it links");
        assert_eq!(shown(&plugin).await, "{}", "{when}, {backend:?}");
    }
}

fn kept(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = std::fs::read_dir(folder).expect("the folder is there").flatten().map(|file| file.path());
    files.map(|path| (path.clone(), std::fs::read(&path).expect("a file can be read"))).collect()
}

#[tokio::test]
async fn neither_takes_the_code_of_the_other() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    check(folder.path(), "at first").await;
    let before = kept(folder.path());
    let names: Vec<&PathBuf> = before.keys().collect();
    assert_eq!(names.len(), 2, "one file for each engine");
    let passing = folder.path().join("passing");
    for (from, to) in [(names[0], &passing), (names[1], names[0]), (&passing, names[1])] {
        std::fs::rename(from, to).expect("a file can be renamed");
    }
    assert_ne!(kept(folder.path()), before);
    check(folder.path(), "with the files exchanged").await;
    assert_eq!(kept(folder.path()).keys().collect::<Vec<_>>(), names, "each is made anew");
}
