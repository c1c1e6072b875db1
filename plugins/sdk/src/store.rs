//! Small values that are stored between calls: at most 1 MiB of keys and values.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Fault;
use crate::bindings::iac::plugin::store;

/// Returns the value of a key; a value that no longer fits its type counts as missing.
///
/// # Errors
/// `invalid_parameter` for a bad key, `unavailable` if the store cannot be read.
pub fn get<T: DeserializeOwned>(key: &str) -> Result<Option<T>, Fault> {
    Ok(store::get(key)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Stores a value under a key.
///
/// # Errors
/// As for [`get`], and `result_too_large` if the store would exceed its quota.
pub fn put<T: Serialize>(key: &str, value: &T) -> Result<(), Fault> {
    let bytes = serde_json::to_vec(value).map_err(|error| Fault::invalid(error.to_string()))?;
    Ok(store::put(key, &bytes)?)
}

/// Removes a key; a missing key is not an error.
///
/// # Errors
/// As for [`get`].
pub fn remove(key: &str) -> Result<(), Fault> {
    Ok(store::remove(key)?)
}

/// Returns keys that begin with `prefix`, in order, from the first one after `after`, at most `limit`.
///
/// # Errors
/// As for [`get`].
pub fn keys(prefix: &str, after: Option<&str>, limit: u32) -> Result<Vec<String>, Fault> {
    Ok(store::keys(prefix, after, limit)?)
}
