//! Requests to web servers as data, and the rules for a valid request. Nothing here reaches a network.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// The method of a request to a web server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 6] = [Self::Get, Self::Head, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Tells whether it only reads.
    pub fn reads(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|method| method.name() == text);
        known.ok_or_else(|| {
            format!("unknown method `{text}`, expected {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

/// Returns the names of methods, separated by spaces.
pub fn in_words(methods: &BTreeSet<Method>) -> String {
    methods.iter().map(|method| method.name()).collect::<Vec<_>>().join(" ")
}

/// One checked request. Secrets are only named, without their values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub host: String,
    pub method: Method,
    /// The address, exactly as it is sent.
    pub url: String,
    /// Names in lower case, each with its value.
    pub headers: Vec<(String, String)>,
    /// The body, in base64.
    pub body: String,
    /// The secrets that the host puts into headers.
    pub secrets: Vec<Secret>,
    /// The deadline for the whole answer, in milliseconds.
    pub deadline: u32,
}

/// A secret that a package declares. Its value belongs to the operator and is not here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    /// Its name: `[a-z0-9-_]`, at most 40 characters.
    pub key: String,
    /// Its purpose and where to get it, in one line.
    pub title: String,
    /// The only host that gets it.
    pub host: String,
    /// The header that it goes into, in lower case.
    pub header: String,
    /// The text before it in the header, such as `Bearer `.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
}

const LONGEST_URL: usize = 8_192;
const MOST_HEADERS: usize = 32;
const LONGEST_NAME: usize = 100;
const LONGEST_VALUE: usize = 4_096;

/// The expected form of a host.
pub const HOST: &str = "a host such as api.example.com, in small letters, without https://, a port or a path";

/// Headers that a plugin may not set: they belong to the connection, carry something that the operator has not agreed
/// to, or make a server mistake one method, address or client for another.
const KEPT: [&str; 22] = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "cookie",
    "cookie2",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
];

/// Prefixes of further names that a plugin may not set.
const KEPT_BEGINNINGS: [&str; 2] = ["proxy-", "x-forwarded-"];

/// Tells whether a string is one host name, in the only spelling that grants use.
pub fn is_host(text: &str) -> bool {
    let parsed = Url::parse(&format!("https://{text}/"));
    let is_same = |url: Url| matches!(url.host(), Some(Host::Domain(name)) if name == text);
    // Some programs take a name with a final dot as another host, others as the same.
    let is_plain = text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-'));
    // `curl` reads a `-` before a host and its address as the removal of that address, so another address could be
    // used.
    let is_label = |label: &str| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
    let has_labels = text.contains('.') && text.split('.').all(is_label);
    is_plain && has_labels && text.len() <= 253 && parsed.is_ok_and(is_same)
}

/// Parses an address. Returns its host, and the spelling that is sent. Programs disagree about unusual spellings, so
/// only the plain one is accepted.
///
/// # Errors
/// The address cannot be used.
pub fn target(text: &str) -> Result<(String, String), String> {
    let wrong = |why: &str| Err(format!("the address {why}, expected https://HOST/PATH"));
    if text.len() > LONGEST_URL {
        return wrong(&format!("has {} bytes, expected at most {LONGEST_URL}", text.len()));
    }
    if !text.bytes().all(|byte| (0x21..=0x7e).contains(&byte) && byte != b'\\') {
        return wrong("has a character that is not visible ASCII, or a backslash");
    }
    let Some(rest) = text.strip_prefix("https://") else { return wrong("does not begin with https://") };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let Ok(mut url) = Url::parse(text) else { return wrong("cannot be read") };
    if url.host_str() != Some(authority) {
        return wrong("has a user, a port, or a host that is not written plainly");
    }
    url.set_fragment(None);
    Ok((authority.to_owned(), url.as_str().to_owned()))
}

/// Tells whether a string can name a header.
pub(crate) fn is_name(text: &str) -> bool {
    let token =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(token)
}

/// Tells whether a secret may be put into a header.
pub(crate) fn takes_secrets(header: &str) -> bool {
    is_name(header) && (header == "authorization" || !is_kept(header))
}

/// Tells whether a string is a valid header value. Blanks at either end are refused because they would not arrive.
pub(crate) fn is_value(text: &str) -> bool {
    let visible = text.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
    visible && (1..=LONGEST_VALUE).contains(&text.len()) && text.trim() == text
}

fn is_kept(header: &str) -> bool {
    let heard = heard(header);
    KEPT.contains(&heard.as_str()) || KEPT_BEGINNINGS.iter().any(|it| heard.starts_with(it))
}

