//! Sends requests to a local server that misbehaves in every way that a server can.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use iac_core::call::WebCall;

use super::*;

/// Resolves every name to one address. The requests go to the test server instead.
fn public(_: &str) -> io::Result<Vec<IpAddr>> {
    Ok(vec![IpAddr::from([127, 0, 0, 1])])
}

/// Starts a web server that answers each connection with this function, and returns what it receives.
fn server(answer: impl Fn(TcpStream) + Send + 'static) -> (Web, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, told) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = tell.send(request(&mut stream));
            answer(stream);
        }
    });
    (Web { guard: None, ..Web::new(Reach::Loopback(port), public) }, told)
}

/// Reads a request: its headers, and as much body as they announce.
fn request(stream: &mut TcpStream) -> String {
    let (mut read, mut byte) = (Vec::new(), [0]);
    while !read.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        read.extend(byte);
    }
    let head = String::from_utf8_lossy(&read).into_owned();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).unwrap();
    head + &String::from_utf8_lossy(&body)
}

/// Starts a server that always answers with this text, and a client that sends every request to it.
pub(crate) fn says(text: &'static str) -> (Web, Receiver<String>) {
    server(move |mut stream| drop(stream.write_all(text.as_bytes())))
}

fn call(method: Method) -> WebCall {
    WebCall {
        host: "api.example.com".to_owned(),
        method,
        url: "https://api.example.com/a?b=1".to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        secrets: Vec::new(),
        deadline: Millis(10_000),
    }
}

/// Returns the same request with a secret, and a client with the secrets of a folder.
async fn with_token(web: Web, call: WebCall, state: &Path) -> (Web, WebCall) {
    let keeper = Keeper::of(state);
    keeper.place("weather", "token", &call.host).write(Some("s3cret\"\\value")).await.unwrap();
    let (key, header, prefix) = ("token".to_owned(), "authorization".to_owned(), "Bearer ".to_owned());
    (Web { keeper: Some(keeper), ..web }, WebCall { secrets: vec![Secret { key, header, prefix }], ..call })
}

