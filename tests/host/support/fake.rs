//! A program in place of `osascript` that answers as a test wants, even in ways in which no `osascript` answers.

use std::time::Duration;

use iac_osascript::Settings;

/// Runs as a worker or for one script. `BAD` is replaced by the reaction to a request or script that contains `bad`;
/// the answer to any other is its own data.
const PROGRAM: &str = r#"
IFS=
answer() { echo "$id = {\"ok\":true,\"value\":$data,\"events\":1,\"strategy\":null}"; }
case "$*" in
*-e*) echo "iac-mcp worker 1 $$" ;;
*)
    alone() { echo "{\"ok\":true,\"value\":\"alone\",\"events\":1}"; }
    answer() { alone; }
    text=$(cat)
    case "$text" in *bad*) BAD ;; *) alone ;; esac
    exit
    ;;
esac
while read -r line; do
    id=${line#*:}
    id=${id%%,*}
    data=${line##*\"data\":}
    data=${data%\}}
    case "$data" in *bad*) BAD ;; *) answer ;; esac
done
"#;

/// Settings for a program that runs `bad` on request.
pub(crate) fn settings(bad: &str) -> Settings {
    program(&PROGRAM.replace("BAD", bad))
}

/// Settings for any shell script.
pub(crate) fn program(text: &str) -> Settings {
    Settings {
        command: vec!["/bin/sh".into(), "-c".into(), text.into(), "osascript".into()],
        guard: Some(env!("CARGO_BIN_EXE_iac-mcp").into()),
        timeout: Duration::from_secs(30),
        output: 100_000,
        linger: Duration::from_secs(3),
        patience: Duration::from_millis(500),
        ..Settings::default()
    }
}
