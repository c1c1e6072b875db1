//! A chain of steps: `subject of message 3 of inbox`, with a filter after one of them.

use super::apply::{Class, Owner};
use super::error::Fail;
use super::step::{How, Pick};
use super::tokens::Kind;
use super::{AT_UNKNOWN, DEEPEST, MOST_READINGS, Parser, too_deep};
use crate::filter::Filter;

/// The words before a test.
pub(super) const FILTERS: [&str; 3] = ["whose", "where", "that"];

/// The result of reading a chain from some token on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    pub(super) object: Owner,
    /// The next token.
    pub(super) end: usize,
    /// A test that follows, and that applies to a step to the left of this chain.
    filter: Option<Test>,
    /// Whether the parser added a container that the text left out.
    pub(super) completed: bool,
}

/// A test, and its position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Test {
    pub(super) filter: Filter<String>,
    pub(super) at: usize,
    /// The step that it filters, counted in the order of the text among the steps that pick elements.
    pub(super) step: usize,
}

/// A pick, and its position.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) pick: Pick,
    pub(super) at: usize,
}

impl Parser<'_> {
    /// Reads a chain. A test in it may apply to `picked`, the classes of the steps to its left. `base` is the index of
    /// the container of the chain.
    pub(super) fn chain(&mut self, at: usize, picked: &[usize], base: usize) -> Result<Chain, Fail> {
        let key = (at, picked.to_vec(), base);
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        self.readings += 1;
        if self.depth >= DEEPEST || self.readings > MOST_READINGS {
            return Err(too_deep(at, self.tokens.len()));
        }
        self.depth += 1;
        let chain = self.readings_of_chain(at, picked, base);
        self.depth -= 1;
        self.memo.insert(key, chain.clone());
        chain
    }

    fn readings_of_chain(&mut self, at: usize, picked: &[usize], base: usize) -> Result<Chain, Fail> {
        let mut fail: Option<Fail> = None;
        for reading in self.steps(at, base)? {
            let chain = match reading {
                Ok((picks, next)) => self.link(picks, next, picked, base),
                Err(fail) => Err(fail),
            };
            match chain {
                Ok(chain) => return Ok(chain),
                Err(other) => fail = Some(other.or(fail)),
            }
        }
        Err(fail.unwrap_or_else(|| self.unknown(at, base, false)))
    }

    /// Reads the text after a step, and applies the step to it.
    fn link(
        &mut self,
        picks: Vec<Placed>,
        next: usize,
        picked: &[usize],
        base: usize,
    ) -> Result<Chain, Fail> {
        let own = picks.iter().rposition(|placed| placed.pick.class().is_some());
        let mut classes = picked.to_vec();
        classes.extend(own.and_then(|own| picks[own].pick.class()));
        let (mut test, next) = match self.is_word(next, &FILTERS) {
            true => self.filter(next, &classes).map(|(test, end)| (Some(test), end))?,
            false => (None, next),
        };
        let mut chain = if self.is_word(next, &["of", "in"]) {
            if self.is_end(next + 1) {
                let instead = "add the container, or leave the last word out";
                return Err(Fail::refused(next, next + 1, "a container is missing behind it", instead));
            }
            self.chain(next + 1, &classes, base)?
        } else if self.is_end(next) || self.is_sign(next, ")") {
            Chain { object: self.bases[base].clone(), end: next, filter: None, completed: false }
        } else {
            let expected =
                if test.is_some() { "`and`, `or`, `of` or the end" } else { "`of`, `whose` or the end" };
            return Err(self.unexpected(next, expected));
        };
        if let Some(second) = chain.filter.take() {
            if test.is_some() {
                let instead = "join the tests with `and`, or put the inner object in parentheses";
                return Err(Fail::refused(second.at, chain.end, "a second filter in one text", instead));
            }
            test = Some(second);
        }
        for (which, placed) in picks.iter().enumerate() {
            let is_filtered = |test: &mut Test| own == Some(which) && test.step == picked.len();
            let test = test.take_if(is_filtered);
            chain = self.apply(chain, placed, test)?;
        }
        Ok(Chain { filter: test, ..chain })
    }

    /// Reads a test of the elements to its left. As in AppleScript, it applies to the leftmost class; otherwise to the
    /// only class in the path with these properties, as in `every attendee of every event whose summary is "x"`.
    fn filter(&mut self, at: usize, picked: &[usize]) -> Result<(Test, usize), Fail> {
        let named = |class: &usize| self.dictionary.classes.get_index(*class).map(|(name, _)| name.as_str());
        let classes: Vec<&str> = picked.iter().filter_map(named).collect();
        let Some(first) = classes.first() else {
            let instead = "filter a collection, such as `every message of inbox whose …`";
            return Err(Fail::refused(at, at + 1, "one object cannot be filtered", instead));
        };
        let fail = match self.test(at + 1, first) {
            Ok((filter, end)) => return Ok((Test { filter, at, step: 0 }, end)),
            Err(fail) => fail,
        };
        let others = classes.iter().enumerate().skip(1).filter(|(_, class)| *class != first);
        let fits = others.filter_map(|(step, class)| Some((step, *class, self.test(at + 1, class).ok()?)));
        let mut fits: Vec<_> = fits.collect();
        if let [(_, one, (_, end)), (_, other, _), ..] = fits.as_slice() {
            let wrong = format!("the filter may be about `{one}` or about `{other}`");
            let instead = format!(
                "put the filtered part in parentheses: `… of (every {one} whose …) of …` or `… of (every {other} whose …)`"
            );
            return Err(Fail::refused(at, *end, wrong, instead));
        }
        let (step, _, (filter, end)) = fits.pop().ok_or(fail)?;
        Ok((Test { filter, at, step }, end))
    }

    /// Applies one step to the result of the chain.
    fn apply(&mut self, chain: Chain, placed: &Placed, test: Option<Test>) -> Result<Chain, Fail> {
        let Chain { object: owner, end, completed, .. } = chain;
        let (object, added) = match &placed.pick {
            Pick::Property(term) => (self.property(&owner, term, placed.at, end)?, false),
            Pick::Element(class, how) if test.is_none() && self.is_one_of(&owner, *class, how) => {
                (self.item(owner, how, placed.at, end)?, false)
            }
            Pick::Element(class, how) => self.element(&owner, *class, how, test, (placed.at, end))?,
            Pick::Item(how) => (self.item(owner, how, placed.at, end)?, false),
            Pick::Reference(id) => (self.outermost(&owner, Owner::reference(*id), placed.at, end)?, false),
            Pick::File(path) => (self.outermost(&owner, Owner::file(path), placed.at, end)?, false),
            Pick::Application => {
                let application = self.bases[super::AT_APPLICATION].clone();
                (self.outermost(&owner, Owner { explicit: true, ..application }, placed.at, end)?, false)
            }
            Pick::Inner(class) => (self.inner(owner, *class, test, placed.at)?, false),
        };
        Ok(Chain { object, end, filter: None, completed: completed || added })
    }

    /// Refuses a container for an object that has none, such as the application.
    fn outermost(&self, owner: &Owner, object: Owner, at: usize, reach: usize) -> Result<Owner, Fail> {
        if self.bases[..=AT_UNKNOWN].contains(owner) {
            return Ok(object);
        }
        let instead = "let it be the last word of the text";
        Err(Fail::refused(at, reach, format!("{} is in no container", self.shown(at)), instead))
    }

    /// Reads parentheses again, now with the container that follows them. A test may follow too.
    fn inner(
        &mut self,
        owner: Owner,
        class: Option<usize>,
        test: Option<Test>,
        at: usize,
    ) -> Result<Owner, Fail> {
        let base = self.base(owner);
        let chain = self.chain(at + 1, &[], base)?;
        match test {
            None => Ok(chain.object),
            Some(test) => self.filtered(chain, class, test, at),
        }
    }

    fn filtered(&self, chain: Chain, class: Option<usize>, test: Test, at: usize) -> Result<Owner, Fail> {
        let object = chain.object.clone().filtered(test.filter);
        object.filter(|_| class.is_some()).ok_or_else(|| {
            let instead = "put a collection in the parentheses, such as `(every message of inbox) whose …`";
            Fail::refused(at, chain.end, "one object cannot be filtered", instead)
        })
    }

    /// Reads the inside of parentheses as far as possible without the container that follows.
    pub(super) fn parenthesis(&mut self, at: usize, base: usize) -> Result<(Pick, usize), Fail> {
        let chain = match self.chain(at + 1, &[], AT_UNKNOWN) {
            Ok(chain) => chain,
            Err(fail) => return Err(self.failed_inside(at, base).unwrap_or(fail)),
        };
        if !self.is_sign(chain.end, ")") {
            return Err(self.unexpected(chain.end, "`)`"));
        }
        let class = match &chain.object.class {
            Class::Of(class) if chain.object.is_collection() => self.dictionary.classes.get_index_of(class),
            _ => None,
        };
        Ok((Pick::Inner(class), chain.end + 1))
    }
}