async fn sent(web: &Web, call: &WebCall) -> String {
    match web.send(call, Some("weather"), Duration::from_secs(20)).await {
        Event::Replied(text) => text,
        Event::Failed(failure) => format!("{failure:?}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_answer_comes_as_it_is() {
    let (web, told) = says(
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 404 No\r\nX-A: b: c\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nhi",
    );
    let state = tempfile::tempdir().unwrap();
    let (web, call) = with_token(web, call(Method::Get), state.path()).await;
    let answer = sent(&web, &call).await;
    assert_eq!(
        answer,
        r#"{"ok":true,"value":{"status":404,"headers":[["x-a","b: c"],["content-length","2"]],"body":"aGk="}}"#
    );
    let request = told.recv().unwrap();
    assert!(request.starts_with("GET /a?b=1 HTTP/1.1\r\nHost: api.example.com"), "{request}");
    assert!(request.contains("\r\nUser-Agent: iac-mcp\r\n"), "{request}");
    assert!(request.contains("\r\nauthorization: Bearer s3cret\"\\value\r\n"), "{request}");
    assert!(request.contains("\r\nAccept-Encoding: identity\r\n"), "{request}");
}

#[tokio::test]
async fn what_comes_behind_a_body_is_no_part_of_it() {
    let check = |text: &'static str, expected: &'static str| async move {
        let (web, _told) = says(text);
        let said = sent(&web, &call(Method::Get)).await;
        assert!(said.contains(expected), "{said}");
    };
    let chunked = concat!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n",
        "2\r\nhi\r\n0\r\nX-T: never a part of it\r\n\r\n",
    );
    check(chunked, r#""body":"aGk=""#).await;
    // Even if the body looks like the size that `curl` writes.
    check("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\n99", r#""body":"Cjk5""#).await;
    check("HTTP/1.1 200 OK\r\n\r\n\r\n\r\n2", r#""body":"DQoNCjI=""#).await;
}

#[tokio::test]
async fn a_compressed_answer_is_refused() {
    for (header, body, is_refused) in [
        ("Content-Encoding: gzip", "hi", true),
        ("content-encoding: Identity, br", "hi", true),
        ("Content-Encoding: identity", "hi", false),
        ("Content-Encoding: ", "hi", false),
        ("Content-Encoding: gzip", "", false),
        ("X-Coding: gzip", "hi", false),
    ] {
        let (web, _told) = server(move |mut stream| {
            let length = body.len();
            let text = format!("HTTP/1.1 200 OK\r\n{header}\r\nContent-Length: {length}\r\n\r\n{body}");
            drop(stream.write_all(text.as_bytes()));
        });
        let said = sent(&web, &call(Method::Get)).await;
        assert_eq!(said.contains("the answer is encoded as `"), is_refused, "{header}: {said}");
        assert_eq!(said.contains("\"status\":200"), !is_refused, "{header}: {said}");
    }
}

#[tokio::test]
async fn every_byte_of_a_body_arrives() {
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    for method in [Method::Post, Method::Put, Method::Patch, Method::Delete] {
        let (web, told) = says(ok);
        let body: Vec<u8> = (0..=127).cycle().take(300_000).collect();
        let sent = sent(&web, &WebCall { body: body.clone(), ..call(method) }).await;
        assert!(sent.contains("\"status\":200"), "{sent}");
        let request = told.recv().unwrap();
        let (head, received) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with(&format!("{} /a?b=1", method.name())), "{head}");
        assert!(received.as_bytes() == body, "{} bytes of {}", received.len(), body.len());
        assert!(!head.contains("Content-Type") && !head.contains("Expect"), "{head}");
    }
    let (web, told) = says(ok);
    assert!(sent(&web, &call(Method::Post)).await.contains("\"status\":200"));
    assert!(told.recv().unwrap().contains("\r\nContent-Length: 0\r\n"));
    let (web, told) = says("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n");
    assert!(sent(&web, &call(Method::Head)).await.contains("\"body\":\"\""));
    assert!(told.recv().unwrap().starts_with("HEAD /a"));
}

#[tokio::test]
async fn a_redirect_is_an_answer() {
    let (web, told) =
        says("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/secret\r\nContent-Length: 0\r\n\r\n");
    let answer = sent(&web, &call(Method::Get)).await;
    assert!(answer.contains("\"status\":302") && answer.contains("http://127.0.0.1:1/secret"), "{answer}");
    assert_eq!((told.recv().is_ok(), told.try_recv().is_err()), (true, true), "one request was sent");
}

#[tokio::test]
async fn an_answer_ends_somewhere() {
    let chunk = || [b'x'; 65_536];
    let (web, _told) = server(move |mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&chunk()).is_ok() {}
    });
    assert_eq!(sent(&web, &call(Method::Get)).await, "TooLarge(4194304)");
    let (web, _told) = says("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nx");
    assert_eq!(sent(&web, &call(Method::Get)).await, "TooLarge(4194304)");
    let (web, _told) = server(move |mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"x-a: bcdefghijklmnopqrstuvwxyz\r\n").is_ok() {}
    });
    let said = sent(&web, &call(Method::Get)).await;
    assert!(said.starts_with("Process(") || said.starts_with("TooLarge"), "{said}");
    let many = format!("HTTP/1.1 200 OK\r\n{}Content-Length: 0\r\n\r\n", "a:b\r\n".repeat(40_000));
    let (web, _told) = server(move |mut stream| drop(stream.write_all(many.as_bytes())));
    let said = sent(&web, &call(Method::Get)).await;
    assert!(said.contains("its head has more than 131072 bytes"), "{said}");
}

#[tokio::test]
async fn a_header_may_be_in_latin_1() {
    let (web, _told) = server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\nContent-Length: 2\r\n\r\nhi");
    });
    let said = sent(&web, &call(Method::Get)).await;
    assert!(said.contains("[\"x-name\",\"caf\u{fffd}\"]"), "{said}");
}

