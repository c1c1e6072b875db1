//! The core's tools by name: the one place that spells all of them.

/// A tool of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `iac_mcp_list_apps`
    ListApps,
    /// `iac_mcp_describe_app`
    DescribeApp,
    /// `iac_mcp_query_object`
    QueryObject,
    /// `iac_mcp_get_properties`
    GetProperties,
    /// `iac_mcp_get_elements`
    GetElements,
    /// `iac_mcp_get_frontmost`
    Frontmost,
    /// `iac_mcp_set_property`
    SetProperty,
    /// `iac_mcp_create`
    Create,
    /// `iac_mcp_read_command`
    ReadCommand,
    /// `iac_mcp_run_command`
    RunCommand,
    /// `iac_mcp_undo`
    Undo,
    /// `iac_mcp_run_script`
    RunScript,
    /// `iac_mcp_release_reference`
    ReleaseReference,
    /// `iac_mcp_get_reference_stats`
    ReferenceStats,
}

/// In the order in which clients see them.
const NAMES: [(Tool, &str); 14] = [
    (Tool::ListApps, "iac_mcp_list_apps"),
    (Tool::DescribeApp, "iac_mcp_describe_app"),
    (Tool::QueryObject, "iac_mcp_query_object"),
    (Tool::GetProperties, "iac_mcp_get_properties"),
    (Tool::GetElements, "iac_mcp_get_elements"),
    (Tool::Frontmost, "iac_mcp_get_frontmost"),
    (Tool::SetProperty, "iac_mcp_set_property"),
    (Tool::Create, "iac_mcp_create"),
    (Tool::ReadCommand, "iac_mcp_read_command"),
    (Tool::RunCommand, "iac_mcp_run_command"),
    (Tool::Undo, "iac_mcp_undo"),
    (Tool::RunScript, "iac_mcp_run_script"),
    (Tool::ReleaseReference, "iac_mcp_release_reference"),
    (Tool::ReferenceStats, "iac_mcp_get_reference_stats"),
];

impl Tool {
    /// Returns the names of all tools of the core, in the order in which clients see them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(_, name)| *name)
    }

    /// Returns the tool of this name.
    pub fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, held)| *held == name).map(|(tool, _)| *tool)
    }

    /// Returns the name that clients call it by.
    pub fn name(self) -> &'static str {
        let held = NAMES.iter().find(|(tool, _)| *tool == self);
        held.map(|(_, name)| *name).expect("every tool stands in the list")
    }
}
