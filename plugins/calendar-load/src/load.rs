//! Busy hours, free slots and conflicts of events, without a host.

use iac_plugin::{Json, json};

use crate::clock::Day;
use crate::events::{Happening, Occurrence};
use crate::request::{Request, WEEKDAYS};
use crate::span::{Span, clipped, gaps, merged, total};

const MOST_CONFLICTS: usize = 100;
const MOST_TITLES: usize = 20;

/// The contents of one day.
#[derive(Debug)]
pub(crate) struct Load {
    day: Day,
    pub(crate) working: Span,
    /// Minutes of the whole day that events take.
    pub(crate) busy: i64,
    /// Minutes of the working hours that events take.
    pub(crate) busy_working: i64,
    /// The rest of the working hours, including short gaps.
    pub(crate) free: Vec<Span>,
}

impl Load {
    /// Measures the load of a day, from the merged spans of all events.
    pub(crate) fn of(day: Day, taken: &[Span], request: &Request) -> Self {
        let working = request.working(day);
        Self {
            day,
            working,
            busy: total(&clipped(taken, whole(day))),
            busy_working: total(&clipped(taken, working)),
            free: gaps(taken, working),
        }
    }

    /// Returns the free slots of at least `minutes` minutes.
    pub(crate) fn slots(&self, minutes: i64) -> impl Iterator<Item = Span> {
        self.free.iter().copied().filter(move |slot| slot.minutes() >= minutes)
    }

    fn show(&self, happening: &Happening<'_>, minutes: i64) -> Json {
        let weekday = usize::try_from(self.day.weekday()).ok().and_then(|place| WEEKDAYS.get(place));
        json!({
            "date": self.day.to_string(),
            "weekday": weekday,
            "events": on(&happening.timed, self.day).count(),
            "allDay": on(&happening.whole, self.day).map(|one| one.event.title()).take(MOST_TITLES).collect::<Vec<_>>(),
            "busyHours": hours(self.busy),
            "workingHours": hours(self.working.minutes()),
            "busyWorkingHours": hours(self.busy_working),
            "freeHours": hours(total(&self.free)),
            "free": self.slots(minutes).map(Span::show).collect::<Vec<_>>(),
        })
    }
}

/// Shows the days of a request and the conflicts between timed events.
pub(crate) fn show(happening: &Happening<'_>, request: &Request) -> Json {
    let taken = merged(happening.timed.iter().map(|occurrence| occurrence.span).collect());
    let days = (request.first.0..request.first.0 + request.days).map(Day);
    let loads: Vec<Load> = days.map(|day| Load::of(day, &taken, request)).collect();
    let (conflicts, all) = conflicts(&happening.timed, request.range());
    json!({
        "from": request.first.to_string(),
        "to": Day(request.first.0 + request.days - 1).to_string(),
        "days": loads.iter().map(|load| load.show(happening, request.minutes)).collect::<Vec<_>>(),
        "busyHours": hours(loads.iter().map(|load| load.busy).sum()),
        "freeHours": hours(loads.iter().map(|load| total(&load.free)).sum()),
        "conflicts": conflicts,
        "otherConflicts": all - conflicts.len(),
    })
}

/// Shows the first pairs of events that share a minute of `range`, in order, and counts all pairs.
fn conflicts(timed: &[Occurrence<'_>], range: Span) -> (Vec<Json>, usize) {
    let (mut shown, mut all) = (Vec::new(), 0);
    for (place, one) in timed.iter().enumerate() {
        let later = timed[place + 1..].iter().take_while(|other| other.span.start < one.span.end);
        for other in later {
            let Some(common) = one.span.common(other.span).and_then(|common| common.common(range)) else {
                continue;
            };
            all += 1;
            if shown.len() < MOST_CONFLICTS {
                let mut conflict = common.show();
                conflict["events"] = json!([one.show(), other.show()]);
                shown.push(conflict);
            }
        }
    }
    (shown, all)
}

fn on<'a, 'b>(list: &'a [Occurrence<'b>], day: Day) -> impl Iterator<Item = &'a Occurrence<'b>> {
    list.iter().filter(move |occurrence| occurrence.span.touches(whole(day)))
}

fn whole(day: Day) -> Span {
    Span { start: day.start(), end: Day(day.0 + 1).start() }
}

/// Returns hours with two decimals.
fn hours(minutes: i64) -> f64 {
    f64::from(i32::try_from(minutes * 100 / 60).unwrap_or(i32::MAX)) / 100.0
}
