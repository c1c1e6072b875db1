//! OCI registries, as far as plugins need them: one manifest with the package and its signature as two layers.
//!
//! The digest of everything that is fetched is checked here, so a registry can refuse but cannot deceive.

use std::fmt;
use std::io::Write as _;

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::found::{LARGEST, Sha};
use crate::cli::web::{self, Address, Method, Reply, Request, shown};
use crate::cli::{Failure, paint};
use crate::plugins::engine::package::Package;
use crate::plugins::engine::signature::LONGEST;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const PLUGIN: &str = "application/vnd.iac-mcp.plugin.v1";
const WASM: &str = "application/wasm";
const SIGNATURE: &str = "application/vnd.iac-mcp.plugin.v1.minisign";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";
const BYTES: &str = "application/octet-stream";

/// The most bytes of a manifest, of a list of tags, and of any other text from a registry.
const LARGEST_TEXT: u64 = 1024 * 1024;

/// `oci://HOST/NAME@sha256:DIGEST`, or with a version in place of the digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    base: Address,
    name: String,
    /// A digest, or a tag when an author publishes.
    reference: String,
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.reference.contains(':') { '@' } else { ':' };
        write!(f, "oci://{}/{}{separator}{}", self.base.host(), self.name, self.reference)
    }
}

impl Image {
    /// Parses the name of a package with its digest.
    ///
    /// # Errors
    /// The text does not have that form.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let found = text.split_once('@').and_then(|(name, digest)| Some((name, Sha::parse(digest)?)));
        let (name, digest) = found.ok_or_else(|| {
            let what = format!("{} has no digest", shown(text));
            Failure::Misuse(format!("{what}\nexpected oci://HOST/NAME@sha256:DIGEST"))
        })?;
        Self::at(name, digest.to_string())
    }

    /// Parses the name of a repository in a registry.
    ///
    /// # Errors
    /// The text does not have that form.
    pub(super) fn at(text: &str, reference: String) -> Result<Self, Failure> {
        let wrong = || {
            let what = format!("not a place in a registry: {}", shown(text));
            Failure::Misuse(format!("{what}\nexpected oci://HOST/NAME in small letters"))
        };
        let (host, name) = text.strip_prefix("oci://").and_then(|it| it.split_once('/')).ok_or_else(wrong)?;
        let part = |part: &str| {
            let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            let inner = part.bytes().all(|byte| letter(byte) || b"._-".contains(&byte));
            inner && part.bytes().next().is_some_and(letter) && part.bytes().last().is_some_and(letter)
        };
        let https = Address::parse(&format!("https://{host}/")).map_err(|_| wrong())?;
        if !name.split('/').all(part) || name.len() > 255 || https.host() != host.to_ascii_lowercase() {
            return Err(wrong());
        }
        // A registry on this computer has no certificate, so it is reached over http.
        let base = if https.is_here() { Address::parse(&format!("http://{host}/"))? } else { https };
        Ok(Self { base, name: name.to_owned(), reference })
    }

    pub(super) fn is_private(&self) -> bool {
        self.base.is_private()
    }

    /// The address without a tag or digest, as authors publish it.
    pub(super) fn without_reference(&self) -> String {
        format!("oci://{}/{}", self.base.host(), self.name)
    }
}

/// A blob that a manifest lists.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Blob {
    media_type: String,
    digest: String,
    size: u64,
}

impl Blob {
    fn of(media_type: &str, bytes: &[u8]) -> Self {
        let (digest, size) = (Sha::of(bytes).to_string(), bytes.len() as u64);
        Self { media_type: media_type.to_owned(), digest, size }
    }
}

#[derive(Deserialize)]
struct Manifest {
    layers: Vec<Blob>,
}

/// A session with a registry about one repository.
pub(super) struct Registry<'a> {
    base: Address,
    name: String,
    /// `USER:PASSWORD`.
    login: Option<&'a str>,
    /// The requested permission, as the token protocol of registries spells it.
    actions: &'static str,
    token: Option<String>,
}

