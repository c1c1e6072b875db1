//! Reads an app's dictionary: its file, and the files that it includes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use iac_core::dictionary::{Dictionary, Includes, Problem, ProblemKind, Way, parse, standard};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use crate::stamp::{Source, read};
use crate::suites::{self, Files};

/// The folder below `/` with the system's dictionaries, which others include.
const DEFINITIONS: &str = "System/Library/ScriptingDefinitions";

/// How often a dictionary is parsed at most. Each time loads one more level of includes, and includes do not nest
/// deeper.
const ROUNDS: usize = 10;

/// A parsed dictionary with the problems of its file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    pub dictionary: Dictionary,
    /// What the parser had to change or skip.
    pub problems: Vec<Problem>,
}

impl From<(Dictionary, Vec<Problem>)> for Definition {
    fn from((dictionary, problems): (Dictionary, Vec<Problem>)) -> Self {
        Self { dictionary, problems }
    }
}

/// The files that make up a dictionary, with their stamps at the time of reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sources {
    origin: Origin,
    /// The file name in the app's property list, if there is no such file.
    missing: Option<String>,
    /// Each href that was asked for, with the file it led to.
    includes: Vec<(String, Option<Source>)>,
}

/// Where a dictionary comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Origin {
    File(Source),
    /// The older format: pairs of property lists.
    Suites(Vec<Files>),
    /// The converter's output for the app. It is valid as long as the app's property list does not change.
    Converted(Source),
    /// The standard suite: the system's file, or the copy in the core.
    Standard(Option<Source>),
}

/// Where the files of one dictionary are searched for.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    /// The app's folder, or the folder of a single file.
    bundle: PathBuf,
    /// The folder that stands in for `/`.
    base: PathBuf,
    /// The file of the standard suite, if the operator gave one.
    standard: Option<PathBuf>,
    /// The converter's output for the app.
    converted: Option<Vec<u8>>,
}

impl Shelf {
    pub(crate) fn new(bundle: &Path, base: &Path, standard: Option<&Path>) -> Self {
        let standard = standard.map(Path::to_owned);
        Self { bundle: bundle.to_owned(), base: base.to_owned(), standard, converted: None }
    }

    /// Returns the same shelf with the output of the system's converter.
    pub(crate) fn with_converted(self, converted: Option<Vec<u8>>) -> Self {
        Self { converted, ..self }
    }

    /// The app's property list. While it is unchanged, the converter's output stays valid.
    pub(crate) fn property_list(&self) -> Option<Source> {
        Source::of(self.bundle.join("Contents/Info.plist"))
    }

    /// Finds an app's dictionary by the name in its property list.
    ///
    /// If there is no name, or no file of that name, it uses the first `.sdef` in the app, or else the app's suites,
    /// or else the standard suite.
    pub(crate) fn locate(&self, name: Option<&str>) -> Sources {
        let resources = self.bundle.join("Contents/Resources");
        let named = name.and_then(|name| named(&resources, name));
        let missing = name.filter(|_| named.is_none()).map(str::to_owned);
        let sdef = named.or_else(|| any(&resources)).and_then(Source::of).map(Origin::File);
        let suites =
            || Some(suites::find(&self.bundle)).filter(|files| !files.is_empty()).map(Origin::Suites);
        let converted = || self.property_list().filter(|_| self.converted.is_some()).map(Origin::Converted);
        let origin = sdef.or_else(suites).or_else(converted).unwrap_or_else(|| self.standard_origin());
        Sources { origin, missing, includes: Vec::new() }
    }

    /// Returns the sources of a dictionary in one `.sdef` or `.scriptSuite` file.
    pub(crate) fn file(path: &Path) -> io::Result<Sources> {
        let source = Source::of(path.to_owned());
        let missing =
            || io::Error::other(if path.exists() { "expected a file" } else { "there is no such file" });
        let source = source.ok_or_else(missing)?;
        let origin = match path.extension().is_some_and(|extension| extension == "scriptSuite") {
            true => Origin::Suites(suites::files(path.to_owned()).into_iter().collect()),
            false => Origin::File(source),
        };
        Ok(Sources { origin, missing: None, includes: Vec::new() })
    }

    /// Tells whether all sources of a dictionary are unchanged. `now` is its main source as it is now.
    pub(crate) fn is_current(&self, made_of: &Sources, now: &Sources) -> bool {
        let same =
            |(href, file): &(String, Option<Source>)| self.included(href).and_then(Source::of) == *file;
        (&made_of.origin, &made_of.missing) == (&now.origin, &now.missing)
            && made_of.includes.iter().all(same)
    }

