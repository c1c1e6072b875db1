//! Dictionaries of real apps: the test parses every file of the corpus and checks the result.

use iac_core::dictionary::{Dictionary, Includes, Problem, ProblemKind, parse};
use std::path::{Path, PathBuf};

#[test]
fn every_dictionary_of_the_corpus_is_read() {
    let Some(corpus) = corpus() else { return };
    for (name, dictionary, problems) in read_all(&corpus) {
        assert!(!dictionary.commands.is_empty(), "{name} has commands");
        assert!(dictionary.classes.contains_key("application"), "{name} has an application");
        let missing = |problem: &&Problem| matches!(problem.kind, ProblemKind::MissingInclude(_));
        let missing: Vec<&Problem> = problems.iter().filter(missing).collect();
        assert_eq!(missing.len(), usize::from(name == "System Events.sdef"), "{name}: {missing:?}");
    }
}

#[test]
fn what_was_read_before_a_fault_holds() {
    let Some(corpus) = corpus() else { return };
    let (dictionary, problems) = read(&corpus, "iTerm2.sdef");
    let session = dictionary.class("session").unwrap();
    assert!(session.properties.iter().any(|property| property.name == "answerback string"));
    assert!(session.responds_to.iter().any(|command| command == "set variable"));
    let fault = problems.iter().find(|problem| matches!(problem.kind, ProblemKind::Malformed(_))).unwrap();
    assert_eq!(fault.line, 600);
}

fn read_all(corpus: &Path) -> Vec<(String, Dictionary, Vec<Problem>)> {
    let mut names: Vec<String> = std::fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".sdef"))
        .collect();
    names.sort();
    let read = |name: String| {
        let (dictionary, problems) = read(corpus, &name);
        (name, dictionary, problems)
    };
    names.into_iter().map(read).collect()
}

pub(crate) fn read(corpus: &Path, name: &str) -> (Dictionary, Vec<Problem>) {
    let standard = std::fs::read(corpus.join("CocoaStandard.sdef")).unwrap();
    let path = "/System/Library/ScriptingDefinitions/CocoaStandard.sdef".to_owned();
    parse(&std::fs::read(corpus.join(name)).unwrap(), &Includes::from([(path, standard)]))
}

/// The folder of real dictionaries; without it, the tests that need it print a note and pass.
pub(crate) fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let folder = std::env::var_os("IAC_MCP_CORPUS").map_or(beside, PathBuf::from).join("sdef");
    if !folder.is_dir() {
        println!("skipped: no dictionaries in {}", folder.display());
    }
    folder.is_dir().then_some(folder)
}
