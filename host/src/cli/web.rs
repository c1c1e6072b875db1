//! The network requests of the command line, which a person starts at a terminal. All of them go through the system's
//! `curl`.
//!
//! The program itself has no network stack. An answer is limited in bytes and in time, and the user's own `curl`
//! settings are ignored. Plugins' requests are sent elsewhere (`crate::web`).

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::IpAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use iac_core::foreign;
use url::{Host, Url};

use super::{Failure, paint};
use crate::web::{Answer, LARGEST_HEAD, LARGEST_SIZE, SIZE, heads, in_address, is_public, looked_up};

/// Time limits in seconds: to connect, for a whole answer, and how long a download may stay below a thousand bytes
/// per second.
const CONNECTING: &str = "15";
const WHOLE: &str = "300";
const STALLED: &str = "10";

/// The most redirects for one answer.
const REDIRECTS: usize = 5;

/// The most bytes of an answer in addition to its body.
const AROUND: u64 = (LARGEST_HEAD + LARGEST_SIZE) as u64;

/// Starts `curl` with the options of every request. `--disable` ignores the user's own settings. A request contains
/// only the name of this program.
#[expect(
    clippy::disallowed_methods,
    reason = "curl is started for a person at the terminal, never by a server; so the program itself needs no network"
)]
pub(super) fn curl() -> Command {
    let mut curl = Command::new("curl");
    curl.args(["--disable", "--silent", "--show-error", "--user-agent", "iac-mcp", "--globoff"]);
    curl
}

/// An address that may be requested: `https`, or `http` on this computer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address(Url);

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let expected = "expected https://HOST/PATH, or http://127.0.0.1:PORT/PATH on this computer";
        let wrong = || Failure::Misuse(format!("not an address to fetch from: {}\n{expected}", shown(text)));
        let mut url = Url::parse(text).map_err(|_| wrong())?;
        if !url.username().is_empty() || url.password().is_some() {
            let host = url.host_str().unwrap_or_default();
            return Err(Failure::Misuse(format!(
                "the address at {} has a login in it\n{expected}",
                shown(host)
            )));
        }
        url.set_fragment(None);
        let address = Self(url);
        let scheme = match address.0.scheme() {
            "https" => true,
            "http" => address.is_here(),
            _ => false,
        };
        // Programs disagree about the meaning of a backslash in a URL.
        let is_plain = !text.contains('\\');
        if scheme && is_plain { Ok(address) } else { Err(wrong()) }
    }

    /// Resolves the target of a redirect from this address.
    pub(super) fn join(&self, text: &str) -> Result<Self, Failure> {
        let url = self.0.join(text).map_err(|_| self.fails(&format!("it leads to `{}`", shown(text))))?;
        let next = Self::parse(url.as_str())
            .map_err(|_| self.fails(&format!("it leads to {}, which is not https", shown(url.as_str()))))?;
        let leaves = next.host() != self.host();
        match leaves && next.is_private() && !self.is_private() {
            true => Err(self
                .fails(&format!("it leads to this computer or a private network, {}", shown(url.as_str())))),
            false => Ok(next),
        }
    }

    /// Whether it is on this computer or in a private network, judged by its IP address or by the current addresses
    /// of its name. If a proxy looks up all names, this works only for numeric addresses.
    pub(super) fn is_private(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => {
                // `curl` treats these names as this computer, even if a name server says otherwise.
                let is_here = name.trim_end_matches('.').rsplit('.').next() == Some("localhost");
                is_here || found(name).is_ok_and(|found| found.into_iter().any(|ip| !is_public(ip)))
            }
            Some(Host::Ipv4(ip)) => !is_public(ip.into()),
            Some(Host::Ipv6(ip)) => !is_public(ip.into()),
            None => false,
        }
    }

    /// Whether it is on this computer, where nobody can listen in on the connection.
    pub(super) fn is_here(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        }
    }

    /// The option that makes `curl` connect to the checked addresses, even if the name has others by now. If a proxy
    /// looks up all names, there is none.
    fn pinned(&self, found: fn(&str) -> Result<Vec<IpAddr>, String>) -> Option<String> {
        let Some(Host::Domain(name)) = self.0.host() else { return None };
        if self.is_here() {
            return None;
        }
        let found: Vec<String> = found(name).ok()?.into_iter().map(in_address).collect();
        Some(format!("{name}:{}:{}", self.0.port_or_known_default()?, found.join(",")))
    }

    /// The host with its port.
    pub(super) fn host(&self) -> &str {
        &self.0[url::Position::BeforeHost..url::Position::AfterPort]
    }

    /// The address of a file beside this one: the same, with this suffix added to its name.
    pub(super) fn beside(&self, suffix: &str) -> Self {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{suffix}", url.path()));
        Self(url)
    }

    /// Returns the same address with one more query parameter.
    pub(super) fn with(&self, name: &str, value: &str) -> Self {
        let mut url = self.0.clone();
        url.query_pairs_mut().append_pair(name, value);
        Self(url)
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Makes an error about this address.
    pub(super) fn fails(&self, why: &str) -> Failure {
        Failure::Failed(format!("{}: {why}", shown(self.as_str())))
    }
}

