//! `serve`

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use super::config::Setting;
use super::options::{Common, Mac};
use super::{Failure, paint};
use crate::mcp;

pub(super) fn run(common: &Common, mac: Mac, settings: &[Setting]) -> Result<(), Failure> {
    if std::io::stdin().is_terminal() {
        let what = "This server waits for an MCP client to speak on its standard input. Clients start it themselves: see `iac-mcp setup`. Ctrl-C ends it.";
        writeln!(paint::stderr(), "{what}")?;
    }
    // Most of the work is waiting, so more threads would not help, and waking each other for every message would cost
    // time. With one thread, calls start in order of arrival, even if the client does not wait between them. Long
    // computations and file reads run on other threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let clean_up = Duration::from_millis(mac.ref_cleanup);
        mcp::serve(mac.router(common, settings)?, clean_up)
            .await
            .map_err(|error| Failure::Failed(error.to_string()))
    });
    // A thread may still be blocked on a read that never returns.
    runtime.shutdown_timeout(Duration::from_millis(100));
    served
}
