//! What the included file of frames expects at this place.

/// A pipe that is never read here.
pub(crate) type Output = tokio::io::Empty;
