//! The only place that writes JavaScript. Identifiers come from dictionaries; everything else is data.

mod changes;
mod command;
mod create;
mod data;
mod inside;
mod literal;
mod path;
mod script;
mod whose;

use serde::Deserialize;

use crate::call::WebCall;

pub(crate) use inside::inside;
pub(crate) use script::{canonical, preview};

/// The fixed part of every script.
pub(crate) const PRELUDE: &str = include_str!("jxa/prelude.js");

/// Extra code for scripts that change something.
pub(crate) const CHANGES: &str = include_str!("jxa/changes.js");

/// Extra code for scripts that read which other object one stands for.
pub(crate) const STANDS: &str = include_str!("jxa/stands.js");

/// Extra code for scripts that replace positions by objects before other objects are added or removed.
pub(crate) const PLACES: &str = include_str!("jxa/places.js");

/// Extra code for scripts that read elements of many containers.
pub(crate) const SPREAD: &str = include_str!("jxa/spread.js");

/// Extra code for scripts that report the time zone of the Mac.
pub(crate) const ZONE: &str = include_str!("jxa/zone.js");

/// Extra code for scripts that read elements with dates.
pub(crate) const SERIES: &str = include_str!("jxa/series.js");

/// Extra code for scripts that ask a library of the system.
pub(crate) const INDEX: &str = include_str!("jxa/index.js");

/// Extra code for scripts about access to a library of the system.
pub(crate) const ACCESS: &str = include_str!("jxa/access.js");

/// Extra code for scripts that count and sum up groups.
pub(crate) const GROUPS: &str = include_str!("jxa/groups.js");

/// Extra code for scripts that read properties of objects.
pub(crate) const OBJECTS: &str = include_str!("jxa/objects.js");

/// Extra code for scripts that list the elements that match a filter.
pub(crate) const NEAR: &str = include_str!("jxa/near.js");

/// Extra code for scripts that ask the system and not an app.
pub(crate) const SYSTEM: &str = include_str!("jxa/system.js");

/// Extra code for scripts that compare what objects hold with what they held before.
pub(crate) const HELD: &str = include_str!("jxa/held.js");

/// Extra code for scripts that make objects.
pub(crate) const CREATE: &str = include_str!("jxa/create.js");

/// Extra code for scripts about the consent of macOS.
pub(crate) const CONSENT: &str = include_str!("jxa/consent.js");

/// Extra code for scripts of commands.
pub(crate) const COMMANDS: &str = include_str!("jxa/commands.js");

/// Code that depends only on the shape of a request, and the data of this request.
///
/// Only an approved action becomes a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The text after the prelude.
    shape: String,
    data: String,
}

impl Script {
    /// A function expression: it takes the parsed data and returns the envelope as text.
    pub fn code(&self) -> String {
        format!("d => {{\n{PRELUDE}{}", self.shape)
    }

    /// The key of its code: scripts of equal shape have equal code.
    pub fn shape(&self) -> &str {
        &self.shape
    }

    /// JSON, pure ASCII.
    pub fn data(&self) -> &str {
        &self.data
    }

    /// The plugin's approved request, if the script represents one.
    pub fn request(&self) -> Option<WebCall> {
        #[derive(Deserialize)]
        struct Sent {
            request: WebCall,
        }
        serde_json::from_str::<Sent>(&self.data).ok().map(|sent| sent.request)
    }

    /// The part of the code that belongs to this request, without the prelude, for people to read.
    pub fn body(&self) -> &str {
        let body = self.shape.rsplit_once(script::BODY).map_or(self.shape.as_str(), |(_, body)| body);
        body.strip_suffix(script::END).unwrap_or(body)
    }

    /// A whole program for one run of `osascript`, pure ASCII: its result is the envelope.
    pub fn one_shot(&self) -> String {
        format!("({})(JSON.parse({}))\n", self.code(), literal::string(&self.data))
    }
}
