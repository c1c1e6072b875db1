//! The problems of a file, up to a limit.

use crate::dictionary::{Problem, ProblemKind};

/// How many problems of one dictionary are kept.
const MOST: usize = 500;

/// Problems in order of discovery; problems beyond the limit are only counted.
#[derive(Default)]
pub(super) struct Problems {
    kept: Vec<Problem>,
    more: usize,
}

impl Problems {
    pub(super) fn add(&mut self, line: usize, place: String, kind: ProblemKind) {
        let problem = Problem { line, place, kind };
        if self.kept.len() < MOST
            || !matches!(problem.kind, ProblemKind::Defect(_)) && self.kept.len() < 2 * MOST
        {
            self.kept.push(problem);
        } else {
            self.more += 1;
        }
    }

    pub(super) fn into_vec(mut self) -> Vec<Problem> {
        if self.more > 0 {
            let kind = ProblemKind::Limit(format!("{} more problems are not listed", self.more));
            self.kept.push(Problem { line: 0, place: "file".to_owned(), kind });
        }
        self.kept
    }
}