impl<'a> Registry<'a> {
    pub(super) fn of(image: &Image, login: Option<&'a str>) -> Self {
        let (base, name) = (image.base.clone(), image.name.clone());
        Self { base, name, login, actions: "pull", token: None }
    }

    /// Fetches a package and its signature.
    pub(super) fn pull(&mut self, image: &Image) -> Result<(Vec<u8>, Option<String>), Failure> {
        let address = self.address(&format!("manifests/{}", image.reference))?;
        let manifest = self.got(&address, LARGEST_TEXT)?;
        matches(&address, &image.reference, &manifest)?;
        let Manifest { layers } = serde_json::from_slice(&manifest)
            .map_err(|error| address.fails(&format!("it is not a manifest: {error}")))?;
        let of = |kind: &str| layers.iter().filter(|layer| layer.media_type == kind).collect::<Vec<_>>();
        let &[package] = of(WASM).as_slice() else {
            return Err(address.fails("it is not a plugin: expected one layer of the type application/wasm"));
        };
        let signature = match of(SIGNATURE).as_slice() {
            [] => None,
            [signature] => Some(self.blob(signature, LONGEST as u64)?),
            _ => return Err(address.fails("it has several signatures, expected one")),
        };
        let signature = signature.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok((self.blob(package, LARGEST)?, signature))
    }

    /// Finds the newest version in the registry, and its digest.
    pub(super) fn newest(&mut self, image: &Image) -> Result<(semver::Version, Image), Failure> {
        let address = self.address("tags/list")?;
        let tags: Json = serde_json::from_slice(&self.got(&address, LARGEST_TEXT)?)
            .map_err(|error| address.fails(&format!("it is not a list of tags: {error}")))?;
        let versions = tags["tags"].as_array().into_iter().flatten().filter_map(Json::as_str);
        let newest = versions.filter_map(|tag| semver::Version::parse(tag).ok()).max();
        let newest = newest.ok_or_else(|| address.fails("it has no version such as 0.1.0"))?;
        let address = self.address(&format!("manifests/{newest}"))?;
        let reference = Sha::of(&self.got(&address, LARGEST_TEXT)?).to_string();
        Ok((newest, Image { reference, ..image.clone() }))
    }

    /// Uploads a package under its version. Returns its name with the digest.
    pub(super) fn push(
        &mut self,
        image: &Image,
        package: &Package,
        bytes: &[u8],
        signature: Option<&str>,
    ) -> Result<Image, Failure> {
        self.actions = "pull,push";
        let (empty, wasm) = (Blob::of(EMPTY, b"{}"), Blob::of(WASM, bytes));
        let signature = signature.map(|text| (Blob::of(SIGNATURE, text.as_bytes()), text.as_bytes()));
        let layers: Vec<&Blob> = std::iter::once(&wasm).chain(signature.iter().map(|(it, _)| it)).collect();
        let says = &package.manifest;
        let manifest = json!({
            "schemaVersion": 2, "mediaType": MANIFEST, "artifactType": PLUGIN, "config": empty, "layers": layers,
            "annotations": {
                "org.opencontainers.image.title": says.id, "org.opencontainers.image.version": says.version,
                "org.opencontainers.image.description": says.description,
                "org.opencontainers.image.licenses": says.licence,
            },
        });
        let manifest = serde_json::to_vec(&manifest).map_err(|error| Failure::Failed(error.to_string()))?;
        let reference = Sha::of(&manifest).to_string();
        let address = self.address(&format!("manifests/{}", image.reference))?;
        let there =
            self.send(&address, || Request { headers: vec![accept()], ..Request::get(LARGEST_TEXT) })?;
        if there.status == 200 && Sha::of(&there.body).to_string() != reference {
            let what = format!("{} {} is published already, with other contents", says.id, says.version);
            return Err(Failure::Failed(format!(
                "{what}\nraise `version` in plugin.toml and build it again"
            )));
        }
        self.upload(&empty, b"{}")?;
        self.upload(&wasm, bytes)?;
        if let Some((blob, bytes)) = &signature {
            self.upload(blob, bytes)?;
        }
        let kind = || vec![format!("Content-Type: {MANIFEST}")];
        let put = || Request { headers: kind(), ..put(&manifest) };
        let reply = self.send(&address, put)?;
        expect(&address, &reply, &[201])?;
        Ok(Image { reference, ..image.clone() })
    }

