//! Sends plugins' requests to web servers. The system's `curl` sends each one in a separate process. This program
//! looks up the address first, and `curl` connects to that address only.

mod address;
mod echo;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use data_encoding::BASE64;
use iac_core::Millis;
use iac_core::call::{Method, Secret, WebCall};
use iac_core::foreign;
use iac_core::step::{Event, RunFailure};
use iac_osascript::{Guarded, Liveness};
use memchr::memrchr;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::Sender;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::secrets::{Keeper, check};
use address::is_own;
pub(crate) use address::is_public;

/// The most bytes of an answer, separately for its body and its headers.
const LARGEST: usize = 4 * 1024 * 1024;
pub(crate) const LARGEST_HEAD: usize = 128 * 1024;

/// Makes `curl` write the number of bytes of the body after the answer. Trailers follow the body, and nothing else
/// marks where the body ends.
pub(crate) const SIZE: [&str; 2] = ["--write-out", "\\n%{size_download}"];

/// The most bytes of that number.
pub(crate) const LARGEST_SIZE: usize = 32;

/// The most bytes of an error message from `curl`.
const LARGEST_ERROR: u64 = 4 * 1024;

/// The folders to search for `curl`.
const PATH: &str = "/usr/bin:/bin:/usr/local/bin";

/// The most lookups that run at the same time for one plugin: as many as it may have calls. A lookup cannot be
/// cancelled, and a name server that never answers must not occupy all threads.
const LOOKUPS: usize = 2;

/// Sends requests to web servers.
#[derive(Debug)]
pub struct Web {
    guard: Option<PathBuf>,
    liveness: OnceLock<Liveness>,
    reach: Reach,
    resolve: fn(&str) -> io::Result<Vec<IpAddr>>,
    /// The secrets of plugins, if there is a state directory.
    keeper: Option<Keeper>,
    told: Told,
    lookups: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

/// The secrets that requests have sent, by plugin and host. They are never logged.
#[derive(Default)]
struct Told(Mutex<BTreeMap<Asking, BTreeSet<String>>>);

/// A plugin and a host.
type Asking = (String, String);

impl Told {
    fn tell(&self, asking: &Asking, secrets: &[Filled]) {
        let values = secrets.iter().map(|secret| secret.value.clone());
        self.held().entry(asking.clone()).or_default().extend(values);
    }

    /// Returns all secrets that a host has received, because a server may repeat them later.
    fn to(&self, asking: &Asking) -> BTreeSet<String> {
        self.held().get(asking).cloned().unwrap_or_default()
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<Asking, BTreeSet<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Told")
    }
}

/// Where requests go.
#[derive(Debug)]
enum Reach {
    /// To their host, over https.
    World,
    /// Nowhere; the text says why.
    Nothing(&'static str),
    /// To a test server on this computer.
    #[cfg(test)]
    Loopback(u16),
}

/// A header with a secret.
#[derive(Clone)]
struct Filled {
    header: String,
    prefix: String,
    value: String,
}

impl Default for Web {
    fn default() -> Self {
        Self::of(None)
    }
}

impl Web {
    fn new(reach: Reach, resolve: fn(&str) -> io::Result<Vec<IpAddr>>) -> Self {
        let guard = std::env::current_exe().ok();
        let (told, lookups) = (Told::default(), Mutex::default());
        Self { guard, liveness: OnceLock::new(), reach, resolve, keeper: None, told, lookups }
    }

    /// Sends requests with the secrets of a state directory.
    pub fn of(state: Option<&Path>) -> Self {
        Self { keeper: state.map(Keeper::of), ..Self::new(Reach::World, looked_up) }
    }

    /// Refuses every request for this reason.
    pub fn nowhere(why: &'static str) -> Self {
        Self::new(Reach::Nothing(why), looked_up)
    }

    /// Sends one request of a plugin. `left` is what remains of the call's time. Dropping the future kills the
    /// process.
    pub(crate) async fn send(&self, call: &WebCall, plugin: Option<&str>, left: Duration) -> Event {
        let time = left.min(Duration::from_millis(call.deadline.0));
        let (plugin, end) = (plugin.unwrap_or_default(), Instant::now() + time);
        let sent = async {
            if let Reach::Nothing(why) = self.reach {
                return Err(unstarted(why));
            }
            let ready = async {
                let secrets = self.secrets(call, plugin).await?;
                Ok((secrets, self.addresses(&call.host, plugin).await?))
            };
            let late = |_| Err(unstarted("the time was over before the host was found, so nothing was sent"));
            let (secrets, addresses) = timeout_at(end, ready).await.unwrap_or_else(late)?;
            let asking = (plugin.to_owned(), call.host.clone());
            self.told.tell(&asking, &secrets);
            let sent = self.sent(call, &secrets, &addresses, end.saturating_duration_since(Instant::now()));
            let read = timeout_at(end, sent).await.unwrap_or(Err(Unsent::Late))?;
            // Other requests may have sent further secrets since then.
            let told = self.told.to(&asking);
            // Searching a long answer for many secrets takes time, so it runs on a blocking thread and delays no
            // other call.
            let answer = tokio::task::spawn_blocking(move || answer(&read, &told)).await;
            answer.unwrap_or_else(|error| Err(broken(&error.to_string())))
        };
        let millis = Millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        match sent.await {
            Ok(answer) => Event::Replied(answer),
            Err(Unsent::Late) => Event::Failed(RunFailure::Timeout(millis)),
            Err(Unsent::Failed(failure)) => Event::Failed(failure),
        }
    }

