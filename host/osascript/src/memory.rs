//! Measures the memory of processes.

use crate::spawn;

/// Resident memory in bytes; 0 if it is unknown.
pub(crate) async fn of(pid: Option<u32>) -> u64 {
    let Some(pid) = pid else { return 0 };
    let kilobytes = match std::fs::read_to_string(format!("/proc/{pid}/status")) {
        Ok(status) => in_status(&status),
        Err(_) => spawn::ps(pid).await.ok().and_then(|said| number(&String::from_utf8_lossy(&said))),
    };
    kilobytes.unwrap_or_default() * 1024
}

/// Resident memory of a process group in bytes; `None` if it is unknown.
pub async fn of_group(leader: u32) -> Option<u64> {
    let listed = match std::fs::read_dir("/proc/self") {
        Ok(_) => in_proc(),
        Err(_) => String::from_utf8_lossy(&spawn::ps_all().await.ok()?).into_owned(),
    };
    Some(in_list(&listed, leader) * 1024)
}

/// One line for each process, in the format of `ps`: its group and its memory.
fn in_proc() -> String {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let line = |process: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(process.path().join("stat")).ok()?;
        let status = std::fs::read_to_string(process.path().join("status")).ok()?;
        // The process name is in parentheses and may contain any characters.
        let group = stat.rsplit_once(')')?.1.split_whitespace().nth(2)?;
        Some(format!("{group} {}\n", in_status(&status)?))
    };
    processes.filter_map(line).collect()
}

fn in_list(listed: &str, leader: u32) -> u64 {
    let of_group = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        let (group, kilobytes) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        (group == u64::from(leader)).then_some(kilobytes)
    };
    listed.lines().filter_map(of_group).sum()
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

    #[tokio::test]
    async fn of_a_group() {
        let own = rustix::process::getpgrp().as_raw_nonzero().get();
        assert!(of_group(u32::try_from(own).unwrap()).await > Some(1 << 20));
        assert_eq!(of_group(u32::MAX).await, Some(0));
        assert_eq!(in_list("  7  10\n8 20\n7 30\nx\n", 7), 40);
        let Ok(said) = spawn::ps_all().await else { return };
        assert!(in_list(&String::from_utf8_lossy(&said), u32::try_from(own).unwrap()) > 1 << 10);
    }

    #[test]
    fn as_proc_says_it() {
        assert_eq!(in_status("Name:\tx\nVmRSS:\t    5120 kB\nThreads:\t1\n"), Some(5120));
        assert_eq!(in_status("Name:\tkthreadd\n"), None);
    }
}
