//! Requests to the web servers that `plugin.toml` names.
//!
//! ```no_run
//! # fn rates() -> Result<iac_plugin::Json, iac_plugin::Fault> {
//! let answer = iac_plugin::http::get("https://api.example.com/rates").secret("token").send()?;
//! answer.good()?.json()
//! # }
//! ```

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Fault;
use crate::bindings::iac::plugin::http;

pub use http::Method;

/// The default time for an answer, in milliseconds.
const DEADLINE: u32 = 10_000;

/// A request that is not sent yet.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing before it is sent"]
pub struct Request(http::Request);

/// The answer of a server.
#[derive(Clone, Debug)]
pub struct Response(http::Response);

/// Reads an address.
pub fn get(url: impl Into<String>) -> Request {
    request(Method::Get, url)
}

/// Sends something to an address.
pub fn post(url: impl Into<String>) -> Request {
    request(Method::Post, url)
}

/// Makes a request with any method.
pub fn request(method: Method, url: impl Into<String>) -> Request {
    Request(http::Request {
        method,
        url: url.into(),
        headers: Vec::new(),
        body: Vec::new(),
        secrets: Vec::new(),
        deadline: DEADLINE,
    })
}

impl Request {
    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.headers.push(http::Header { name: name.into(), value: value.into() });
        self
    }

    /// Makes the host program put a secret into its header; `plugin.toml` declares the header.
    pub fn secret(mut self, key: impl Into<String>) -> Self {
        self.0.secrets.push(key.into());
        self
    }

    /// Sets the body to these bytes.
    pub fn body(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.body = bytes.into();
        self
    }

    /// Sets the body to a value as JSON.
    pub fn json(self, value: &impl Serialize) -> Self {
        let body = serde_json::to_vec(value).expect("plain data is written as JSON");
        self.header("content-type", "application/json").body(body)
    }

    /// Sets the timeout for the whole answer, in milliseconds, at most 30,000.
    pub fn deadline(mut self, milliseconds: u32) -> Self {
        self.0.deadline = milliseconds;
        self
    }

    /// Sends the request. Every status is an answer, and redirects are not followed.
    ///
    /// # Errors
    /// `permission_denied`, `invalid_parameter`, `unavailable`, `timeout`, `result_too_large`, and those of the gate.
    pub fn send(self) -> Result<Response, Fault> {
        Ok(Response(http::send(&self.0)?))
    }
}

impl Response {
    /// Returns the status, such as 200.
    pub fn status(&self) -> u16 {
        self.0.status
    }

    /// Returns the first header with a name, which must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.headers.iter().find(|header| header.name == name).map(|header| header.value.as_str())
    }

    /// Returns the body.
    pub fn body(&self) -> &[u8] {
        &self.0.body
    }

    /// Returns the answer itself if its status means success.
    ///
    /// # Errors
    /// `unavailable`, with the status.
    pub fn good(self) -> Result<Self, Fault> {
        match self.status() {
            200..=299 => Ok(self),
            status => Err(Fault::new("unavailable", format!("the server answered with status {status}"))),
        }
    }

    /// Reads the body as text.
    ///
    /// # Errors
    /// `unavailable` if it is not UTF-8.
    pub fn text(&self) -> Result<&str, Fault> {
        let wrong = |error| Fault::new("unavailable", format!("the server's answer is not a text: {error}"));
        std::str::from_utf8(&self.0.body).map_err(wrong)
    }

    /// Reads the body as JSON.
    ///
    /// # Errors
    /// `unavailable` if it does not have that form.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let wrong =
            |error| Fault::new("unavailable", format!("the server's answer has another form: {error}"));
        serde_json::from_slice(&self.0.body).map_err(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_built_step_by_step() {
        let Request(built) =
            post("https://a.example/x").header("x-a", "b").secret("token").json(&[1]).deadline(5);
        let headers: Vec<(&str, &str)> =
            built.headers.iter().map(|header| (header.name.as_str(), header.value.as_str())).collect();
        assert_eq!((built.method, built.url.as_str()), (Method::Post, "https://a.example/x"));
        assert_eq!(headers, [("x-a", "b"), ("content-type", "application/json")]);
        assert_eq!(
            (built.secrets, built.body, built.deadline),
            (vec!["token".to_owned()], b"[1]".to_vec(), 5)
        );
        assert_eq!(get("https://a.example").0.deadline, DEADLINE);
    }

    #[test]
    fn an_answer_is_read_as_what_it_is() {
        let header = http::Header { name: "x-a".to_owned(), value: "b".to_owned() };
        let answer = |status, body: &[u8]| {
            Response(http::Response { status, headers: vec![header.clone()], body: body.to_vec() })
        };
        let good = answer(200, b"[1]").good().expect("it is a success");
        assert_eq!((good.header("x-a"), good.header("x-b"), good.body()), (Some("b"), None, &b"[1]"[..]));
        assert_eq!((good.text().ok(), good.json::<Vec<u8>>().ok()), (Some("[1]"), Some(vec![1])));
        let fault = answer(404, b"").good().map(|_| ()).expect_err("it is none");
        assert_eq!(fault.message, "the server answered with status 404");
        assert!(answer(200, &[0xff]).text().is_err() && answer(200, b"x").json::<u8>().is_err());
    }
}
