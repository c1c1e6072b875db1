//! Reads many small files in parallel.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The most threads. More do not make disks or processors any faster.
const MOST: usize = 8;

/// Applies a function to each item, on several threads if there are several items. The results keep the order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], apply: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST).min(items.len());
    if threads < 2 {
        return items.iter().map(apply).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let at = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        at.map_while(|at| Some((at, apply(items.get(at)?)))).collect::<Vec<_>>()
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_is_kept() {
        let items: Vec<usize> = (0..1000).collect();
        let twice: Vec<usize> = items.iter().map(|item| item * 2).collect();
        assert_eq!(super::map(&items, |item| item * 2), twice);
        assert!(super::map(&items[..0], |item| item * 2).is_empty());
    }
}
