//! Rows of the table: a measurement, its target, and the values to compare it with.

use std::time::Instant;

/// The target of a measurement.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// Shown for comparison. Nothing is promised.
    Told,
}

/// One line of the table.
pub(crate) struct Row {
    what: String,
    figure: f64,
    unit: &'static str,
    target: Target,
    note: String,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, figure: f64, unit: &'static str, target: Target) -> Self {
        Self { what: what.into(), figure, unit, target, note: String::new() }
    }

    pub(crate) fn told(what: impl Into<String>, figure: f64, unit: &'static str) -> Self {
        Self::new(what, figure, unit, Target::Told)
    }

    /// Makes a row without a figure, which says why it could not be measured here.
    pub(crate) fn absent(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { note: why.into(), ..Self::told(what, f64::NAN, "") }
    }

    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// `None` if there is no target.
    pub(crate) fn passed(&self) -> Option<bool> {
        self.ratio().map(|ratio| ratio <= 1.0)
    }

    /// The figure as a share of the target; at most 1 passes.
    fn ratio(&self) -> Option<f64> {
        match self.target {
            Target::AtMost(most) => Some(self.figure / most),
            Target::AtLeast(least) => Some(least / self.figure),
            Target::Told => None,
        }
    }

    pub(crate) fn print(&self) {
        let figure = |figure: f64| {
            if figure.is_nan() { "-".to_owned() } else { format!("{} {}", digits(figure), self.unit) }
        };
        let target = match self.target {
            Target::AtMost(most) => format!("≤ {}", figure(most)),
            Target::AtLeast(least) => format!("≥ {}", figure(least)),
            Target::Told => String::new(),
        };
        let ratio = self.ratio().map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let verdict = self.passed().map_or("", |passed| if passed { "pass" } else { "MISS" });
        let line = format!(
            "  {:<58} {:>12} {target:>12} {ratio:>6} {verdict:<4}  {}",
            self.what,
            figure(self.figure),
            self.note
        );
        println!("{}", line.trim_end());
    }
}

pub(crate) fn head() {
    println!("  {:<58} {:>12} {:>12} {:>6}", "", "median", "to reach", "share");
}

/// Formats a figure with three significant digits.
fn digits(figure: f64) -> String {
    let places = match figure.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{figure:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Returns the median.
pub(crate) fn median(figures: Vec<f64>) -> f64 {
    quantile(figures, 0.5)
}

/// Returns a quantile: at most this share of the values is smaller.
pub(crate) fn quantile(mut figures: Vec<f64>, share: f64) -> f64 {
    figures.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a short list")]
    let at = ((figures.len() - 1) as f64 * share).round() as usize;
    figures[at]
}

/// Returns the median time of several runs, in milliseconds.
pub(crate) fn milliseconds(rounds: usize, mut run: impl FnMut()) -> f64 {
    median((0..rounds).map(|_| took(&mut run)).collect())
}

/// Returns the time of one run, in milliseconds.
pub(crate) fn took(run: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    run();
    begun.elapsed().as_secs_f64() * 1e3
}
