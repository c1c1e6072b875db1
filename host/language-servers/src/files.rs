//! A cache of the files of a root: the listing and the texts, shared by all servers of the root.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::connection::lock;
use crate::disk::{Disk, MOST_FILE, Stamp};
use crate::listing::{self, Found, Listing, Wanted};
use crate::text::Text;
use crate::types::Failure;
use crate::watch::{self, News, Watch};

/// The most bytes of cached texts.
const MOST_KEPT: usize = 64 * 1024 * 1024;

/// The shortest time for which a listing is reused within a call, if the system does not report changes. It keeps a
/// call from spending most of its time on walking a large root.
const FRESH: Duration = Duration::from_millis(200);

/// Starts to watch a root.
type Begin = fn(&Disk) -> Option<Box<dyn Watch>>;

/// The cached files of a root.
pub(crate) struct Files {
    disk: Arc<Disk>,
    wanted: Box<Wanted>,
    watch: Begin,
    /// When the last call began. If the system does not report changes, an older listing is not reused.
    since: Mutex<Instant>,
    listed: Mutex<Option<Listed>>,
    texts: Mutex<Texts>,
}

struct Listed {
    began: Instant,
    took: Duration,
    found: Arc<Listing>,
    watch: Option<Box<dyn Watch>>,
}

#[derive(Default)]
struct Texts {
    kept: HashMap<String, (Stamp, Arc<Text>)>,
    bytes: usize,
}

impl Files {
    /// Makes an empty cache for the wanted files.
    pub(crate) fn new(disk: Arc<Disk>, wanted: Box<Wanted>) -> Self {
        let since = Mutex::new(Instant::now());
        Self { disk, wanted, watch: watch::begin, since, listed: Mutex::new(None), texts: Mutex::default() }
    }

    /// Begins a call, so that its first question sees what was written before it.
    pub(crate) fn begin(&self) {
        *lock(&self.since) = Instant::now();
    }

    /// Lists the wanted files, including those that Git ignores.
    pub(crate) fn with_ignored(&self) -> Listing {
        listing::list(&self.disk, true, &*self.wanted)
    }

    /// Lists the wanted files that Git does not ignore. The list is current if the system reports changes; otherwise it
    /// is at least as new as the last call.
    pub(crate) fn all(&self) -> Arc<Listing> {
        let since = *lock(&self.since);
        let mut listed = lock(&self.listed);
        if let Some(found) = listed.as_mut().and_then(|listed| listed.renewed(&self.disk, since)) {
            return found;
        }
        self.walk(&mut listed)
    }

    /// Whether the next list is likely to take a walk. A walk on another thread counts.
    pub(crate) fn is_due(&self) -> bool {
        let since = *lock(&self.since);
        match self.listed.try_lock() {
            Ok(listed) => listed.as_ref().is_none_or(|it| it.watch.is_none() && !it.is_fresh(since)),
            Err(_) => true,
        }
    }

    /// Stops every list until the result is dropped.
    #[cfg(test)]
    pub(crate) fn hold(&self) -> impl Sized {
        lock(&self.listed)
    }

    fn walk(&self, listed: &mut Option<Listed>) -> Arc<Listing> {
        let (before, watch) = match listed.take() {
            Some(before) => (Some(before.found), before.watch),
            None => (None, (self.watch)(&self.disk)),
        };
        let mut again = Listed::walk(&self.disk, &*self.wanted, watch);
        // If nothing changed, the same `Arc` is kept, so that what callers have cached for it stays valid.
        if let Some(before) = before.filter(|before| *before == again.found) {
            again.found = before;
        }
        Arc::clone(&listed.insert(again).found)
    }

    /// Returns the current stamp of a regular file; `None` if there is none. If the system reports changes, a listed
    /// file is not checked again.
    pub(crate) fn stamp(&self, path: &str) -> Option<Stamp> {
        let told = self.told();
        let at = told.as_ref().and_then(|found| find(found, path));
        at.or_else(|| self.disk.stamp(path))
    }