    /// Reads the secrets that a request needs.
    async fn secrets(&self, call: &WebCall, plugin: &str) -> Result<Vec<Filled>, Unsent> {
        let mut filled = Vec::new();
        for Secret { key, header, prefix } in call.secrets.clone() {
            let value = match &self.keeper {
                Some(keeper) => keeper.place(plugin, &key, &call.host).read().await,
                None => Ok(None),
            };
            let value = value
                .map_err(|error| unstarted(&format!("the secret `{key}` cannot be read: {error}")))?
                .ok_or_else(|| {
                    unstarted(&format!(
                        "the secret `{key}` is not set; the user sets it with `iac-mcp plugin secret {plugin} {key}`"
                    ))
                })?;
            // Somebody may have stored it by other means than `plugin secret`.
            check(&value).map_err(|why| unstarted(&format!("`{key}`: {why}")))?;
            filled.push(Filled { header, prefix, value });
        }
        Ok(filled)
    }

    /// Sends the request, and returns the output of `curl`.
    async fn sent(
        &self,
        call: &WebCall,
        secrets: &[Filled],
        addresses: &[IpAddr],
        time: Duration,
    ) -> Result<Vec<u8>, Unsent> {
        let failed = |error: io::Error| unstarted(&error.to_string());
        let body = if call.body.is_empty() { None } else { Some(Body::new().map_err(failed)?) };
        let config = self.config(call, secrets, addresses, body.as_ref());
        let liveness = self.liveness().map_err(failed)?;
        // The environment of this program, such as a proxy setting, is not passed on.
        let environment = [("PATH".into(), PATH.into())];
        let (guard, program) = (self.guard.as_deref(), arguments(time, call.method));
        let started = Guarded::server(guard, liveness, &program, Path::new("/"), &environment);
        let (mut process, pipes) = started.map_err(|error| uninstalled(&error.to_string()))?;
        // Now only `curl` holds the read end, so writing fails when `curl` ends.
        let near = body.map(|body| body.near);
        let feed = async {
            let mut stdin = pipes.stdin;
            // If `curl` has already ended, its exit status says why.
            let _ = stdin.write_all(config.as_bytes()).await;
            drop(stdin);
            if let Some(mut near) = near {
                let _ = near.write_all(&call.body).await;
            }
        };
        let said = async {
            let mut said = Vec::new();
            let _ = pipes.stderr.take(LARGEST_ERROR).read_to_end(&mut said).await;
            String::from_utf8_lossy(&said).into_owned()
        };
        let talk = async {
            tokio::pin!(said);
            // Another process may have inherited the read end by chance. It reads nothing and must not be waited for.
            tokio::select! { biased; said = &mut said => said, () = feed => said.await }
        };
        // An answer that is too long ends the request at once, even if part of the request is not sent yet.
        let (read, said) = tokio::try_join!(bounded(pipes.stdout), async { Ok(talk.await) })?;
        let status = process.wait().await.map_err(|error| broken(&error.to_string()))?;
        match status.code() {
            Some(0) => Ok(read),
            Some(LATE) => Err(Unsent::Late),
            Some(LONG) => Err(too_large(LARGEST)),
            Some(UNSTARTABLE) => Err(uninstalled(&said)),
            Some(code) if UNCONNECTED.contains(&code) => Err(unstarted(&said)),
            _ => Err(broken(&said)),
        }
    }

    fn liveness(&self) -> io::Result<&Liveness> {
        if let Some(liveness) = self.liveness.get() {
            return Ok(liveness);
        }
        let made = Liveness::new()?;
        Ok(self.liveness.get_or_init(|| made))
    }