#[tokio::test]
async fn a_slow_answer_ends_in_time() {
    let (web, _told) = server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    });
    let slow = WebCall { deadline: Millis(400), ..call(Method::Get) };
    assert_eq!(sent(&web, &slow).await, "Timeout(Millis(400))");
    let (web, _told) = server(|stream| {
        thread::sleep(Duration::from_secs(5));
        drop(stream);
    });
    assert_eq!(sent(&web, &slow).await, "Timeout(Millis(400))");
}

#[tokio::test]
async fn a_secret_does_not_come_back() {
    let (web, _told) = server(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nyou sent s3cret\"\\value");
    });
    let state = tempfile::tempdir().unwrap();
    let (web, with_token) = with_token(web, call(Method::Get), state.path()).await;
    let said = sent(&web, &with_token).await;
    assert_eq!(said, REPEATS);
    assert!(!format!("{web:?}").contains("s3cret"), "{web:?}");
    // The server may also repeat it later.
    let without = WebCall { secrets: Vec::new(), ..with_token.clone() };
    assert_eq!(sent(&web, &without).await, REPEATS);
    // A package that names another host does not have the secret, and neither does another plugin.
    let elsewhere = WebCall { host: "evil.example.com".to_owned(), ..with_token.clone() };
    let unset = "Unstarted(\"the secret `token` is not set; the user sets it with `iac-mcp plugin secret";
    assert!(sent(&web, &elsewhere).await.starts_with(unset));
    let other = web.send(&with_token, Some("other"), Duration::from_secs(20)).await;
    assert!(matches!(other, Event::Failed(RunFailure::Unstarted(why)) if why.contains("is not set")));
}

const REPEATS: &str = "Process(\"the answer repeats a secret, which the plugin may not see\")";

#[tokio::test]
async fn a_secret_does_not_come_back_in_another_form() {
    let (web, _told) = server(|mut stream| {
        let encoded = BASE64.encode(b"you sent s3cret\"\\value.");
        let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\nX-Seen: {encoded}\r\n\r\n").as_bytes());
    });
    let state = tempfile::tempdir().unwrap();
    let (web, with_token) = with_token(web, call(Method::Get), state.path()).await;
    assert_eq!(sent(&web, &with_token).await, REPEATS);
}

#[tokio::test]
async fn a_secret_does_not_come_back_to_a_request_that_waited() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let web = Web { guard: None, ..Web::new(Reach::Loopback(listener.local_addr().unwrap().port()), public) };
    let (came, coming) = tokio::sync::oneshot::channel();
    thread::spawn(move || {
        let say = |mut stream: TcpStream, text: &str| {
            drop(stream.write_all(format!("HTTP/1.1 200 OK\r\n\r\n{text}").as_bytes()));
        };
        let (mut waits, _) = listener.accept().unwrap();
        request(&mut waits);
        came.send(()).unwrap();
        let (mut tells, _) = listener.accept().unwrap();
        request(&mut tells);
        say(tells, "ok");
        say(waits, "s3cret\"\\value");
    });
    let state = tempfile::tempdir().unwrap();
    let (web, with_token) = with_token(web, call(Method::Get), state.path()).await;
    let without = call(Method::Get);
    let second = async {
        coming.await.unwrap();
        sent(&web, &with_token).await
    };
    let (waited, told) = tokio::join!(sent(&web, &without), second);
    assert!(told.contains("\"status\":200"), "{told}");
    assert_eq!(waited, REPEATS);
}

#[tokio::test]
async fn a_secret_that_no_header_can_hold_is_not_sent() {
    let (web, told) = says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let state = tempfile::tempdir().unwrap();
    let (web, with_token) = with_token(web, call(Method::Get), state.path()).await;
    let file = state.path().join("secrets/weather/token@api.example.com");
    std::fs::File::create(file).unwrap().write_all(b"one\r\nx-a: two").unwrap();
    let said = sent(&web, &with_token).await;
    assert!(said.starts_with("Unstarted(\"`token`: the secret cannot be used"), "{said}");
    assert!(!said.contains("two") && told.try_recv().is_err(), "{said}");
}