/// Looks up a name and keeps the result while the program runs, so that it connects only to addresses that it has
/// checked.
fn found(name: &str) -> Result<Vec<IpAddr>, String> {
    static FOUND: Mutex<BTreeMap<String, Result<Vec<IpAddr>, String>>> = Mutex::new(BTreeMap::new());
    let mut held = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let look = || match looked_up(name) {
        Ok(found) if found.is_empty() => Err("it has no address".to_owned()),
        found => found.map_err(|error| error.to_string()),
    };
    held.entry(name.to_owned()).or_insert_with(look).clone()
}

/// Cleans a text from outside: one line of limited length.
pub(super) fn shown(text: &str) -> String {
    foreign::clean(text, 300)
}

/// How something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Head,
    Post,
    Put,
}

pub(super) struct Request<'a> {
    pub(super) method: Method,
    pub(super) headers: Vec<String>,
    /// The value of `Authorization`, which is secret. No other host gets it.
    pub(super) login: Option<String>,
    pub(super) body: Option<&'a [u8]>,
    /// The most bytes of the answer's body.
    pub(super) most: u64,
}

impl Request<'_> {
    pub(super) fn get(most: u64) -> Self {
        Self { method: Method::Get, headers: Vec::new(), login: None, body: None, most }
    }
}

/// The answer.
pub(super) struct Reply {
    /// The host that answered, with its port. After a redirect, it may be another one than requested.
    pub(super) host: String,
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }
}

/// Sends one request. A redirect counts as an ordinary answer.
///
/// # Errors
/// There is no answer, or it takes too long or is too large.
pub(super) fn ask(address: &Address, request: &Request<'_>) -> Result<Reply, Failure> {
    let mut body = tempfile::NamedTempFile::new()?;
    body.write_all(request.body.unwrap_or_default())?;
    let mut curl = command(address, request, body.path());
    curl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = curl.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => address.fails("there is no `curl`; install it"),
        _ => address.fails(&format!("`curl` did not start: {error}")),
    });
    let read = talk(address, started?, request)?;
    let Some(Answer { status, headers, body }) = heads(&read) else {
        return Err(address.fails("the answer is not HTTP, or its head is too long"));
    };
    if body.len() as u64 > request.most {
        return Err(too_large(address, request));
    }
    Ok(Reply { host: address.host().to_owned(), status, headers, body: body.to_vec() })
}

fn command(address: &Address, request: &Request<'_>, body: &Path) -> Command {
    let mut curl = curl();
    // The headers come before the body, and both are limited. The headers of a proxy are left out.
    curl.args(["--include", "--suppress-connect-headers"]).args(SIZE);
    let scheme = if address.0.scheme() == "https" { "=https" } else { "=http" };
    curl.args(["--proto", scheme, "--connect-timeout", CONNECTING, "--max-time", WHOLE]);
    if address.is_here() {
        curl.args(["--noproxy", "*"]);
    }
    if let Some(pinned) = address.pinned(found) {
        curl.args(["--resolve", &pinned]);
    }
    let most = request.most.to_string();
    match request.method {
        // A server may take a while to store an upload, but a download must not stall.
        Method::Get => {
            curl.args(["--speed-limit", "1000", "--speed-time", STALLED, "--max-filesize"]).arg(most)
        }
        Method::Head => curl.arg("--head"),
        Method::Post => curl.args(["--request", "POST"]),
        Method::Put => curl.arg("--upload-file").arg(body),
    };
    // Headers are passed on standard input, because every user of a computer can see the arguments of its processes.
    curl.args(["--config", "-"]);
    curl.args(["--url", address.as_str()]);
    curl
}

/// Sends the headers to `curl` and reads its output.
fn talk(address: &Address, mut child: Child, request: &Request<'_>) -> Result<Vec<u8>, Failure> {
    if let Some(mut stdin) = child.stdin.take() {
        // If `curl` has already ended, its exit status says why.
        let _ = stdin.write_all(config(request).as_bytes());
    }
    let mut body = Vec::new();
    let read = match child.stdout.take() {
        Some(stdout) => stdout.take(request.most + AROUND + 1).read_to_end(&mut body),
        None => Ok(0),
    };
    if read.is_err() || body.len() as u64 > request.most + AROUND {
        let _ = child.kill();
        let _ = child.wait();
        return Err(too_large(address, request));
    }
    let ended = child.wait_with_output()?;
    match ended.status.success() {
        true => Ok(body),
        false => Err(address.fails(&shown(&String::from_utf8_lossy(&ended.stderr)))),
    }
}

fn too_large(address: &Address, request: &Request<'_>) -> Failure {
    address.fails(&format!("it has more than {} bytes", request.most))
}

