//! `http`: a request becomes a question only after it was checked and its host is granted.

use data_encoding::BASE64;
use serde::Deserialize;

use super::{Returned, State, fault};
use crate::engine::bindings::iac::plugin::{http as wit, types};
use crate::host::Question;
use crate::http::{Method, Request, Secret, headers, target};

#[derive(Deserialize)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

const MOST_REQUESTS: u32 = 50;
const MOST_BODY: usize = 1024 * 1024;
/// The most secrets of one request. Each is read for each request and named in the question.
const MOST_SECRETS: usize = 8;
const LONGEST: u32 = 30_000;

impl wit::Host for State {
    async fn send(&mut self, request: wit::Request) -> Returned<wit::Response> {
        let bytes = request.url.len() + request.body.len() + weight(&request.headers);
        let request = match self.checked(request) {
            Ok(request) => request,
            Err(fault) => {
                self.count_call()?;
                return Ok(Err(fault));
            }
        };
        self.requests += 1;
        let server = format!("https://{}", request.host);
        let answer: Result<Answer, _> = self.ask(Question::Http { request }, bytes).await?;
        self.caller.heard.note(Some(&server));
        let answer = answer.and_then(|Answer { status, headers, body }| {
            let body = BASE64.decode(body.as_bytes());
            let body = body.map_err(|error| fault("internal", format!("the host's answer: {error}")))?;
            let headers = headers.into_iter().map(|(name, value)| wit::Header { name, value }).collect();
            Ok(wit::Response { status, headers, body })
        });
        self.count_traffic(answer.as_ref().map_or(0, |it| it.body.len() + weight(&it.headers)))?;
        Ok(answer)
    }
}

impl State {
    /// Parses a request, rejects the guest's mistakes, and checks the grants.
    fn checked(&mut self, request: wit::Request) -> Result<Request, types::Fault> {
        let wit::Request { method, url, headers: given, body, secrets, deadline } = request;
        let invalid = |why: String| fault("invalid_parameter", why);
        let method = Method::from(method);
        let (host, url) = target(&url).map_err(invalid)?;
        if !self.setup.grants.may_send(&host, method) {
            let message = format!("the plugin has no grant for {} to `{host}`", method.name());
            let arguments = format!("http {} --method {}", shown(&host), method.name());
            let is_wanted = self.setup.wanted.may_send(&host, method);
            return Err(self.not_granted(&message, &arguments, is_wanted));
        }
        if self.is_read_only && !method.reads() {
            return Err(self.read_only());
        }
        if body.len() > MOST_BODY || (method.reads() && !body.is_empty()) {
            let most = if method.reads() { 0 } else { MOST_BODY };
            let bytes = body.len();
            return Err(invalid(format!(
                "the body has {bytes} bytes, expected at most {most} for {}",
                method.name()
            )));
        }
        if !(1..=LONGEST).contains(&deadline) {
            return Err(invalid(format!("`deadline` is {deadline}, expected 1 to {LONGEST} milliseconds")));
        }
        let secrets = self.secrets(&secrets, &host)?;
        let given = given.into_iter().map(|header| (header.name, header.value)).collect();
        let headers = headers(given, &secrets).map_err(invalid)?;
        if self.requests >= MOST_REQUESTS {
            let message = format!("the call has sent {MOST_REQUESTS} requests, expected no more");
            return Err(fault("unavailable", message));
        }
        Ok(Request { host, method, url, headers, body: BASE64.encode(&body), secrets, deadline })
    }

    /// Finds the secrets of a request. Each may be named once, and each needs a header of its own.
    fn secrets(&self, keys: &[String], host: &str) -> Result<Vec<Secret>, types::Fault> {
        if keys.len() > MOST_SECRETS {
            let message = format!("there are {} secrets, expected at most {MOST_SECRETS}", keys.len());
            return Err(fault("invalid_parameter", message));
        }
        let mut found: Vec<Secret> = Vec::new();
        for key in keys {
            let secret = self.secret(key, host)?;
            if let Some(other) = found.iter().find(|other| other.header == secret.header) {
                let message =
                    format!("the secrets `{}` and `{key}` have one header, expected two", other.key);
                return Err(fault("invalid_parameter", message));
            }
            found.push(secret);
        }
        Ok(found)
    }

    /// Finds a secret that the package declares for a host.
    fn secret(&self, key: &str, host: &str) -> Result<Secret, types::Fault> {
        let mut declared = self.setup.secrets.iter();
        declared.find(|secret| secret.key == key && secret.host == host).cloned().ok_or_else(|| {
            let key: String = key.chars().take(40).collect();
            fault("invalid_parameter", format!("plugin.toml declares no secret `{key}` for `{host}`"))
        })
    }
}

/// Returns the host for a command that a person may copy, or `HOST` if it is not a valid host.
fn shown(host: &str) -> &str {
    if crate::http::is_host(host) { host } else { "HOST" }
}

fn weight(headers: &[wit::Header]) -> usize {
    headers.iter().map(|header| header.name.len() + header.value.len()).sum()
}

impl From<wit::Method> for Method {
    fn from(method: wit::Method) -> Self {
        match method {
            wit::Method::Get => Self::Get,
            wit::Method::Head => Self::Head,
            wit::Method::Post => Self::Post,
            wit::Method::Put => Self::Put,
            wit::Method::Patch => Self::Patch,
            wit::Method::Delete => Self::Delete,
        }
    }
}
