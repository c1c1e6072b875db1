//! A chain of steps: `subject of message 3 of inbox`, with a filter behind one of them.

use super::apply::{Class, Owner};
use super::error::Fail;
use super::step::{How, Pick};
use super::tokens::Kind;
use super::{AT_UNKNOWN, DEEPEST, MOST_READINGS, Parser, too_deep};
use crate::filter::Filter;

/// The words before a test.
pub(super) const FILTERS: [&str; 3] = ["whose", "where", "that"];

/// What was read from some token on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    pub(super) object: Owner,
    /// The token behind it.
    pub(super) end: usize,
    /// A test that stands to the right of the step that it filters.
    filter: Option<Test>,
    /// Whether a container was added that the text left out.
    pub(super) completed: bool,
}

/// A test, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Test {
    pub(super) filter: Filter<String>,
    pub(super) at: usize,
}

/// A pick, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) pick: Pick,
    pub(super) at: usize,
}

impl Parser<'_> {
    /// Reads a chain. `filtered` is the class that a test in it is about, if a step to the left has picked one; `base`
    /// is what the chain hangs on.
    pub(super) fn chain(&mut self, at: usize, filtered: Option<usize>, base: usize) -> Result<Chain, Fail> {
        let key = (at, filtered, base);
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        self.readings += 1;
        if self.depth >= DEEPEST || self.readings > MOST_READINGS {
            return Err(too_deep(at, self.tokens.len()));
        }
        self.depth += 1;
        let chain = self.readings_of_chain(at, filtered, base);
        self.depth -= 1;
        self.memo.insert(key, chain.clone());
        chain
    }

    fn readings_of_chain(&mut self, at: usize, filtered: Option<usize>, base: usize) -> Result<Chain, Fail> {
        let mut fail: Option<Fail> = None;
        for reading in self.steps(at, base)? {
            let chain = match reading {
                Ok((picks, next)) => self.link(picks, next, filtered, base),
                Err(fail) => Err(fail),
            };
            match chain {
                Ok(chain) => return Ok(chain),
                Err(other) => fail = Some(other.or(fail)),
            }
        }
        Err(fail.unwrap_or_else(|| self.unknown(at, base, false)))
    }

    /// Reads what stands behind a step, and takes the step from there.
    fn link(
        &mut self,
        picks: Vec<Placed>,
        next: usize,
        filtered: Option<usize>,
        base: usize,
    ) -> Result<Chain, Fail> {
        let own = picks.iter().rposition(|placed| placed.pick.class().is_some());
        let class = filtered.or_else(|| own.and_then(|own| picks[own].pick.class()));
        let (mut test, next) = match self.is_word(next, &FILTERS) {
            true => match self.filter(next, class) {
                Ok((test, end)) => (Some(test), end),
                Err(fail) => return Err(self.other_class(next, &picks, own, filtered).unwrap_or(fail)),
            },
            false => (None, next),
        };
        let mut chain = if self.is_word(next, &["of", "in"]) {
            if self.is_end(next + 1) {
                let instead = "add the container, or leave the last word out";
                return Err(Fail::refused(next, next + 1, "a container is missing behind it", instead));
            }
            self.chain(next + 1, class, base)?
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
            let is_filtered = filtered.is_none() && own == Some(which);
            let test = if is_filtered { test.take() } else { None };
            chain = self.apply(chain, placed, test)?;
        }
        Ok(Chain { filter: test, ..chain })
    }

    /// The error for a test that fits the step beside it, though a test is about the leftmost class.
    fn other_class(
        &mut self,
        at: usize,
        picks: &[Placed],
        own: Option<usize>,
        filtered: Option<usize>,
    ) -> Option<Fail> {
        let own = picks[own?].pick.class().filter(|own| filtered.is_some_and(|filtered| filtered != *own))?;
        let (_, end) = self.filter(at, Some(own)).ok()?;
        let [tested, beside] =
            [filtered?, own].map(|class| self.class_at(class).map_or("", |class| class.name.as_str()));
        let wrong = format!("the filter is about `{tested}`, and its properties are of `{beside}`");
        let instead = format!("put the inner object in parentheses: `… of (every {beside} whose …)`");
        Some(Fail::refused(at, end, wrong, instead))
    }

    fn filter(&mut self, at: usize, class: Option<usize>) -> Result<(Test, usize), Fail> {
        let class =
            class.and_then(|class| self.dictionary.classes.get_index(class)).map(|(name, _)| name.clone());
        let Some(class) = class else {
            let instead = "filter a collection, such as `every message of inbox whose …`";
            return Err(Fail::refused(at, at + 1, "one object cannot be filtered", instead));
        };
        let (filter, end) = self.test(at + 1, &class)?;
        Ok((Test { filter, at }, end))
    }

    /// Takes one step from what the chain has led to.
    fn apply(&mut self, chain: Chain, placed: &Placed, test: Option<Test>) -> Result<Chain, Fail> {
        let Chain { object: owner, end, completed, .. } = chain;
        let (object, added) = match &placed.pick {
            Pick::Property(term) => (self.property(&owner, term, placed.at, end)?, false),
            Pick::Element(class, how) => self.element(&owner, *class, how, test, (placed.at, end))?,
            Pick::Reference(id) => (self.outermost(&owner, Owner::reference(*id), placed.at, end)?, false),
            Pick::Application => {
                let application = self.bases[super::AT_APPLICATION].clone();
                (self.outermost(&owner, Owner { explicit: true, ..application }, placed.at, end)?, false)
            }
            Pick::Inner(class) => (self.inner(owner, *class, test, placed.at)?, false),
        };
        Ok(Chain { object, end, filter: None, completed: completed || added })
    }

    /// What has no container may not be given one.
    fn outermost(&self, owner: &Owner, object: Owner, at: usize, reach: usize) -> Result<Owner, Fail> {
        if self.bases[..=AT_UNKNOWN].contains(owner) {
            return Ok(object);
        }
        let instead = "let it be the last word of the text";
        Err(Fail::refused(at, reach, format!("{} is in no container", self.shown(at)), instead))
    }

    /// What stands in parentheses, in a container that stands behind them; a test may follow.
    fn inner(
        &mut self,
        owner: Owner,
        class: Option<usize>,
        test: Option<Test>,
        at: usize,
    ) -> Result<Owner, Fail> {
        let base = self.bases.iter().position(|base| *base == owner).unwrap_or_else(|| {
            self.bases.push(owner);
            self.bases.len() - 1
        });
        let chain = self.chain(at + 1, None, base)?;
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

    /// Reads what stands in parentheses as far as it goes without the container behind them.
    pub(super) fn parenthesis(&mut self, at: usize) -> Result<(Pick, usize), Fail> {
        let chain = self.chain(at + 1, None, AT_UNKNOWN)?;
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

impl Pick {
    /// The class whose elements are picked.
    fn class(&self) -> Option<usize> {
        match self {
            Self::Element(class, _) => Some(*class),
            Self::Inner(class) => *class,
            _ => None,
        }
    }
}

impl How {
    /// Whether a test may choose among what is picked.
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
