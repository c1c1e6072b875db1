//! How much memory a process holds.

use super::spawn;

/// Resident memory in bytes; 0 if it cannot be known.
pub(super) async fn of(pid: Option<u32>) -> u64 {
    let Some(pid) = pid else { return 0 };
    let kilobytes = match std::fs::read_to_string(format!("/proc/{pid}/status")) {
        Ok(status) => in_status(&status),
        Err(_) => spawn::ps(pid).await.ok().and_then(|said| number(&String::from_utf8_lossy(&said))),
    };
    kilobytes.unwrap_or_default() * 1024
}

fn in_status(status: &str) -> Option<u64> {
    number(status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?)
}

fn number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn of_this_process() {
        assert!(of(Some(std::process::id())).await > 1 << 20);
        assert_eq!(of(None).await, 0);
        assert_eq!(of(Some(u32::MAX)).await, 0);
    }

    #[tokio::test]
    async fn as_ps_says_it() {
        let Ok(said) = spawn::ps(std::process::id()).await else { return };
        assert!(number(&String::from_utf8_lossy(&said)).is_some_and(|kilobytes| kilobytes > 1 << 10));
    }

    #[test]
    fn as_proc_says_it() {
        assert_eq!(in_status("Name:\tx\nVmRSS:\t    5120 kB\nThreads:\t1\n"), Some(5120));
        assert_eq!(in_status("Name:\tkthreadd\n"), None);
    }
}
