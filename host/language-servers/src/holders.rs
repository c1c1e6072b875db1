//! Caches which files contain a text. A question about a symbol is often followed by one about its uses, so the
//! result is kept as long as the files do not change.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::connection::lock;
use crate::listing::{Found, Listing};

/// The most texts whose results are kept.
const KEPT: usize = 16;

/// The results for the last requested texts.
#[derive(Debug, Default)]
pub(crate) struct Holders(Mutex<VecDeque<Known>>);

/// Which files of a listing contain a text, as far as they were searched.
#[derive(Debug)]
pub(crate) struct Known {
    letters: String,
    among: Arc<Listing>,
    holds: Vec<Option<bool>>,
}

impl Holders {
    /// Takes the cached results for a text out of the cache. Results for an older listing are dropped.
    pub(crate) fn take(&self, letters: &str, among: &Arc<Listing>) -> Known {
        let mut kept = lock(&self.0);
        kept.retain(|known| Arc::ptr_eq(&known.among, among));
        let at = kept.iter().position(|known| known.letters == letters);
        at.and_then(|at| kept.remove(at)).unwrap_or_else(|| Known::nothing(letters, among))
    }

    /// Puts results back into the cache.
    pub(crate) fn keep(&self, known: Known) {
        let mut kept = lock(&self.0);
        kept.push_front(known);
        kept.truncate(KEPT);
    }
}

impl Known {
    pub(crate) fn nothing(letters: &str, among: &Arc<Listing>) -> Self {
        Self { letters: letters.to_owned(), among: Arc::clone(among), holds: vec![None; among.len()] }
    }

    /// Tells whether a file of the listing may contain the text. A file that cannot be read may contain it.
    pub(crate) fn holds(&mut self, at: usize, look: impl FnOnce(&Found, &str) -> Option<bool>) -> bool {
        if let Some(holds) = self.holds[at] {
            return holds;
        }
        let found = &self.among[at];
        // The result for a file that has just changed is not cached: a further change might leave the same stamp.
        let is_settled = !found.stamp.is_recent();
        let holds = look(found, &self.letters);
        self.holds[at] = holds.filter(|_| is_settled);
        holds.unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Stamp;

    fn listing(modified: u64) -> Arc<Listing> {
        let found = |path: &str| Found { path: path.to_owned(), stamp: Stamp { size: 1, modified } };
        Arc::new(Listing { files: vec![found("a"), found("b")], cut: false })
    }

    /// Asks whether the second file contains the text; `said` is what the search would find.
    fn ask(holders: &Holders, letters: &str, among: &Arc<Listing>, said: Option<bool>) -> bool {
        let mut known = holders.take(letters, among);
        let holds = known.holds(1, |found, asked| {
            assert_eq!((found.path.as_str(), asked), ("b", letters));
            said
        });
        holders.keep(known);
        holds
    }

    #[test]
    fn what_was_found_out_is_not_looked_for_again() {
        let (holders, old) = (Holders::default(), listing(1));
        assert!(!ask(&holders, "x", &old, Some(false)));
        assert!(!ask(&holders, "x", &old, Some(true)), "it is known");
        assert!(ask(&holders, "y", &old, Some(true)), "of other letters it is not");
        assert!(ask(&holders, "x", &listing(2), Some(true)), "nor of other files");
        assert!(ask(&holders, "x", &old, Some(true)), "and the old ones are forgotten");
        (0..KEPT).for_each(|at| assert!(!ask(&holders, &at.to_string(), &old, Some(false))));
        assert!(!ask(&holders, "x", &old, Some(false)), "so are letters that nobody asks for any more");
    }

    #[test]
    fn what_may_change_unseen_is_looked_at_again() {
        let holders = Holders::default();
        assert!(ask(&holders, "x", &listing(1), None), "it may hold anything");
        let old = listing(1);
        assert!(ask(&holders, "x", &old, None));
        assert!(!ask(&holders, "x", &old, Some(false)), "it can be read now");
        let new = listing(u64::MAX);
        assert!(!ask(&holders, "x", &new, Some(false)));
        assert!(ask(&holders, "x", &new, Some(true)));
    }
}
