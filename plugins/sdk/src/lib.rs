//! A plugin is one type, one trait and one macro:
//!
//! ```
//! use iac_plugin::{Arguments, Fault, Json, Plugin, Tool, json};
//!
//! struct Hello;
//!
//! impl Plugin for Hello {
//!     fn tools() -> Vec<Tool> {
//!         let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
//!         vec![Tool::reads("hello", "Greets somebody by name.", schema)]
//!     }
//!
//!     fn call(_tool: &str, arguments: Arguments) -> Result<Json, Fault> {
//!         let name = arguments.object().text("name")?.unwrap_or("you");
//!         Ok(json!({"greeting": format!("hello {name}")}))
//!     }
//! }
//!
//! iac_plugin::export!(Hello);
//! ```
//!
//! The host's functions are in [`apps`], [`files`], [`http`], [`language_servers`], [`store`], [`log`], [`clock`] and
//! [`settings`]. A plugin that does not use one does not import it, and needs no grant for it. Without a host these
//! functions panic. So tests of a plugin's own code call that code with JSON, and `iac-mcp plugin test` runs the whole
//! plugin.
#![warn(missing_docs)]

#[doc(hidden)]
pub mod bindings;
pub mod clock;
mod fault;
pub mod apps;
pub mod files;
pub mod http;
pub mod language_servers;
pub mod log;
mod object;
mod arguments;
pub mod settings;
pub mod store;
mod tool;

pub use serde;
pub use serde_json::{self, Value as Json, json};

pub use arguments::Arguments;
pub use fault::Fault;
pub use object::{Object, nearest};
pub use tool::Tool;

use bindings::exports::iac::plugin::tools;

/// A plugin: its tools, and its answers to calls.
pub trait Plugin {
    /// Returns the tools, at most 16. Runs once, when the package is made; at that time only [`log`] and [`clock`]
    /// work.
    fn tools() -> Vec<Tool>;

    /// Answers one call of one of [`tools`](Self::tools) with a JSON object of at most 1 MiB.
    ///
    /// # Errors
    /// Any error for the caller; a [`Fault`] of a host function can be returned as it is.
    fn call(tool: &str, arguments: Arguments) -> Result<Json, Fault>;
}

/// Makes a [`Plugin`] type the plugin of this crate. Use it once in a `cdylib`.
#[macro_export]
macro_rules! export {
    ($plugin:ty) => {
        // Only a component has these exports. On other targets, the tests link the crate.
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Component = $crate::Component<$plugin>;
    $crate::bindings::export!(Component with_types_in $crate::bindings);
        };
        #[cfg(not(target_arch = "wasm32"))]
        const _: () = {
            let _ = (<$plugin as $crate::Plugin>::tools, <$plugin as $crate::Plugin>::call);
        };
    };
}

/// Connects a [`Plugin`] to the component's exports.
#[doc(hidden)]
pub struct Component<P>(core::marker::PhantomData<P>);

impl<P: Plugin> tools::Guest for Component<P> {
    fn list_tools() -> Vec<tools::Tool> {
        log::report_panics();
        P::tools().into_iter().map(Tool::export).collect()
    }

    fn call_tool(
        name: String,
        arguments: String,
    ) -> Result<tools::Outcome, bindings::iac::plugin::types::Fault> {
        log::report_panics();
        let answer = Arguments::parse(&arguments).and_then(|arguments| P::call(&name, arguments));
        match answer {
            Ok(value) => Ok(tools::Outcome { value: value.to_string(), extra: None }),
            Err(fault) => Err(fault.export()),
        }
    }
}
