//! Turns for an app, within a server and among servers.

use std::fs::{File, read_to_string};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use iac_core::step::{Event, RunFailure};
use iac_osascript::{Kind, Settings};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::{House, fake};

/// Writes a line when a script begins and when it ends, and takes a while.
const SLOW: &str = "echo \"+$data\" >>$LOG; sleep 0.05; echo \"-$data\" >>$LOG; answer";

/// Servers that share turns, and a log of all scripts that they ran.
struct Street {
    houses: Vec<House>,
    directory: TempDir,
}

impl Street {
    fn new(servers: usize, locks: bool) -> Self {
        let directory = TempDir::new().unwrap();
        let house = |_| {
            let mut settings = fake::settings(SLOW);
            settings.locks = locks.then(|| directory.path().join("locks"));
            settings.environment.push(("LOG".into(), directory.path().join("log").into()));
            House::new(settings)
        };
        Self { houses: (0..servers).map(house).collect(), directory }
    }

    /// Each line is `+WORD` or `-WORD`.
    fn log(&self) -> Vec<String> {
        let text = read_to_string(self.directory.path().join("log")).unwrap_or_default();
        text.lines().map(|line| line.replace("{\"app\":\"", "").replace("\"}", "")).collect()
    }

    async fn close(self) {
        for house in self.houses {
            house.close().await;
        }
    }
}

#[tokio::test]
async fn one_script_at_a_time_for_each_app_of_all_servers() {
    let street = Street::new(2, true);
    let calls = (0..20).map(|n| {
        let house = &street.houses[n % 2];
        async move { house.ask("app", Kind::Change, &format!("bad {n}")).await }
    });
    assert!(all(calls).await.iter().all(|event| matches!(event, Event::Replied(_))));
    let log = street.log();
    assert_eq!(log.len(), 40);
    assert!(log.chunks(2).all(|pair| pair[0][1..] == pair[1][1..]), "{log:?}");
    street.close().await;
}

#[tokio::test]
async fn servers_find_each_other_again_after_the_files_of_their_turns_were_removed() {
    let street = Street::new(2, true);
    street.houses[0].works("app", "x").await;
    // After a while, the server gives back a turn that it does not use; this test also checks the files.
    sleep(Duration::from_millis(50)).await;
    std::fs::remove_dir_all(street.directory.path().join("locks")).unwrap();
    let calls = (0..20).map(|n| {
        let house = &street.houses[n % 2];
        async move { house.ask("app", Kind::Change, &format!("bad {n}")).await }
    });
    assert!(all(calls).await.iter().all(|event| matches!(event, Event::Replied(_))));
    let log = street.log();
    assert!(log.chunks(2).all(|pair| pair[0][1..] == pair[1][1..]), "{log:?}");
    street.close().await;
}

#[tokio::test]
async fn scripts_keep_their_order() {
    let street = Street::new(1, false);
    let calls = (0..20).map(|n| {
        let house = &street.houses[0];
        async move { house.works("app", &format!("bad {n}")).await }
    });
    all(calls).await;
    let begun: Vec<String> =
        street.log().into_iter().filter_map(|line| Some(line.strip_prefix("+")?.to_owned())).collect();
    assert_eq!(begun, (0..20).map(|n| format!("bad {n}")).collect::<Vec<_>>());
    street.close().await;
}

#[tokio::test]
async fn different_apps_run_side_by_side() {
    let street = Street::new(1, true);
    let house = &street.houses[0];
    all((0..2).map(|n| async move { house.works(&format!("app {n}"), "x").await })).await;
    all((0..2).map(|n| async move { house.works(&format!("app {n}"), "bad").await })).await;
    assert_eq!(street.log(), ["+bad", "+bad", "-bad", "-bad"]);
    street.close().await;
}

#[tokio::test]
async fn a_polite_client_waits_two_turns_at_most() {
    let street = Street::new(2, true);
    let (rude, polite) = (&street.houses[0], &street.houses[1]);
    polite.works("app", "x").await;
    let flood = all((0..20).map(|n| async move { rude.ask("app", Kind::Change, &format!("bad {n}")).await }));
    let one = async {
        for _ in 0..3 {
            sleep(Duration::from_millis(120)).await;
            let before = street.log().len();
            polite.works("app", "bad polite").await;
            let turns = street.log()[before..]
                .iter()
                .take_while(|line| *line != "+bad polite")
                .filter(|line| line.starts_with('+'))
                .count();
            assert!(turns <= 2, "{turns}: {:?}", street.log());
        }
    };
    tokio::join!(flood, one);
    street.close().await;
}

#[tokio::test]
async fn a_server_with_nothing_to_run_gives_its_turn_back() {
    let street = Street::new(1, true);
    street.houses[0].works("app", "x").await;
    let path = street.directory.path().join("locks/app.turn");
    let held = tokio::time::timeout(Duration::from_secs(10), hold(&path, 4711));
    assert!(held.await.is_ok());
    street.close().await;
}

#[tokio::test]
async fn a_holder_that_sleeps_stops_changes_and_is_named() {
    let street = Street::new(1, true);
    let house = &street.houses[0];
    house.works("app", "x").await;
    let held = hold(&street.directory.path().join("locks/app.turn"), 4711).await;

    for _ in 0..30 {
        house.works("app", "read").await;
    }
    let counts = house.supervisor.report().apps["app"].counts.clone();
    assert_eq!(counts.without_turn, 30);
    assert!(
        counts.waited.longest_ms > 400.0 && counts.waited.total_ms < 30.0 * 400.0,
        "only the first waits: {counts:?}"
    );
    let change = house.ask("app", Kind::Change, "change");
    let looked = async {
        sleep(Duration::from_millis(200)).await;
        let report = house.supervisor.report();
        assert_eq!(report.apps["app"].holder.as_ref().map(|holder| holder.pid), Some(4711));
        sleep(Duration::from_millis(500)).await;
        drop(held);
    };
    let (event, ()) = tokio::join!(change, looked);
    assert!(matches!(event, Event::Replied(_)), "it goes on when the turn is free: {event:?}");
    street.close().await;
}

#[tokio::test]
async fn a_change_that_never_had_its_turn_says_who_had_it() {
    let directory = TempDir::new().unwrap();
    let (locks, timeout) = (Some(directory.path().to_owned()), Duration::from_secs(1));
    let house = House::new(Settings { locks, timeout, ..fake::settings("") });
    house.works("app", "x").await;
    let _held = hold(&directory.path().join("app.turn"), 4711).await;
    let event = house.ask("app", Kind::Change, "change").await;
    let Event::Failed(RunFailure::Busy(why)) = event else { panic!("{event:?}") };
    assert!(why.contains("4711"), "{why}");
    house.close().await;
}

#[tokio::test]
async fn turns_that_cannot_be_taken_are_done_without() {
    let house = House::new(Settings { locks: Some("/proc/nowhere".into()), ..fake::settings("") });
    house.works("app", "x").await;
    house.close().await;
}

/// Takes a turn as another process would.
async fn hold(path: &Path, pid: u32) -> File {
    let mut file = File::options().write(true).truncate(true).open(path).unwrap();
    while file.try_lock().is_err() {
        sleep(Duration::from_millis(1)).await;
    }
    writeln!(file, "{{\"pid\":{pid},\"since\":0}}").unwrap();
    file
}

/// Starts all scripts in order, then waits for all of them.
async fn all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.map(Box::pin).collect();
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        match done.iter().all(Option::is_some) {
            true => std::task::Poll::Ready(done.drain(..).flatten().collect()),
            false => std::task::Poll::Pending,
        }
    })
    .await
}
