//! The files of a root as they were seen last: listing and texts, shared by all servers of the root.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::connection::lock;
use crate::disk::{Disk, MOST_FILE, Stamp};
use crate::listing::{self, Found};
use crate::text::Text;
use crate::types::Failure;

/// Bytes of texts that are kept.
const MOST_KEPT: usize = 64 * 1024 * 1024;

/// How long a listing is taken for new, at least; a large root is not walked for most of the time.
const FRESH: Duration = Duration::from_millis(200);

/// What was read.
pub(crate) struct Files {
    disk: Arc<Disk>,
    listed: Mutex<Option<Listed>>,
    texts: Mutex<Texts>,
}

struct Listed {
    at: Instant,
    took: Duration,
    found: Arc<Vec<Found>>,
}

#[derive(Default)]
struct Texts {
    kept: HashMap<String, (Stamp, Arc<Text>)>,
    bytes: usize,
}

impl Files {
    pub(crate) fn new(disk: Arc<Disk>) -> Self {
        Self { disk, listed: Mutex::new(None), texts: Mutex::default() }
    }

    /// Lists the files that Git does not ignore, as they were a moment ago at most.
    pub(crate) fn all(&self) -> Arc<Vec<Found>> {
        let mut listed = lock(&self.listed);
        if let Some(listed) = listed.as_ref()
            && listed.at.elapsed() < FRESH.max(listed.took * 5)
        {
            return Arc::clone(&listed.found);
        }
        let began = Instant::now();
        let found = Arc::new(listing::list(&self.disk, false));
        *listed = Some(Listed { at: Instant::now(), took: began.elapsed(), found: Arc::clone(&found) });
        found
    }

    /// Reads the newest text of a file.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) fn text(&self, path: &str) -> Result<(Arc<Text>, Stamp), Failure> {
        let stamp = self.disk.stamp(path);
        if let Some((kept, text)) = lock(&self.texts).kept.get(path)
            && Some(*kept) == stamp
            && !kept.is_recent()
        {
            return Ok((Arc::clone(text), *kept));
        }
        let (bytes, stamp) = self.disk.read(path, MOST_FILE)?;
        Ok((self.keep(path, stamp, Text::from_bytes(&bytes)), stamp))
    }

    /// The same text stays the same, so that nobody compares it twice.
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
