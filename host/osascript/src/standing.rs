//! The state of an app's lane, for waiting clients and for people to read.

use std::fmt;
use std::time::Instant;

use crate::turns::Holder;

/// The state of a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing is running, or a script is about to start.
    Open,
    /// It waits for another server's turn.
    Waits(Option<Holder>),
    /// It runs a script whose client is waiting.
    Runs(Instant),
    /// The client of the running script has given up, and the app has not answered yet.
    Silent(Instant),
    /// The app never answered. Before anything else runs, it is asked whether it is alive.
    Suspect(Instant),
}

impl Standing {
    /// Whether the app is not answering.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, Self::Silent(_) | Self::Suspect(_))
    }

    /// Changes the state of the lane. Returns whether to notify clients: only when an app stops answering and when it
    /// answers again.
    pub(crate) fn becomes(&mut self, next: Self) -> bool {
        let news = self.is_silent() != next.is_silent();
        *self = next;
        news
    }

    /// Marks that the lane waits for another server. Returns whether to notify clients.
    pub(crate) fn waits(&mut self, holder: Option<Holder>) -> bool {
        *self == Self::Open && self.becomes(Self::Waits(holder))
    }

    /// Marks that the lane has finished a script. Returns whether to notify clients.
    pub(crate) fn open(&mut self) -> bool {
        !matches!(self, Self::Open | Self::Suspect(_)) && self.becomes(Self::Open)
    }

    /// The state as one word, for reports.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Waits(_) => "waiting",
            Self::Runs(_) => "running",
            Self::Silent(_) => "busy",
            Self::Suspect(_) => "suspect",
        }
    }

    /// When this state began, for states that have a duration.
    pub(crate) fn since(&self) -> Option<Instant> {
        match self {
            Self::Open | Self::Waits(_) => None,
            Self::Runs(since) | Self::Silent(since) | Self::Suspect(since) => Some(*since),
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.since().map_or(0, |since| since.elapsed().as_secs());
        match self {
            Self::Open => write!(f, "earlier calls have not finished"),
            Self::Waits(None) => write!(f, "another server uses it"),
            Self::Waits(Some(holder)) => {
                write!(f, "the server with process number {} uses it", holder.pid)
            }
            Self::Runs(_) => write!(f, "it has been working on an earlier call for {seconds} s"),
            Self::Silent(_) => write!(f, "an earlier call has waited for it for {seconds} s"),
            Self::Suspect(_) => {
                write!(f, "it has not answered for {seconds} s and did not answer the check either")
            }
        }
    }
}
