//! Tells the command which commit it was built from, and for which machine.

use std::process::Command;

fn main() {
    // A package has no repository, and says so.
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=SINGLET_COMMIT={commit}");
    println!("cargo::rustc-env=SINGLET_BUILT_FOR={target}");
    for file in ["HEAD", "refs/heads"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