    /// Uploads a blob, unless the registry already has it.
    fn upload(&mut self, blob: &Blob, bytes: &[u8]) -> Result<(), Failure> {
        let address = self.address(&format!("blobs/{}", blob.digest))?;
        let head = || Request { method: Method::Head, ..Request::get(LARGEST_TEXT) };
        if self.send(&address, head)?.status == 200 {
            return Ok(());
        }
        let address = self.address("blobs/uploads/")?;
        let post = || Request { method: Method::Post, ..Request::get(LARGEST_TEXT) };
        let reply = self.send(&address, post)?;
        expect(&address, &reply, &[202])?;
        let place =
            reply.header("location").ok_or_else(|| address.fails("it names no place to upload to"))?;
        let place = address.join(place)?.with("digest", &blob.digest);
        if place.host() != address.host() {
            return Err(address.fails(&format!("it sends uploads to another host, {}", place.host())));
        }
        let reply =
            self.send(&place, || Request { headers: vec![format!("Content-Type: {BYTES}")], ..put(bytes) })?;
        expect(&place, &reply, &[201])
    }

    fn blob(&mut self, blob: &Blob, most: u64) -> Result<Vec<u8>, Failure> {
        let address = self.address(&format!("blobs/{}", digest(&blob.digest)?))?;
        if blob.size > most {
            return Err(address.fails(&format!("it has {} bytes, expected at most {most}", blob.size)));
        }
        let bytes = self.got(&address, blob.size)?;
        matches(&address, &blob.digest, &bytes)?;
        Ok(bytes)
    }

    fn got(&mut self, address: &Address, most: u64) -> Result<Vec<u8>, Failure> {
        let reply = self.send(address, || Request { headers: vec![accept()], ..Request::get(most) })?;
        expect(address, &reply, &[200])?;
        Ok(reply.body)
    }

    /// Sends a request. If the registry requires authorization, gets a token first and sends it again.
    fn send<'b>(&mut self, address: &Address, request: impl Fn() -> Request<'b>) -> Result<Reply, Failure> {
        let with = |login: Option<String>| Request { login, ..request() };
        let reply = web::fetch(address, with(self.token.clone()))?;
        // If the registry redirects to another host, that host does not get the login.
        if reply.status != 401 || self.token.is_some() || reply.host != address.host() {
            return Ok(reply);
        }
        let challenge = reply.header("www-authenticate").unwrap_or_default();
        self.token = self.authorized(address, challenge)?;
        match self.token.clone() {
            Some(token) => web::fetch(address, with(Some(token))),
            None => Ok(reply),
        }
    }

    /// Returns the value of `Authorization`; `None` if only a login would help and none was given.
    fn authorized(&self, address: &Address, challenge: &str) -> Result<Option<String>, Failure> {
        let basic = self.login.map(|login| format!("Basic {}", BASE64.encode(login.as_bytes())));
        let Some(parameters) = challenge.strip_prefix("Bearer ") else { return Ok(basic) };
        let parameter = |name: &str| {
            let (_, rest) = parameters.split_once(&format!("{name}=\""))?;
            Some(rest.split_once('"')?.0)
        };
        let realm = parameter("realm").ok_or_else(|| address.fails("it names no place for a login"))?;
        let mut realm = address.join(realm)?;
        if basic.is_some() && realm.host() != address.host() {
            writeln!(paint::stderr(), "{} sends the login to {}", address.host(), realm.host())?;
        }
        if let Some(service) = parameter("service") {
            realm = realm.with("service", service);
        }
        let realm = realm.with("scope", &format!("repository:{}:{}", self.name, self.actions));
        let reply = web::ask(&realm, &Request { login: basic, ..Request::get(LARGEST_TEXT) })?;
        expect(&realm, &reply, &[200])?;
        let answer: Json = serde_json::from_slice(&reply.body).unwrap_or_default();
        let token = answer["token"].as_str().or_else(|| answer["access_token"].as_str());
        let token = token.ok_or_else(|| realm.fails("the answer has no token"))?;
        Ok(Some(format!("Bearer {token}")))
    }

    fn address(&self, rest: &str) -> Result<Address, Failure> {
        self.base.join(&format!("/v2/{}/{rest}", self.name))
    }
}

