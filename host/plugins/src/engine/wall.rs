//! The wall clock of a call. It stands still while a human is asked.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// The wall clock of one call. Clones stop and start the same clock.
#[derive(Clone, Debug, Default)]
pub struct Wall {
    stands: watch::Sender<bool>,
}

impl Wall {
    /// Stops the clock: from now on, the call waits for a human.
    pub fn stop(&self) {
        self.stands.send_replace(true);
    }

    /// Lets the clock go on.
    pub fn go_on(&self) {
        self.stands.send_replace(false);
    }

    /// Waits until the clock has run for `limit`.
    pub(super) async fn past(&self, limit: Duration) {
        let mut stands = self.stands.subscribe();
        let mut left = limit;
        loop {
            // Waiting fails only without a sender, and this is one.
            drop(stands.wait_for(|stands| !stands).await);
            let began = Instant::now();
            tokio::select! {
                biased;
                _ = stands.wait_for(|stands| *stands) => left = left.saturating_sub(began.elapsed()),
                () = sleep(left) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_stands_counts_nothing() {
        let (wall, began) = (Wall::default(), Instant::now());
        let human = async {
            sleep(Duration::from_secs(10)).await;
            wall.stop();
            sleep(Duration::from_secs(45)).await;
            wall.go_on();
        };
        tokio::join!(wall.past(Duration::from_secs(60)), human);
        assert_eq!(began.elapsed().as_secs(), 60 + 45);
    }
}
