//! `singlet demo` as a newcomer meets it: what it prints works, and it ends well whatever happens to it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::singlet;

/// A demo that runs; it is killed if the test leaves it behind.
struct Demo {
    process: Child,
    out: BufReader<std::process::ChildStdout>,
    /// The text that it printed before it served.
    greeting: String,
}

impl Demo {
    /// Starts a demo and waits until it has printed its three commands.
    fn start(arguments: &[&str]) -> Demo {
        let mut demo = Demo::spawn(arguments);
        for _ in 0..200 {
            let mut line = String::new();
            if demo.out.read_line(&mut line).unwrap() == 0 {
                let mut error = String::new();
                demo.process.stderr.take().unwrap().read_to_string(&mut error).unwrap();
                panic!("{}{error}", demo.greeting);
            }
            demo.greeting += &line;
            if demo.commands().len() == 3 {
                return demo;
            }
        }
        panic!("{}", demo.greeting);
    }

    fn spawn(arguments: &[&str]) -> Demo {
        let mut process =
            singlet(&["demo"]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(process.stdout.take().unwrap());
        Demo { process, out, greeting: String::new() }
    }

    fn commands(&self) -> Vec<&str> {
        let whole = self.greeting.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(str::trim).filter(|line| line.contains("--endpoint-url")).collect()
    }

    fn folder(&self) -> &str {
        let line = self.greeting.lines().find_map(|line| line.strip_prefix("Folder   ")).unwrap();
        line.split(" (").next().unwrap()
    }

    /// Ctrl-C; the rest of what it prints.
    fn interrupt(mut self) -> String {
        let signal = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status().unwrap();
        assert!(signal.success());
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert_eq!(self.process.wait().unwrap().code(), Some(0), "{rest}");
        rest
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn shell(line: &str) -> String {
    let output = Command::new("sh").args(["-c", line]).output().unwrap();
    assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn failure(arguments: &[&str]) -> String {
    let output = singlet(&["demo"]).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_printed_commands_have_answers_and_nothing_stays_behind() {
    let demo = Demo::start(&["--port", "0"]);
    for command in demo.commands() {
        let answer = shell(command);
        assert!(answer.lines().count() > 3, "{command}\n{answer}");
    }
    let folder = demo.folder().to_owned();
    assert!(Path::new(&folder).exists());
    let end = demo.interrupt();
    assert!(end.contains("is deleted"), "{end}");
    assert!(!Path::new(&folder).exists());
}

#[test]
fn a_named_folder_is_kept_and_used_by_one_demo_at_a_time() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("demo");
    let path = path.to_str().unwrap();
    let demo = Demo::start(&["--port", "0", "--path", path]);
    let first = demo.greeting.clone();
    let address = demo.commands()[0].rsplit(' ').next().unwrap().to_owned();
    let error = failure(&["--port", "0", "--path", path]);
    assert!(error.contains("in use") && error.contains(&address) && error.contains("--path"), "{error}");
    let create = "create_user username=ada email=ada@example.com displayName=Ada";
    let design = format!("{path}/designs/social.toml");
    let program = env!("CARGO_BIN_EXE_singlet");
    shell(&format!("{program} run {design} {create} --endpoint-url {address}"));
    let end = demo.interrupt();
    assert!(end.contains("starts it again"), "{end}");

    let again = Demo::start(&["--port", "0", "--path", path]);
    let ids = |greeting: &str| -> Vec<String> {
        greeting.split_whitespace().filter(|word| word.contains("id=")).map(str::to_owned).collect()
    };
    assert_eq!(ids(&again.greeting), ids(&first), "the same data");
    let address = again.commands()[0].rsplit(' ').next().unwrap().to_owned();
    let ada = shell(&format!("{program} run {design} user_by_name username=ada --endpoint-url {address}"));
    assert!(ada.contains("ada@example.com"), "{ada}");
    again.interrupt();
}

#[test]
fn a_fill_that_was_killed_starts_again() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().to_str().unwrap();
    let mut demo = Demo::spawn(&["--port", "0", "--path", path]);
    let start = Instant::now();
    let files = || std::fs::read_dir(place.path().join("filling")).map_or(0, Iterator::count);
    while files() < 3 && start.elapsed() < Duration::from_secs(20) {
        std::thread::yield_now();
    }
    demo.process.kill().unwrap();
    demo.process.wait().unwrap();
    assert!(place.path().join("filling").exists() && !place.path().join("data").exists());

    let demo = Demo::start(&["--port", "0", "--path", path]);
    assert!(!place.path().join("filling").exists());
    let answer = shell(demo.commands()[1]);
    assert!(answer.lines().count() > 3, "{answer}");
    demo.interrupt();
}

#[test]
fn an_interrupt_during_the_fill_ends_it() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().to_str().unwrap();
    let mut demo = Demo::spawn(&["--port", "0", "--path", path]);
    let start = Instant::now();
    while !place.path().join("filling").exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::yield_now();
    }
    shell(&format!("kill -INT {}", demo.process.id()));
    let mut error = String::new();
    demo.process.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    assert_eq!(demo.process.wait().unwrap().code(), Some(1));
    assert!(error.contains("stopped before"), "{error}");
}

#[test]
fn a_port_in_use_is_said_and_gone_around() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let error = failure(&["--port", &port]);
    assert!(error.contains(&port) && error.contains("leave out --port"), "{error}");

    // Taken by this test, or by somebody else.
    let _usual = TcpListener::bind("127.0.0.1:8000");
    let demo = Demo::start(&[]);
    assert!(demo.greeting.starts_with("Port 8000 is in use, so the demo chose port "), "{}", demo.greeting);
    demo.interrupt();
}

#[test]
fn a_folder_that_is_not_a_demo_is_refused() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("notes.txt"), "mine").unwrap();
    let error = failure(&["--port", "0", "--path", place.path().to_str().unwrap()]);
    assert!(error.contains("don't belong to a demo"), "{error}");
    let file = place.path().join("notes.txt");
    let error = failure(&["--port", "0", "--path", file.to_str().unwrap()]);
    assert!(error.contains("is a file"), "{error}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}