/// Returns the name that a program on the server may read: CGI and similar interfaces map `x_http_method` and
/// `x-http-method` to one variable.
fn heard(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Checks the headers of a request. `secrets` are those that go with it.
///
/// # Errors
/// The first header that cannot be sent, and why.
pub(crate) fn headers(
    given: Vec<(String, String)>,
    secrets: &[Secret],
) -> Result<Vec<(String, String)>, String> {
    if given.len() > MOST_HEADERS {
        return Err(format!("there are {} headers, expected at most {MOST_HEADERS}", given.len()));
    }
    let one = |(name, value): (String, String)| {
        let name = name.to_ascii_lowercase();
        if !is_name(&name) {
            return Err("a header has a name that HTTP does not allow".to_owned());
        }
        if is_kept(&name) {
            let advice =
                if heard(&name) == "authorization" { ": declare a secret in plugin.toml" } else { "" };
            return Err(format!("the header `{name}` is the host program's own{advice}"));
        }
        if secrets.iter().any(|secret| heard(&secret.header) == heard(&name)) {
            return Err(format!("the header `{name}` is that of a secret of this request"));
        }
        if !is_value(&value) {
            return Err(format!(
                "the header `{name}` has a value that cannot be sent, expected 1 to {LONGEST_VALUE} visible ASCII characters"
            ));
        }
        Ok((name, value))
    };
    given.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        for text in ["api.example.com", "a.b", "xn--bcher-kva.example", "1password.example"] {
            assert!(is_host(text), "{text}");
        }
        for text in [
            "",
            "localhost",
            "API.example.com",
            "api.example.com.",
            "api.example.com:443",
            "https://api.example.com",
            "user@api.example.com",
            "*.example.com",
            "*",
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.0.0.1",
            "[::1]",
            "bücher.example",
            "a..b",
            "-a.example",
            "a.-b.example",
            "a-.example",
            "a.b/c",
            "a.b?c",
            "a b.c",
        ] {
            assert!(!is_host(text), "{text}");
        }
    }

    fn check(url: &str, expected: &str) {
        let said = target(url).map_or_else(|why| why, |(host, url)| format!("{host} {url}"));
        assert!(said.contains(expected), "{url}: {said}");
    }

    #[test]
    fn an_address_is_read_in_one_way() {
        check("https://a.example", "a.example https://a.example/");
        check("https://a.example/x/../y?q=%20&r#part", "a.example https://a.example/y?q=%20&r");
        check("https://a.example?x=@b.example", "a.example https://a.example/?x=@b.example");
        check("https://a.example/@b.example:1/", "a.example https://a.example/@b.example:1/");
        // The final dot makes it another host than the granted one.
        check("https://a.example./", "a.example. https://a.example./");
        for url in [
            "https://user@a.example/",
            "https://user:word@a.example/",
            "https://@a.example/",
            "https://a.example@b.example/",
            "https://a.example:443/",
            "https://a.example:8443/",
            "https://a.example:/",
            "https://A.example/",
            "https://a%2eexample/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https:///a.example/",
        ] {
            check(url, "has a user, a port, or a host that is not written plainly");
        }
        for url in
            ["http://a.example/", "HTTPS://a.example/", "https:a.example", "//a.example", "file:///etc", ""]
        {
            check(url, "does not begin with https://");
        }
        for url in [
            "https://a.example\\@b.example/",
            "https://a.example/\r\nx: y",
            "https://a.ex\tample/",
            " https://a.example/",
            "https://ａ.example/",
            "https://a.example/ü",
            "https://a.example/\u{0}",
        ] {
            check(url, "has a character that is not visible ASCII");
        }
        check(&format!("https://a.example/{}", "x".repeat(8_192)), "has 8210 bytes");
    }

    #[test]
    fn headers_of_the_connection_are_the_hosts_own() {
        let check = |name: &str, value: &str, expected: &str| {
            let secret = Secret {
                key: "token".to_owned(),
                title: "t".to_owned(),
                host: "a.example".to_owned(),
                header: "x-token".to_owned(),
                prefix: String::new(),
            };
            let read = headers(vec![(name.to_owned(), value.to_owned())], &[secret]);
            let said = read.map_or_else(|why| why, |headers| format!("{headers:?}"));
            assert!(said.contains(expected), "{name}: {said}");
        };
        check("Accept", "text/plain; q=0.5", "[(\"accept\", \"text/plain; q=0.5\")]");
        let others = ["Host", "Proxy-Authorization", "proxy-anything", "X-Forwarded-Host"];
        let same = ["x_http_method_override", "X.HTTP-Method", "content_length", "x_forwarded_for"];
        for name in KEPT.into_iter().chain(others).chain(same) {
            check(name, "x", "is the host program's own");
        }
        for name in ["X-Token", "x_token"] {
            check(name, "mine", "is that of a secret");
        }
        for name in ["", "a b", "a:b", "a\r\nb", "ü", "@file", "a\"", &"x".repeat(101)] {
            check(name, "x", "a name that HTTP does not allow");
        }
        for value in ["", " x", "x ", "a\r\nb: c", "a\nb", "a\tb", "ü", "\u{0}", &"x".repeat(4_097)] {
            check("x-a", value, "a value that cannot be sent");
        }
        let many = (0..33).map(|at| (format!("x-{at}"), "x".to_owned())).collect();
        assert!(headers(many, &[]).is_err_and(|why| why.contains("33 headers")));
    }

    #[test]
    fn a_secret_goes_where_headers_are_free() {
        for (header, expected) in [
            ("authorization", true),
            ("x-api-key", true),
            ("cookie", false),
            ("host", false),
            ("proxy-authorization", false),
            ("X-Api-Key", false),
            ("a b", false),
        ] {
            assert_eq!(takes_secrets(header), expected, "{header}");
        }
    }

    #[test]
    fn methods_have_names() {
        for method in Method::ALL {
            assert_eq!(method.name().parse(), Ok(method));
        }
        assert!("CONNECT".parse::<Method>().is_err_and(|why| why.contains("expected GET, HEAD, POST")));
    }
}