    /// Returns the listing if it is known to be current.
    fn told(&self) -> Option<Arc<Listing>> {
        let mut listed = lock(&self.listed);
        let before = listed.as_mut()?;
        match before.watch.as_mut().map_or(News::Unknown, |watch| watch.news()) {
            News::Unknown => None,
            News::Changed(paths) if before.restamp(&paths, &self.disk).is_some() => {
                Some(Arc::clone(&before.found))
            }
            // Each change is reported only once, so the root must be walked now.
            News::Changed(_) | News::More => Some(self.walk(&mut listed)),
        }
    }

    /// Returns the text of a file that was just listed. If the text is cached, the file is not checked again.
    pub(crate) fn listed_text(&self, found: &Found) -> Result<Arc<Text>, Failure> {
        if let Some((kept, text)) = lock(&self.texts).kept.get(&found.path)
            && *kept == found.stamp
            && !kept.is_recent()
        {
            return Ok(Arc::clone(text));
        }
        self.text(&found.path).map(|(text, _)| text)
    }

    /// Returns the current text of a file.
    pub(crate) fn text(&self, path: &str) -> Result<(Arc<Text>, Stamp), Failure> {
        let stamp = self.stamp(path);
        if let Some((kept, text)) = lock(&self.texts).kept.get(path)
            && Some(*kept) == stamp
            && !kept.is_recent()
        {
            return Ok((Arc::clone(text), *kept));
        }
        let (bytes, stamp) = self.disk.read(path, MOST_FILE)?;
        Ok((self.keep(path, stamp, Text::from_bytes(&bytes)), stamp))
    }

    /// Caches a text. An unchanged text keeps its `Arc`, so that nobody compares it twice.
    fn keep(&self, path: &str, stamp: Stamp, text: Text) -> Arc<Text> {
        let mut texts = lock(&self.texts);
        let text = match texts.kept.get(path) {
            Some((_, kept)) if **kept == text => Arc::clone(kept),
            _ => Arc::new(text),
        };
        if texts.bytes > MOST_KEPT {
            *texts = Texts::default();
        }
        texts.bytes += text.as_str().len();
        if let Some((_, before)) = texts.kept.insert(path.to_owned(), (stamp, Arc::clone(&text))) {
            texts.bytes -= before.as_str().len();
        }
        text
    }
}

impl Listed {
    fn walk(disk: &Disk, wanted: &Wanted, mut watch: Option<Box<dyn Watch>>) -> Self {
        let began = Instant::now();
        let found = match &mut watch {
            Some(watch) => listing::list_and_watch(disk, wanted, watch.as_mut()),
            None => listing::list(disk, false, wanted),
        };
        Self { began, took: began.elapsed(), found: Arc::new(found), watch }
    }

    /// Returns the listing with changes applied; `None` if the root must be walked again.
    fn renewed(&mut self, disk: &Disk, since: Instant) -> Option<Arc<Listing>> {
        match self.watch.as_mut().map_or(News::Unknown, |watch| watch.news()) {
            News::Changed(paths) => self.restamp(&paths, disk)?,
            News::Unknown if self.is_fresh(since) => {}
            News::Unknown | News::More => return None,
        }
        Some(Arc::clone(&self.found))
    }

    /// Whether it may be used without reports of the system.
    fn is_fresh(&self, since: Instant) -> bool {
        self.began >= since && self.began.elapsed() < self.took + FRESH.max(self.took * 5)
    }

    /// Updates the stamps of changed files. A changed file that is not in the listing is one that Git
    /// ignores or that is not wanted.
    fn restamp(&mut self, paths: &BTreeSet<String>, disk: &Disk) -> Option<()> {
        let mut changed = Vec::new();
        for path in paths {
            let Ok(at) = self.found.binary_search_by(|found| found.path.cmp(path)) else { continue };
            let stamp = disk.stamp(path)?;
            if self.found[at].stamp != stamp {
                changed.push((at, stamp));
            }
        }
        if !changed.is_empty() {
            let found = Arc::make_mut(&mut self.found);
            changed.into_iter().for_each(|(at, stamp)| found.files[at].stamp = stamp);
        }
        Some(())
    }
}

fn find(found: &[Found], path: &str) -> Option<Stamp> {
    let at = found.binary_search_by(|found| found.path.as_str().cmp(path)).ok()?;
    Some(found[at].stamp)
}

#[cfg(test)]
mod tests;
