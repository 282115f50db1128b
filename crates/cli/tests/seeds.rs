//! The commands that `singlet seed` prints work as they are printed.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

#[path = "../../review/tests/large/design.rs"]
mod large;
mod support;

use std::path::Path;
use std::process::{Command, Output};

use support::singlet;

/// Runs a line of a shell in a folder, with `singlet` on the path.
fn shell(folder: &Path, line: &str) -> Output {
    let singlet = Path::new(env!("CARGO_BIN_EXE_singlet")).parent().unwrap().display().to_string();
    let path = format!("{singlet}:{}", std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", line]).env("PATH", path).env("HOME", folder).current_dir(folder);
    for variable in ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "SINGLET_KEY"] {
        command.env_remove(variable);
    }
    command.output().unwrap()
}

/// Seeds a design and runs what is printed; every command must have an answer.
fn check(file: &str) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("my data");
    let data = data.to_str().unwrap();
    let applied = singlet(&["apply", file, "--data", data]).output().unwrap();
    assert!(applied.status.success(), "{file}: {}", String::from_utf8_lossy(&applied.stderr));
    let seeded = singlet(&["seed", file, "--data", data, "--items", "150"]).output().unwrap();
    let said = String::from_utf8(seeded.stdout).unwrap();
    let commands: Vec<&str> = said.lines().skip_while(|line| *line != "Try:").skip(1).collect();
    assert!((3..=5).contains(&commands.len()), "{file}: {said}{}", String::from_utf8_lossy(&seeded.stderr));
    for command in commands {
        let output = shell(folder.path(), command);
        let answer = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let empty = ["null\n", "false\n", "{\"items\":[]}\n", "{}\n"].contains(&answer.as_str());
        assert!(!empty && !answer.is_empty(), "{command}: {answer}");
    }
}

#[test]
fn every_printed_command_has_an_answer_for_the_designs_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in [
        "smart-cooking",
        "nishiki",
        "shop",
        "shop-documents",
        "social",
        "sensors",
        "jobs",
        "metering",
        "chat",
    ] {
        check(root.join(format!("../../designs/{name}.toml")).to_str().unwrap());
    }
}

#[test]
fn every_printed_command_has_an_answer_for_other_designs() {
    let folder = tempfile::tempdir().unwrap();
    for (name, entities, patterns) in [("small", 4, 12), ("larger", 20, 60)] {
        let file = folder.path().join(format!("{name}.toml"));
        std::fs::write(&file, large::large_design(entities, patterns)).unwrap();
        check(file.to_str().unwrap());
    }
    check(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../design/tests/good/ticketing.toml").to_str().unwrap(),
    );
}
