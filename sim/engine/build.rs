//! Compiles the engine for the simulation.

fn main() {
    println!("cargo::rustc-cfg=simulated");
    println!("cargo::rerun-if-changed=build.rs");
}