    /// Looks up a host. If any of its addresses is private, none is used.
    async fn addresses(&self, host: &str, plugin: &str) -> Result<Vec<IpAddr>, Unsent> {
        let turns = {
            let mut lookups = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
            let turns = lookups.entry(plugin.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(LOOKUPS)));
            Arc::clone(turns)
        };
        let turn = turns.acquire_owned().await.map_err(|error| unstarted(&error.to_string()))?;
        let (resolve, name) = (self.resolve, host.to_owned());
        let found = tokio::task::spawn_blocking(move || {
            // The permit is held until the lookup ends, even if the request has given up waiting.
            let _turn = turn;
            resolve(&name)
        });
        let found = found.await;
        let found = found.map_err(|error| unstarted(&error.to_string()))?;
        let found = found.map_err(|error| unstarted(&format!("the host cannot be looked up: {error}")))?;
        #[cfg(test)]
        if let Reach::Loopback(_) = self.reach {
            return Ok(found);
        }
        match found.iter().find(|address| !is_public(**address) || is_own(**address)) {
            Some(address) => Err(unstarted(&format!(
                "the host leads to {address}, which is not a public address of another computer, so nothing was sent"
            ))),
            None if found.is_empty() => Err(unstarted("the host has no address")),
            None => Ok(found),
        }
    }

    /// Writes the request as a `curl` config file. It is passed on standard input, because every user of a computer
    /// can see the arguments of its processes.
    fn config(
        &self,
        call: &WebCall,
        secrets: &[Filled],
        addresses: &[IpAddr],
        body: Option<&Body>,
    ) -> String {
        let (url, host, port) = self.target(call);
        let addresses: Vec<String> = addresses.iter().copied().map(in_address).collect();
        let mut lines =
            vec![option("url", &url), option("resolve", &format!("{host}:{port}:{}", addresses.join(",")))];
        let mut header = |text: &str| lines.push(option("header", text));
        for (name, value) in &call.headers {
            header(&format!("{name}: {value}"));
        }
        for Filled { header: name, prefix, value } in secrets {
            header(&format!("{name}: {prefix}{value}"));
        }
        // A secret could not be found in compressed text.
        header("Accept-Encoding: identity");
        // Waiting for a server that never sends `100 Continue` would take a second.
        header("Expect:");
        let names_type = call.headers.iter().any(|(name, _)| name == "content-type");
        if body.is_some() && !names_type {
            // Otherwise `curl` would declare the body to be a form.
            header("Content-Type:");
        }
        let is_empty = body.is_none() && matches!(call.method, Method::Post | Method::Put | Method::Patch);
        if is_empty {
            header("Content-Length: 0");
        }
        match call.method {
            Method::Get => {}
            Method::Head => lines.push("head".to_owned()),
            method => lines.push(option("request", method.name())),
        }
        if let Some(body) = body {
            lines.push(option("data-binary", &format!("@/dev/fd/{}", body.far.as_raw_fd())));
        }
        lines.join("\n") + "\n"
    }

    /// Returns the requested address, its host and its port.
    fn target<'a>(&self, call: &'a WebCall) -> (Cow<'a, str>, &'a str, u16) {
        match self.reach {
            #[cfg(test)]
            Reach::Loopback(port) => {
                let path = call.url.strip_prefix("https://").and_then(|rest| rest.strip_prefix(&call.host));
                let url = format!("http://{}:{port}{}", call.host, path.unwrap_or("/"));
                (url.into(), &call.host, port)
            }
            Reach::World | Reach::Nothing(_) => (call.url.as_str().into(), &call.host, 443),
        }
    }
}

/// Exit codes of `curl`: the time limit, an answer that is too long, and failures before a connection was made, in
/// which case nothing was sent.
const LATE: i32 = 28;
const LONG: i32 = 63;
const UNCONNECTED: [i32; 11] = [2, 5, 6, 7, 35, 53, 58, 59, 60, 77, 83];

/// The guard's exit code if it cannot start `curl`.
const UNSTARTABLE: i32 = 127;

/// Why there is no answer.
#[derive(Debug)]
enum Unsent {
    Late,
    Failed(RunFailure),
}

fn unstarted(why: &str) -> Unsent {
    Unsent::Failed(RunFailure::Unstarted(why.trim().to_owned()))
}

fn too_large(most: usize) -> Unsent {
    Unsent::Failed(RunFailure::TooLarge(most))
}

fn uninstalled(why: &str) -> Unsent {
    unstarted(&format!("{}; `curl` is needed in one of the folders {PATH}", why.trim()))
}

fn broken(why: &str) -> Unsent {
    Unsent::Failed(RunFailure::Process(why.trim().to_owned()))
}

/// A pipe for the body, because a config file cannot contain every byte.
struct Body {
    /// The read end. It survives the `exec` of `curl`.
    far: OwnedFd,
    near: Sender,
}

impl Body {
    fn new() -> io::Result<Self> {
        let (far, near) = io::pipe()?;
        // A duplicate is not closed on `exec`.
        Ok(Self { far: rustix::io::dup(&far)?, near: Sender::from_owned_fd(near.into())? })
    }
}

