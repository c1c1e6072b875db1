//! The description of a tool for clients.

use serde_json::Value as Json;

use crate::bindings::exports::iac::plugin::tools;

/// One tool as a client sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The plugin's id with `_` for `-`, alone or followed by `_` and another word.
    pub name: String,
    /// A title for people, at most 80 characters.
    pub title: Option<String>,
    /// What it does and what it answers, for a model: at most 2,000 characters.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Json,
    /// JSON Schema of the answer. It must leave room for other properties: the host may add `untrusted` and `undo`.
    pub output_schema: Option<Json>,
    /// It changes nothing; the host refuses changes within it.
    pub read_only: bool,
    /// It may remove or overwrite existing data.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
}

impl Tool {
    /// Makes a tool that only reads.
    pub fn reads(name: &str, description: &str, input_schema: Json) -> Self {
        Self {
            name: name.to_owned(),
            title: None,
            description: description.to_owned(),
            input_schema,
            output_schema: None,
            read_only: true,
            destructive: false,
            idempotent: true,
        }
    }

    /// Makes a tool that changes things, and may overwrite data.
    pub fn changes(name: &str, description: &str, input_schema: Json) -> Self {
        Self {
            read_only: false,
            destructive: true,
            idempotent: false,
            ..Self::reads(name, description, input_schema)
        }
    }

    /// Sets its title.
    #[must_use]
    pub fn titled(mut self, title: &str) -> Self {
        self.title = Some(title.to_owned());
        self
    }

    /// Sets the schema of its answer.
    #[must_use]
    pub fn answers(mut self, schema: Json) -> Self {
        self.output_schema = Some(schema);
        self
    }

    pub(crate) fn export(self) -> tools::Tool {
        tools::Tool {
            name: self.name,
            title: self.title,
            description: self.description,
            input_schema: self.input_schema.to_string(),
            effects: tools::Effects {
                read_only: self.read_only,
                destructive: self.destructive,
                idempotent: self.idempotent,
            },
            output_schema: self.output_schema.map(|schema| schema.to_string()),
            extra: None,
        }
    }
}
