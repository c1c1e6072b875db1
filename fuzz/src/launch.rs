//! The included file `frames` expects a module at this path.

/// A pipe that no fuzz target reads.
pub(crate) type Output = tokio::io::Empty;