/// Writes the headers as a `curl` config file.
fn config(request: &Request<'_>) -> String {
    let login = request.login.iter().map(|login| format!("Authorization: {login}"));
    let fixed: &[&str] = match request.method {
        Method::Post => &["Content-Length: 0"],
        // Waiting for a server that never sends `100 Continue` would take a second.
        Method::Put => &["Expect:"],
        Method::Get | Method::Head => &[],
    };
    let all = request.headers.iter().cloned().chain(login).chain(fixed.iter().map(|it| (*it).to_owned()));
    let line = |header: String| {
        let plain: String = header.chars().filter(|it| !it.is_control()).collect();
        format!("header = \"{}\"\n", plain.replace('\\', "\\\\").replace('"', "\\\""))
    };
    all.map(line).collect()
}

/// Fetches an address and follows redirects. A redirect to another host is reported, and that host does not get the
/// login.
///
/// # Errors
/// As for [`ask`]; also for a redirect that may not be followed.
pub(super) fn fetch(address: &Address, mut request: Request<'_>) -> Result<Reply, Failure> {
    let mut at = address.clone();
    for _ in 0..=REDIRECTS {
        let reply = ask(&at, &request)?;
        let next = match (reply.status, reply.header("location")) {
            (301..=303 | 307 | 308, Some(next)) => at.join(next)?,
            _ => return Ok(reply),
        };
        if next.host() != at.host() {
            request.login = None;
            writeln!(paint::stderr(), "{} leads to {}", at.host(), next.host())?;
        }
        at = next;
    }
    Err(address.fails(&format!("it leads on more than {REDIRECTS} times")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(failure: &Failure) -> String {
        format!("{failure:?}")
    }

    #[test]
    fn an_address_is_https_or_on_this_computer() {
        for text in
            ["https://a.example/x.wasm", "http://127.0.0.1:5000/x", "http://localhost/x", "http://[::1]:1/x"]
        {
            assert!(Address::parse(text).is_ok(), "{text}");
        }
        for text in [
            "http://a.example/x",
            "http://localhost.a.example/x",
            "http://127.0.0.1.a.example/x",
            "http://127.0.0.1\\@a.example/x",
            "https://user@a.example/x",
            "https://user:word@a.example/x",
            "file:///etc/passwd",
            "ftp://a.example/x",
            "--output",
            "",
        ] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_redirect_leads_nowhere_else() {
        let check = |from: &str, to: &str, expected: &str| {
            let next = Address::parse(from).expect("an address").join(to);
            let next = next.map_or_else(|failure| said(&failure), |next| next.as_str().to_owned());
            assert!(next.contains(expected), "{from} to {to}: {next}");
        };
        check("https://a.example/x/y", "z", "https://a.example/x/z");
        check("https://a.example/x", "//b.example/y#part", "https://b.example/y");
        check("https://a.example/x", "http://a.example/x", "which is not https");
        check("https://a.example/x", "http://127.0.0.1/x", "leads to this computer");
        check("https://a.example/x", "https://localhost/x", "leads to this computer");
        check("https://a.example/x", "https://10.0.0.1/x", "or a private network, https://10.0.0.1/x");
        check("https://a.example/x", "https://[::ffff:169.254.169.254]/x", "or a private network");
        check("https://a.example/x", "https://localhost./x", "or a private network");
        check("https://10.0.0.1/x", "https://10.0.0.2/x", "https://10.0.0.2/x");
        check("https://a.example/x", "file:///etc/passwd", "which is not https");
        check("http://127.0.0.1:1/x", "http://127.0.0.1:2/y", "http://127.0.0.1:2/y");
        check("http://127.0.0.1:1/x", "http://b.example/y", "which is not https");
    }

    #[test]
    fn a_host_is_asked_at_the_addresses_that_were_looked_at() {
        let check = |text: &str, expected: Option<&str>| {
            let found =
                |_: &str| Ok(vec![[1, 1, 1, 1].into(), "2606:4700::1111".parse().expect("an address")]);
            let address = Address::parse(text).expect("an address");
            assert_eq!(address.pinned(found).as_deref(), expected, "{text}");
        };
        check("https://a.example/x", Some("a.example:443:1.1.1.1,[2606:4700::1111]"));
        check("https://A.example.:8443/x", Some("a.example.:8443:1.1.1.1,[2606:4700::1111]"));
        for text in ["http://localhost:1/x", "https://1.1.1.1/x", "https://[2606:4700::1111]/x"] {
            check(text, None);
        }
        let unknown = Address::parse("https://a.example/x").expect("an address");
        assert_eq!(unknown.pinned(|_| Err(String::new())), None);
    }

    #[test]
    fn a_header_stays_one_header() {
        let request = Request { login: Some("Basic a\"b\\\nurl = \"x\"".to_owned()), ..Request::get(1) };
        assert_eq!(config(&request), "header = \"Authorization: Basic a\\\"b\\\\url = \\\"x\\\"\"\n");
    }

    #[test]
    fn parts_of_an_address_are_added_in_their_places() {
        let address = Address::parse("https://a.example:8443/x.wasm?y=1#z").expect("an address");
        assert_eq!(address.host(), "a.example:8443");
        assert_eq!(address.beside(".minisig").as_str(), "https://a.example:8443/x.wasm.minisig?y=1");
        assert_eq!(address.with("d", "a:b").as_str(), "https://a.example:8443/x.wasm?y=1&d=a%3Ab");
    }
}
