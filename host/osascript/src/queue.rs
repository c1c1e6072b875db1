//! The order of an app's scripts: a call reserves a place before its script is known.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::job::Job;
use crate::record::Record;

/// The most scripts that wait for one app.
pub(crate) const MOST: usize = 1000;

/// Where calls reserve their places.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    places: mpsc::UnboundedSender<Taken>,
    record: Arc<Record>,
    patience: Duration,
}

/// The channel for the script of a place, and the time until which the lane waits for that script.
type Taken = (oneshot::Receiver<Job>, Instant);

/// A place in a queue. Dropping it gives the place up.
#[derive(Debug)]
pub(crate) struct Place(oneshot::Sender<Job>);

/// Why a script cannot wait.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// The queue is full.
    Full,
    /// The lane has ended, so nobody serves the queue.
    Ended,
}

/// The scripts of one app, in the order in which their places were taken.
#[derive(Debug)]
pub(crate) struct Queue {
    places: mpsc::UnboundedReceiver<Taken>,
    record: Arc<Record>,
    /// The next place to serve.
    first: Option<Taken>,
}

/// Makes a queue. A place without a script expires after this time.
pub(crate) fn queue(record: &Arc<Record>, patience: Duration) -> (Door, Queue) {
    let (sender, places) = mpsc::unbounded_channel();
    let door = Door { places: sender, record: Arc::clone(record), patience };
    (door, Queue { places, record: Arc::clone(record), first: None })
}

impl Door {
    /// Reserves a place at the end.
    ///
    /// # Errors
    /// The queue is full, or the lane has ended.
    pub(crate) fn place(&self) -> Result<Place, NoPlace> {
        if self.places.is_closed() {
            return Err(NoPlace::Ended);
        }
        if !self.record.came(MOST) {
            return Err(NoPlace::Full);
        }
        let (sender, place) = oneshot::channel();
        let until = Instant::now() + self.patience;
        self.places.send((place, until)).map_err(|_| NoPlace::Ended)?;
        Ok(Place(sender))
    }

    /// Puts a script at its reserved place, or at the end if that place has expired.
    ///
    /// # Errors
    /// The queue is full, or the lane has ended.
    pub(crate) fn enter(&self, place: Place, job: Job) -> Result<(), NoPlace> {
        let Err(job) = place.0.send(job) else { return Ok(()) };
        self.place()?.0.send(job).map_err(|_| NoPlace::Ended)
    }
}

impl Queue {
    /// Waits for the next script; `None` once no more can come. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Job> {
        loop {
            match &mut self.first {
                None => self.first = Some(self.places.recv().await?),
                Some((place, until)) => {
                    let job = until_then(place, *until).await;
                    self.first = None;
                    self.record.is_next();
                    if job.is_some() {
                        return job;
                    }
                }
            }
        }
    }
}

/// Waits for the script of a place; `None` if it does not come in time.
async fn until_then(place: &mut oneshot::Receiver<Job>, until: Instant) -> Option<Job> {
    match timeout_at(until, &mut *place).await {
        Ok(job) => job.ok(),
        Err(_) => {
            place.close();
            place.try_recv().ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use iac_core::jxa::Script;

    use super::*;
    use crate::job::{Ticket, job};
    use crate::settings::Kind;

    const PATIENCE: Duration = Duration::from_secs(2);

    fn script(word: &str) -> (Job, Ticket) {
        job(&Script::probe(word), Kind::Read)
    }

    fn opened() -> (Door, Queue) {
        queue(&Arc::default(), PATIENCE)
    }

    async fn next(queue: &mut Queue) -> String {
        let job = tokio::time::timeout(10 * PATIENCE, queue.next()).await.ok().flatten();
        job.map_or_else(String::new, |job| job.script.data().to_owned())
    }

    #[tokio::test(start_paused = true)]
    async fn places_are_served_in_the_order_in_which_they_were_taken() {
        let (door, mut queue) = opened();
        let [first, given_up, last] = [(); 3].map(|()| door.place().unwrap());
        door.enter(last, script("last").0).unwrap();
        let nobody = tokio::time::timeout(PATIENCE / 2, queue.next()).await;
        assert!(nobody.is_err(), "the first place is waited for");
        door.enter(first, script("first").0).unwrap();
        drop(given_up);
        assert!(next(&mut queue).await.contains("first"));
        assert!(next(&mut queue).await.contains("last"));
        assert_eq!(door.record.look().waiting, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_waited_for_no_longer_than_patience_lasts() {
        let (door, mut queue) = opened();
        let began = Instant::now();
        let [late, _never, other] = [(); 3].map(|()| door.place().unwrap());
        door.enter(other, script("other").0).unwrap();
        assert!(next(&mut queue).await.contains("other"), "the two before it are passed over");
        assert_eq!(began.elapsed().as_secs(), PATIENCE.as_secs(), "both at once");
        door.enter(late, script("late").0).unwrap();
        assert!(next(&mut queue).await.contains("late"), "it is the last one then");
        assert_eq!(door.record.look().waiting, 0);
    }

    #[tokio::test]
    async fn there_is_not_always_a_place() {
        let (door, queue) = opened();
        let mut places: Vec<Place> = (0..MOST).map(|_| door.place().unwrap()).collect();
        assert_eq!(door.place().err(), Some(NoPlace::Full));
        drop(queue);
        assert_eq!(door.place().err(), Some(NoPlace::Ended));
        assert_eq!(door.enter(places.pop().unwrap(), script("x").0), Err(NoPlace::Ended));
    }
}
