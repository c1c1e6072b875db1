//! The generated bindings of `iac:plugin`; the other modules give them a Rust interface.
#![allow(missing_docs, reason = "the package has its documentation in `wit/`")]

wit_bindgen::generate!({
    path: "wit",
    world: "plugin",
    pub_export_macro: true,
    export_macro_name: "export",
    default_bindings_module: "iac_plugin::bindings",
});
