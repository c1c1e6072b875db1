//! The generated bindings of `iac:plugin` for the host.

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "plugin",
    imports: { default: async | trappable },
    exports: { default: async },
    with: {
        "iac:plugin/apps.app": super::call::App,
        "iac:plugin/files.directory": super::call::Directory,
        "iac:plugin/language-servers.workspace": super::call::Workspace,
    },
    additional_derives: [serde::Serialize, serde::Deserialize],
});