/// The options of every request. `--disable` ignores the user's own `curl` settings.
fn arguments(time: Duration, method: Method) -> Vec<OsString> {
    let time = format!("{:.3}", time.as_secs_f64());
    let most = LARGEST.to_string();
    let fixed = [
        "curl", "--disable", "--silent", "--show-error", "--globoff", "--include", "--user-agent", "iac-mcp",
    ];
    // Without `--location`, a redirect is treated like any other answer.
    let bounds = ["--noproxy", "*", "--proto", SCHEME, "--tlsv1.2", "--max-time", &time];
    // The headers of a large resource are small, so HEAD needs no limit on the announced size.
    let largest: &[&str] = if method == Method::Head { &[] } else { &["--max-filesize", &most] };
    let last = SIZE.into_iter().chain(["--config", "-"]);
    let all = fixed.into_iter().chain(bounds).chain(largest.iter().copied()).chain(last);
    all.map(OsString::from).collect()
}

#[cfg(not(test))]
const SCHEME: &str = "=https";
#[cfg(test)]
const SCHEME: &str = "=https,http";

fn option(name: &str, value: &str) -> String {
    let plain: String = value.chars().filter(|it| !it.is_control()).collect();
    format!("{name} = \"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Looks up the current addresses of a name.
pub(crate) fn looked_up(host: &str) -> io::Result<Vec<IpAddr>> {
    Ok((host, 443).to_socket_addrs()?.map(|address| address.ip()).collect())
}

/// Formats an IP address for a URL.
pub(crate) fn in_address(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// Reads up to the limit, and fails beyond it.
async fn bounded(from: impl AsyncRead + Unpin) -> Result<Vec<u8>, Unsent> {
    let mut read = Vec::new();
    let most = (LARGEST + LARGEST_HEAD + LARGEST_SIZE) as u64;
    let ended = from.take(most + 1).read_to_end(&mut read).await;
    ended.map_err(|error| broken(&error.to_string()))?;
    match read.len() as u64 > most {
        true => Err(too_large(LARGEST)),
        false => Ok(read),
    }
}

/// Parses an answer and formats it like the envelope of a script.
fn answer(read: &[u8], secrets: &BTreeSet<String>) -> Result<String, Unsent> {
    let Some(Answer { status, mut headers, body }) = heads(read) else {
        return Err(broken(&format!(
            "the answer is not HTTP, or its head has more than {LARGEST_HEAD} bytes"
        )));
    };
    headers.retain(|(name, _)| name != "set-cookie");
    if body.len() > LARGEST {
        return Err(too_large(LARGEST));
    }
    if let Some(coding) = coding(&headers).filter(|_| !body.is_empty()) {
        let coding = foreign::clean(coding, 40);
        return Err(broken(&format!("the answer is encoded as `{coding}`, though `identity` was asked for")));
    }
    if echo::repeats(read, secrets) {
        return Err(broken("the answer repeats a secret, which the plugin may not see"));
    }
    let value = json!({ "status": status, "headers": headers, "body": BASE64.encode(body) });
    Ok(json!({ "ok": true, "value": value }).to_string())
}

/// Returns the encoding of a body, such as compression, if it has one.
fn coding(headers: &[(String, String)]) -> Option<&str> {
    let codings = headers.iter().flat_map(|(name, value)| match name.as_str() {
        "content-encoding" | "transfer-encoding" => value.split(',').collect(),
        _ => Vec::new(),
    });
    let plain = ["", "identity", "chunked"];
    codings.map(str::trim).find(|coding| !plain.iter().any(|plain| coding.eq_ignore_ascii_case(plain)))
}

/// The parts of an answer.
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: &'a [u8],
}

/// Parses an answer; `None` if it is not HTTP or if its headers are too long, because a million short headers would
/// need a hundred times their size in memory. Interim responses such as `100 Continue` come before the final one.
/// Trailers and [`SIZE`] come after the body.
pub(crate) fn heads(read: &[u8]) -> Option<Answer<'_>> {
    let line = memrchr(b'\n', read)?;
    let size: usize = std::str::from_utf8(&read[line + 1..]).ok()?.parse().ok()?;
    let mut read = &read[..line];
    loop {
        let end = read.windows(4).take(LARGEST_HEAD).position(|part| part == b"\r\n\r\n")?;
        // Some servers send header values in Latin-1.
        let (head, body) = (String::from_utf8_lossy(&read[..end]), &read[end + 4..]);
        let mut lines = head.split("\r\n");
        let status: u16 = lines.next()?.strip_prefix("HTTP/")?.split(' ').nth(1)?.parse().ok()?;
        if (100..200).contains(&status) {
            read = body;
            continue;
        }
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.filter_map(header).collect();
        return Some(Answer { status, headers, body: body.get(..size)? });
    }
}

#[cfg(test)]
pub(crate) mod tests;
