//! Gives memory back to the system.

/// The number of bytes from which it is worth it.
pub(super) const LARGE: usize = 1024 * 1024;

/// Returns freed memory to the system. glibc's allocator keeps all pages below the last one in use, so one small
/// allocation after a 16 MiB line keeps all of them. Other allocators return memory by themselves.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "no safe function of the system or of a library does this")]
    // SAFETY: it takes a number, may be called by any thread at any time, and touches only memory that is not in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
