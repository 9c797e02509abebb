//! What peers/heap_libraries.cpp asks a library for. malloc() and free() stay the C library's.

use std::ffi::c_void;
use std::os::raw::c_char;

const VERSION: &[u8] = b"0.7.6\0"; // that of Cargo.toml

/// As malloc().
#[no_mangle]
pub extern "C" fn snmalloc_allocate(bytes: usize) -> *mut c_void {
    unsafe { snmalloc_sys::sn_malloc(bytes) }
}

/// As free(), of so many bytes.
#[no_mangle]
pub extern "C" fn snmalloc_deallocate(place: *mut c_void, bytes: usize) {
    unsafe { snmalloc_sys::sn_rust_dealloc(place, 1, bytes) };
}

#[no_mangle]
pub extern "C" fn snmalloc_version() -> *const c_char {
    VERSION.as_ptr().cast()
}
