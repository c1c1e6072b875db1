//! Answers queries of `code_query` over real language servers, without the plugin engine: arguments as JSON lines in,
//! answers as JSON lines out, each with the milliseconds that it took and how many of them the servers took.
//!
//! `ask ROOT PROFILE[,PROFILE…]`; programs are looked for in `IAC_MCP_SERVERS`, then in `PATH`.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a tool of the tests, which fails loudly")]

#[path = "../language-servers/support/launcher.rs"]
mod launcher;
mod native;

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use code_query::world::Workspace;
use iac_language_servers::LanguageServers;
use iac_language_servers::settings::{Chosen, Settings};
use iac_plugin::json;
use iac_plugin::serde_json::{self, Map, Value as Json};

use launcher::Launcher;
use native::Native;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (root, profiles) = (arguments.next().unwrap(), arguments.next().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let native = {
        let _inside = runtime.enter();
        let servers = LanguageServers::new(Arc::new(Launcher), settings(&profiles));
        let root = Path::new(&root).canonicalize().unwrap();
        Native::new(servers.workspace(&root).unwrap(), runtime.handle().clone(), servers)
    };
    let (spent, begins) = (native.spent(), native.began());
    let workspaces: Vec<Box<dyn Workspace>> = vec![Box::new(native)];
    for line in std::io::stdin().lock().lines() {
        let arguments: Map<String, Json> = serde_json::from_str(&line.unwrap()).unwrap();
        spent.set(Duration::ZERO);
        let began = Instant::now();
        begins.set(began);
        let answer = code_query::answer(&workspaces, &[], &arguments).map_err(|fault| fault.message);
        let elapsed = began.elapsed();
        let answer = answer.unwrap_or_else(|message| json!({"fault": message}));
        println!(
            "{}",
            json!({"ms": milliseconds(elapsed), "serversMs": milliseconds(spent.get()), "answer": answer})
        );
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}

fn settings(profiles: &str) -> Settings {
    let mut path: Vec<_> =
        std::env::split_paths(&std::env::var_os("IAC_MCP_SERVERS").unwrap_or_default()).collect();
    path.retain(|folder| folder.is_dir());
    let names: Vec<&str> = profiles.split(',').collect();
    let chosen: Chosen = serde_json::from_value(json!({"prefer": names, "path": path})).unwrap();
    let mut settings = Settings::standard(std::env::vars_os()).with(chosen).unwrap();
    settings.profiles.retain(|known| names.contains(&known.name.as_str()));
    // A helper program starts some servers, so the test must find that program as well.
    if let Some((_, search)) = settings.environment.iter_mut().find(|(name, _)| name == "PATH") {
        path.extend(std::env::split_paths(&search.clone()));
        *search = std::env::join_paths(path).unwrap();
    }
    settings
}