impl Parser<'_> {
    /// The failure of the inside of parentheses if their container is known: it names the class and what it has.
    fn failed_inside(&mut self, at: usize, base: usize) -> Option<Fail> {
        let close = self.closing(at)?;
        let base = match self.is_word(close + 1, &["of", "in"]) {
            true => self.chain(close + 2, &[], base).ok().map(|chain| self.base(chain.object))?,
            false => base,
        };
        self.chain(at + 1, &[], base).err()
    }

    /// The parenthesis that closes the one at a token.
    pub(super) fn closing(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (at..self.tokens.len()).find(|at| {
            if self.is_sign(*at, "(") {
                depth += 1;
            } else if self.is_sign(*at, ")") {
                depth = depth.saturating_sub(1);
                return depth == 0;
            }
            false
        })
    }

    /// The index of a container among the bases.
    fn base(&mut self, owner: Owner) -> usize {
        self.bases.iter().position(|base| *base == owner).unwrap_or_else(|| {
            self.bases.push(owner);
            self.bases.len() - 1
        })
    }
}

impl Pick {
    /// The class of the picked elements.
    fn class(&self) -> Option<usize> {
        match self {
            Self::Element(class, _) => Some(*class),
            Self::Inner(class) => *class,
            _ => None,
        }
    }
}

impl How {
    /// Whether a test may apply to the picked objects.
    pub(super) fn takes_test(&self) -> bool {
        matches!(self, Self::Every | Self::First | Self::Last)
    }
}

/// Whether a token is a word that may follow a step.
pub(super) fn follows_step(kind: Option<&Kind>) -> bool {
    match kind {
        None | Some(Kind::Possessive | Kind::Sign(_)) => true,
        Some(Kind::Word(word)) => {
            let word = word.to_lowercase();
            FILTERS.contains(&word.as_str())
                || ["of", "in", "as", "and", "or", "to", "is"].contains(&word.as_str())
        }
        _ => false,
    }
}
