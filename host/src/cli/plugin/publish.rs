//! The author's commands for publishing a plugin: make a key, sign a package, and upload it to a registry.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args;
use minisign::{KeyPair, PublicKey, SecretKey, SecretKeyBox};
use serde_json::json;

use super::found::SUFFIX;
use super::oci::{Image, Registry};
use super::shipped;
use super::trust;
use crate::cli::Failure;
use crate::cli::options::Common;
use crate::cli::package::{read, working_on};
use crate::cli::paint;
use crate::plugins::engine::package::{self, Package};

#[derive(Debug, Args)]
pub(in crate::cli) struct Keygen {
    /// The file for the secret key; the public key goes beside it, into FILE.pub.
    file: PathBuf,
    /// Does not protect the secret key by a password, for signing without a person.
    #[arg(long)]
    no_password: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Sign {
    /// The package.
    package: PathBuf,
    /// The file with the secret key. Keys made by minisign work too.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Publish {
    /// The package.
    package: PathBuf,
    /// The place in the registry, such as oci://ghcr.io/OWNER/NAME.
    #[arg(value_name = "oci://HOST/NAME")]
    place: String,
    /// A file with USER:PASSWORD for the registry.
    #[arg(long, value_name = "FILE")]
    login: Option<PathBuf>,
}

impl Keygen {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let public = PathBuf::from(format!("{}.pub", self.file.display()));
        if let Some(there) = [&self.file, &public].into_iter().find(|file| file.exists()) {
            return Err(Failure::Failed(format!(
                "{} already exists; keys are never replaced",
                there.display()
            )));
        }
        if !self.no_password && !io::stdin().is_terminal() {
            let what = "this terminal cannot ask for a password; add --no-password to go without one";
            return Err(Failure::Misuse(what.to_owned()));
        }
        let pair = match self.no_password {
            true => KeyPair::generate_unencrypted_keypair(),
            false => KeyPair::generate_encrypted_keypair(None),
        };
        let KeyPair { pk, sk } = pair.map_err(|error| wrong("a key cannot be made", &error))?;
        let form = |error| wrong("a key cannot be written", &error);
        create(&self.file, 0o600, &sk.to_box(None).map_err(form)?.into_string())?;
        create(&public, 0o644, &pk.to_box().map_err(form)?.into_string())?;
        let key = pk.to_base64();
        if common.json {
            let body = json!({ "secretKey": self.file, "publicKey": public, "key": key });
            return Ok(paint::answer(&body, true)?);
        }
        let mut out = paint::stdout();
        writeln!(out, "keep {} to yourself, and keep a copy", self.file.display())?;
        let how = "write this line into plugin.toml, above its first [[section]], and publish the key where people can compare it:";
        writeln!(out, "{how}")?;
        Ok(writeln!(out, "key = \"{key}\"")?)
    }
}

impl Sign {
    pub(super) fn run(self) -> Result<(), Failure> {
        let bytes = read(&self.package)?;
        let package = package::read(&bytes)?;
        let secret = secret(&self.key)?;
        let unusable = |error| wrong("the key cannot be used", &error);
        let own = PublicKey::from_secret_key(&secret).map_err(unusable)?;
        let line = own.to_base64();
        if package.manifest.key.as_ref().is_none_or(|key| key.to_string() != line) {
            let what = match &package.manifest.key {
                Some(key) => format!("plugin.toml names the key {key}, and this is another one"),
                None => "plugin.toml names no key".to_owned(),
            };
            return Err(Failure::Failed(format!(
                "{what}\nwrite `key = \"{line}\"` into it and build the plugin again"
            )));
        }
        let says = format!("{} {} sha256:{}", package.manifest.id, package.manifest.version, package.sha256);
        let signed = minisign::sign(Some(&own), &secret, &*bytes, Some(&says), None).map_err(unusable)?;
        let beside = PathBuf::from(format!("{}{SUFFIX}", self.package.display()));
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(signed.into_string().as_bytes())?;
        Ok(writeln!(paint::stdout(), "{}: {says}", beside.display())?)
    }
}

impl Publish {
    pub(super) fn run(self, common: &Common) -> Result<(), Failure> {
        let found = shipped::file(self.package)?;
        let signer = trust::signer(&found)?;
        let package = package::read(&found.bytes)?;
        if let Some(why) = trust::missing(&package, signer.as_ref()) {
            return Err(Failure::Failed(format!("not published: {why}\nsign it with `iac-mcp plugin sign`")));
        }
        let signature = signer.as_ref().and(found.signature.as_deref());
        let login = trust::login(self.login.as_deref())?;
        let image = Image::at(&self.place, package.manifest.version.clone())?;
        let mut registry = Registry::of(&image, login.as_deref());
        let pushed = working_on("publishing", || registry.push(&image, &package, &found.bytes, signature))?;
        show(&package, &pushed, common)
    }
}

fn show(package: &Package, pushed: &Image, common: &Common) -> Result<(), Failure> {
    let (id, version) = (&package.manifest.id, &package.manifest.version);
    if common.json {
        let body =
            json!({"id": id, "version": version, "source": pushed.to_string(), "sha256": package.sha256});
        return Ok(paint::answer(&body, true)?);
    }
    let mut out = paint::stdout();
    writeln!(out, "published {id} {version} at {}; others install it with", pushed.without_reference())?;
    Ok(writeln!(out, "iac-mcp plugin add {pushed}")?)
}

/// Reads a secret key. If the key is protected, asks for its password.
fn secret(file: &Path) -> Result<SecretKey, Failure> {
    let text = String::from_utf8(read(file)?).unwrap_or_default();
    let unread = |error| wrong(&format!("{} is not a secret key that can be read", file.display()), &error);
    let held = SecretKeyBox::from_string(&text).map_err(unread)?;
    match held.clone().into_unencrypted_secret_key() {
        Ok(key) => Ok(key),
        Err(_) => held.into_secret_key(None).map_err(unread),
    }
}

fn create(path: &Path, mode: u32, text: &str) -> Result<(), Failure> {
    let written = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    written().map_err(|error: io::Error| Failure::Failed(format!("{}: {error}", path.display())))
}

fn wrong(what: &str, error: &minisign::PError) -> Failure {
    Failure::Failed(format!("{what}: {error}"))
}