/// Writes a script that acts as the guard. It is called as `guard FD -- curl …`.
fn guard(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("guard");
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(format!("#!/bin/sh\n{script}\n").as_bytes()).unwrap();
    file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[tokio::test]
async fn without_curl_nothing_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let guard = guard(folder.path(), "echo 'curl cannot be started: it is not there' >&2; exit 127");
    let (web, _told) = says("");
    let said = sent(&Web { guard: Some(guard), ..web }, &call(Method::Post)).await;
    let expected =
        "Unstarted(\"curl cannot be started: it is not there; `curl` is needed in one of the folders";
    assert!(said.starts_with(expected), "{said}");
}

#[tokio::test]
async fn a_process_that_holds_the_body_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let guard =
        guard(folder.path(), "sleep 8 < /dev/null > /dev/null 2>&1 &\nshift 3; unset IFS; exec \"$@\"");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let web = Web::new(Reach::Loopback(listener.local_addr().unwrap().port()), public);
    thread::spawn(move || {
        // The server reads at most a part of the body.
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1_000]);
        let _ = stream.write_all(b"HTTP/1.1 413 Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        thread::sleep(Duration::from_secs(8));
    });
    let began = Instant::now();
    let large = WebCall { body: vec![b'x'; 1024 * 1024], ..call(Method::Post) };
    let _ = sent(&Web { guard: Some(guard), ..web }, &large).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_plugin_waits_for_few_lookups() {
    static LOOKUPS_NOW: AtomicUsize = AtomicUsize::new(0);
    let resolve = |_: &str| {
        LOOKUPS_NOW.fetch_add(1, Ordering::SeqCst);
        thread::sleep(Duration::from_secs(1));
        Err(io::Error::other("no such name"))
    };
    let web = Web { guard: None, ..Web::new(Reach::World, resolve) };
    let brief = WebCall { deadline: Millis(20), ..call(Method::Post) };
    for _ in 0..5 {
        let said = sent(&web, &brief).await;
        assert!(said.starts_with("Unstarted(\"the time was over"), "{said}");
    }
    assert_eq!(LOOKUPS_NOW.load(Ordering::SeqCst), LOOKUPS);
    // Lookups of one plugin do not delay another plugin.
    let said = web.send(&call(Method::Get), Some("other"), Duration::from_secs(20)).await;
    assert!(matches!(said, Event::Failed(RunFailure::Unstarted(why)) if why.contains("no such name")));
}

#[tokio::test]
async fn what_is_not_http_is_no_answer() {
    for text in ["", "hello", "SSH-2.0-OpenSSH\r\n\r\n"] {
        let (web, _told) = says(text);
        let said = sent(&web, &call(Method::Get)).await;
        assert!(said.starts_with("Process("), "{text}: {said}");
    }
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let web = Web { guard: None, ..Web::new(Reach::Loopback(gone), public) };
    let said = sent(&web, &call(Method::Post)).await;
    assert!(said.starts_with("Unstarted(") && said.contains("api.example.com"), "{said}");
}

#[tokio::test]
async fn a_private_address_is_not_asked() {
    let check = |resolve: fn(&str) -> io::Result<Vec<IpAddr>>, expected: &'static str| async move {
        let web = Web { guard: None, ..Web::new(Reach::World, resolve) };
        let said = sent(&web, &call(Method::Get)).await;
        assert!(said.starts_with("Unstarted(") && said.contains(expected), "{said}");
    };
    check(public, "the host leads to 127.0.0.1, which is not a public address").await;
    check(|_| Ok(vec![[1, 1, 1, 1].into(), [10, 0, 0, 1].into()]), "the host leads to 10.0.0.1").await;
    check(|_| Ok(Vec::new()), "the host has no address").await;
    check(|_| Err(io::Error::other("no such name")), "cannot be looked up: no such name").await;
    let said = sent(&Web::nowhere("not here"), &call(Method::Get)).await;
    assert_eq!(said, "Unstarted(\"not here\")");
}

#[test]
fn a_line_of_options_stays_one_line() {
    assert_eq!(option("header", "a: b\"\\\r\nurl = \"x\""), "header = \"a: b\\\"\\\\url = \\\"x\\\"\"");
}
