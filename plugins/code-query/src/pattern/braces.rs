//! Braces: `{get,set}*` is `get*` or `set*`. They may be nested to any depth and give at most 256 patterns.

use super::glob::{Mark, marks};

/// The maximum number of alternatives of one pattern.
const MOST: usize = 256;

/// Braces make more than 256 patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// A pattern as a sequence of pieces; each is a character or a choice.
#[derive(Debug)]
enum Piece {
    Text(Mark),
    Choice(Vec<Vec<Self>>),
}

/// A level of nesting: a brace that is not closed yet, or the outermost level, which has no brace.
#[derive(Debug, Default)]
struct Level {
    brace: Option<Mark>,
    /// The pieces before each comma, with the comma.
    branches: Vec<(Vec<Piece>, Mark)>,
    current: Vec<Piece>,
}

/// Returns the alternatives, in the order in which they are written. Braces that are never closed, or that contain no
/// comma, are literal.
pub(super) fn expand(text: &str) -> Result<Vec<Vec<Mark>>, TooMany> {
    combine(&pieces(&marks(text)))
}

fn pieces(marks: &[Mark]) -> Vec<Piece> {
    let mut level = Level::default();
    let mut outer: Vec<Level> = Vec::new();
    for &mark in marks {
        if mark.is('{') {
            outer.push(std::mem::replace(&mut level, Level { brace: Some(mark), ..Level::default() }));
        } else if mark.is(',') && level.brace.is_some() {
            level.branches.push((std::mem::take(&mut level.current), mark));
        } else if let Some(parent) = mark.is('}').then(|| outer.pop()).flatten() {
            let closed = std::mem::replace(&mut level, parent).close(mark);
            level.current.extend(closed);
        } else {
            level.current.push(Piece::Text(mark));
        }
    }
    while let Some(parent) = outer.pop() {
        let open = std::mem::replace(&mut level, parent).spell();
        level.current.extend(open);
    }
    level.current
}

impl Level {
    /// The alternatives of this level when its brace is closed.
    fn close(mut self, end: Mark) -> Vec<Piece> {
        if self.branches.is_empty() {
            self.current.push(Piece::Text(end));
            return self.spell();
        }
        let branches = self.branches.into_iter().map(|(branch, _)| branch);
        vec![Piece::Choice(branches.chain([self.current]).collect())]
    }

    /// This level as literal text, with its brace and commas.
    fn spell(self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = self.brace.map(Piece::Text).into_iter().collect();
        for (branch, comma) in self.branches {
            pieces.extend(branch);
            pieces.push(Piece::Text(comma));
        }
        pieces.extend(self.current);
        pieces
    }
}

fn combine(pieces: &[Piece]) -> Result<Vec<Vec<Mark>>, TooMany> {
    let mut all: Vec<Vec<Mark>> = vec![Vec::new()];
    for piece in pieces {
        match piece {
            Piece::Text(mark) => all.iter_mut().for_each(|one| one.push(*mark)),
            Piece::Choice(branches) => all = product(&all, &choose(branches)?)?,
        }
    }
    Ok(all)
}

fn choose(branches: &[Vec<Piece>]) -> Result<Vec<Vec<Mark>>, TooMany> {
    let mut all = Vec::new();
    for branch in branches {
        all.extend(combine(branch)?);
        if all.len() > MOST {
            return Err(TooMany);
        }
    }
    Ok(all)
}

fn product(left: &[Vec<Mark>], right: &[Vec<Mark>]) -> Result<Vec<Vec<Mark>>, TooMany> {
    if left.len() * right.len() > MOST {
        return Err(TooMany);
    }
    let join = |one: &Vec<Mark>, other: &Vec<Mark>| one.iter().chain(other).copied().collect();
    Ok(left.iter().flat_map(|one| right.iter().map(move |other| join(one, other))).collect())
}