    /// Parses a dictionary. If it names includes that may be loaded, parses it again with them.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn parse(&self, sources: &mut Sources) -> io::Result<Definition> {
        let mut definition = match &sources.origin {
            Origin::File(source) | Origin::Standard(Some(source)) => {
                let bytes = read(&source.path)?;
                self.with_includes(&bytes, sources)
            }
            Origin::Suites(files) => {
                Definition::from(iac_core::dictionary::suites::parse(&suites::pairs(files)?))
            }
            Origin::Converted(_) => {
                let bytes = self.converted.clone().unwrap_or_default();
                self.with_includes(&bytes, sources)
            }
            Origin::Standard(None) => self.with_includes(standard::SDEF.as_bytes(), sources),
        };
        definition.dictionary.way = sources.way();
        definition.problems.extend(sources.missing.as_deref().map(missing_file));
        Ok(definition)
    }

    fn with_includes(&self, bytes: &[u8], sources: &mut Sources) -> Definition {
        let mut includes = Includes::new();
        let (mut dictionary, mut problems) = parse(bytes, &includes);
        for _ in 0..ROUNDS {
            if !self.load_missing(&problems, sources, &mut includes) {
                break;
            }
            (dictionary, problems) = parse(bytes, &includes);
        }
        Definition { dictionary, problems }
    }

    /// Loads the includes that the problems report as missing. Returns whether any was found.
    fn load_missing(&self, problems: &[Problem], sources: &mut Sources, includes: &mut Includes) -> bool {
        let mut found = false;
        for problem in problems {
            let ProblemKind::MissingInclude(href) = &problem.kind else { continue };
            if sources.includes.iter().any(|(known, _)| known == href) {
                continue;
            }
            let file = self.included(href).and_then(Source::of);
            if let Some(bytes) = file.as_ref().and_then(|file| read(&file.path).ok()) {
                includes.insert(href.clone(), bytes);
                found = true;
            }
            sources.includes.push((href.clone(), file));
        }
        found
    }

    /// Resolves an href to a file in the app itself or among the system's definitions. No other place is allowed.
    fn included(&self, href: &str) -> Option<PathBuf> {
        if standard::is_standard(href)
            && let Some(file) = self.standard_file()
        {
            return Some(file);
        }
        let path = local_path(href)?;
        let resources = self.bundle.join("Contents/Resources");
        let tries = match path.strip_prefix('/') {
            Some(below) => vec![self.base.join(below), PathBuf::from(&path)],
            None => vec![resources.join(&path), self.bundle.join(&path)],
        };
        tries.into_iter().filter_map(|path| fs::canonicalize(path).ok()).find(|path| self.may_load(path))
    }

    fn may_load(&self, path: &Path) -> bool {
        let allowed = [self.bundle.clone(), self.base.join(DEFINITIONS)];
        allowed
            .iter()
            .filter_map(|folder| fs::canonicalize(folder).ok())
            .any(|folder| path.starts_with(folder))
    }

    fn standard_origin(&self) -> Origin {
        Origin::Standard(self.standard_file().and_then(Source::of))
    }

    fn standard_file(&self) -> Option<PathBuf> {
        let system = self.base.join(DEFINITIONS).join("CocoaStandard.sdef");
        self.standard.clone().or_else(|| system.is_file().then_some(system))
    }
}

impl Sources {
    /// A name that identifies this dictionary, whatever its files contain.
    pub(crate) fn name(&self) -> String {
        match &self.origin {
            Origin::File(source) | Origin::Standard(Some(source)) | Origin::Converted(source) => {
                source.path.to_string_lossy().into_owned()
            }
            Origin::Suites(files) => suites::name(files),
            Origin::Standard(None) => "standard".to_owned(),
        }
    }

    /// Returns how the terminology was obtained.
    pub(crate) fn way(&self) -> Way {
        match &self.origin {
            Origin::File(_) => Way::Sdef,
            Origin::Suites(_) => Way::Suites,
            Origin::Converted(_) => Way::Converter,
            Origin::Standard(_) => Way::Standard,
        }
    }
}

fn missing_file(name: &str) -> Problem {
    let what = format!(
        "the app names `{name}` as its dictionary, but that file does not exist; another one is read instead"
    );
    Problem { line: 0, place: "Info.plist".to_owned(), kind: ProblemKind::Defect(what) }
}

/// Finds the file of a name. The name may lack its extension, and the file may be in a language folder.
fn named(resources: &Path, name: &str) -> Option<PathBuf> {
    let name = Path::new(name).file_name()?.to_str()?;
    let with_extension = format!("{name}.sdef");
    let folders = ["", "en.lproj", "English.lproj", "Base.lproj"].map(|folder| resources.join(folder));
    let files = folders.iter().flat_map(|folder| [folder.join(name), folder.join(&with_extension)]);
    files.into_iter().find(|file| file.is_file())
}

fn any(resources: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(resources).ok()?.flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "sdef") && path.is_file()).min()
}

/// Returns the path of a `file:` URL or of a plain path; `None` for any other URL.
fn local_path(href: &str) -> Option<String> {
    let path = match href.strip_prefix("file:") {
        None if href.contains(':') => return None,
        None => href,
        Some(rest) => {
            let rest = rest.strip_prefix("//localhost").unwrap_or(rest);
            rest.strip_prefix("//").unwrap_or(rest)
        }
    };
    Some(percent_decode_str(path).decode_utf8_lossy().into_owned())
}
