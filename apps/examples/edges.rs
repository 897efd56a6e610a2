/*
 * Four edges of a graph with 2^40 vertices, from edge 10^12 on, through the C library.  It prints what
 * `rmat generate --scale 40 --edges 2T --first 1T --count 4 --format el -o -` prints.  Config repeats
 * rmat_config of rmat/rmat.h.  With the shared libraries of rmat in /usr/local/lib:
 *
 *   rustc --edition 2021 -O -L /usr/local/lib edges.rs && LD_LIBRARY_PATH=/usr/local/lib ./edges
 */
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr;

#[repr(C)]
struct Config {
    stream: c_int,
    rows_scale: c_int,
    cols_scale: c_int,
    rows: u64,
    cols: u64,
    matrix: [f64; 4],
    levels: *const c_void,
    noise: f64,
    permute: c_int,
    no_self_loops: c_int,
    symmetrize: c_int,
    direction: c_int,
    weights: c_int,
    weight_min: i32,
    weight_max: i32,
    weight_low: f32,
    weight_high: f32,
    seed: u64,
    seed2: u64,
    first: u64,
    edges: u64,
    backend: c_int,
    isa: c_int,
    threads: c_int,
    device: c_int,
    stop: *const c_void,
    stop_state: *const c_void,
}

#[link(name = "rmat_core")]
extern "C" {
    fn rmat_config_default(config: *mut Config);
    fn rmat_create(out: *mut *mut c_void, config: *const Config) -> c_int;
    fn rmat_generate(generator: *const c_void, first: u64, count: u64, src: *mut u64, dst: *mut u64) -> c_int;
    fn rmat_destroy(generator: *mut c_void);
    fn rmat_strerror(status: c_int) -> *const c_char;
}

fn check(status: c_int) {
    if status != 0 {
        panic!("{}", unsafe { CStr::from_ptr(rmat_strerror(status)) }.to_string_lossy());
    }
}

fn main() {
    let mut config = std::mem::MaybeUninit::<Config>::uninit();
    let mut generator = ptr::null_mut();
    let (mut src, mut dst) = ([0u64; 4], [0u64; 4]);

    unsafe {
        rmat_config_default(config.as_mut_ptr());
        let mut config = config.assume_init();
        config.rows_scale = 40;
        config.cols_scale = 40;
        check(rmat_create(&mut generator, &config));
        check(rmat_generate(generator, 1_000_000_000_000, 4, src.as_mut_ptr(), dst.as_mut_ptr()));
        rmat_destroy(generator);
    }
    for (s, d) in src.iter().zip(&dst) {
        println!("{} {}", s, d);
    }
}