/// Parses a digest from a manifest. Nothing else from a manifest becomes part of an address.
fn digest(text: &str) -> Result<Sha, Failure> {
    let wrong =
        || Failure::Failed(format!("the manifest names the digest {}, expected sha256:…", shown(text)));
    Sha::parse(text).ok_or_else(wrong)
}

fn accept() -> String {
    format!("Accept: {MANIFEST}, */*;q=0.1")
}

fn put(bytes: &[u8]) -> Request<'_> {
    Request { method: Method::Put, body: Some(bytes), ..Request::get(LARGEST_TEXT) }
}

fn matches(address: &Address, expected: &str, bytes: &[u8]) -> Result<(), Failure> {
    let got = Sha::of(bytes).to_string();
    match got == expected {
        true => Ok(()),
        false => Err(address.fails(&format!("it has the digest {got}, expected {}", shown(expected)))),
    }
}

/// Checks the status of a reply.
fn expect(address: &Address, reply: &Reply, statuses: &[u16]) -> Result<(), Failure> {
    if statuses.contains(&reply.status) {
        return Ok(());
    }
    let answer: Json = serde_json::from_slice(&reply.body).unwrap_or_default();
    let said = answer["errors"][0]["message"].as_str().map(|said| format!(": {}", shown(said)));
    let hint = match reply.status {
        401 | 403 => "\npass a file with USER:PASSWORD as --login FILE, of somebody who may do this there",
        404 => "\nno such package is there",
        _ => "",
    };
    let said = said.unwrap_or_default();
    Err(address.fails(&format!("the registry answered {}{said}{hint}", reply.status)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_registries_are_of_their_form() {
        let digest = format!("sha256:{}", "a".repeat(64));
        let check = |text: &str, expected: Option<&str>| {
            let image = Image::parse(&format!("{text}@{digest}"));
            let base = image.as_ref().ok().map(|image| image.base.as_str());
            assert_eq!(base, expected, "{text}");
            if let Ok(image) = image {
                assert_eq!(image.to_string(), format!("{text}@{digest}"));
            }
        };
        check("oci://ghcr.io/owner/weather", Some("https://ghcr.io/"));
        check("oci://registry.example:5000/a.b_c/d-e", Some("https://registry.example:5000/"));
        check("oci://127.0.0.1:5000/weather", Some("http://127.0.0.1:5000/"));
        check("oci://localhost/weather", Some("http://localhost/"));
        for text in [
            "oci://ghcr.io", "oci://ghcr.io/", "oci://ghcr.io/../x", "oci://ghcr.io/A", "oci://ghcr.io/a?b",
            "oci:///a", "oci://a b/c",
        ] {
            check(text, None);
        }
        for text in ["oci://ghcr.io/a", "oci://ghcr.io/a:0.1.0", "oci://u@ghcr.io/a@sha256:1", "https://a/b"]
        {
            assert!(Image::parse(text).is_err(), "{text}");
        }
    }
}
