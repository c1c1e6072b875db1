//! Returns memory to the system.

/// The number of freed bytes from which it is worth while.
pub(super) const LARGE: usize = 1024 * 1024;

/// Returns freed memory to the system. glibc's allocator keeps all pages below the last one in use, so a small
/// allocation after a 16 MiB line keeps the whole line's memory. Other allocators return memory by themselves.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "no safe function of the system or of a library does this")]
    // SAFETY: it takes a number, may be called from any thread at any time, and touches only memory that is not in
    // use.
    unsafe {
        libc::malloc_trim(0);
    }
}
