//! Turns a panic into an error, because otherwise the client would wait for ever.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

/// Waits for a future and catches its panics, without a task of its own.
///
/// # Errors
/// It panicked with this message. It must not be polled again.
pub(super) async fn caught<F: Future>(mut future: Pin<&mut F>) -> Result<F::Output, String> {
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(said(&*panic))),
    })
    .await
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("it panicked: {}", text.as_deref().unwrap_or("the reason is unknown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(future: impl Future<Output = u8>, expected: Result<u8, &str>) {
        assert_eq!(caught(std::pin::pin!(future)).await, expected.map_err(str::to_owned));
    }

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        check(async { 7 }, Ok(7)).await;
        check(async { panic!("plainly") }, Err("it panicked: plainly")).await;
        let late = async {
            tokio::task::yield_now().await;
            panic!("after {} waits", 1)
        };
        check(late, Err("it panicked: after 1 waits")).await;
        check(async { std::panic::panic_any(1_u8) }, Err("it panicked: the reason is unknown")).await;
    }
}
