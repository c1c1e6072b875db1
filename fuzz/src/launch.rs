//! A module that the included file of frames expects at this path.

/// A pipe that is never read here.
pub(crate) type Output = tokio::io::Empty;
