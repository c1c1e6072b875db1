//! Gives memory back to the system.

/// So many bytes are worth it.
pub(super) const LARGE: usize = 1024 * 1024;

/// Gives back what was freed. The allocator of glibc keeps pages below the last one that is in use, and one small
/// allocation after a line of 16 MiB is enough for all of them to stay. Others give back by themselves.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "no safe function of the system or of a library does this")]
    // SAFETY: it takes a number, may be called by any thread at any time, and touches only memory that is not in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
