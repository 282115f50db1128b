//! A `singlet serve` in a process of its own.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub(crate) mod music;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};

/// The command, without access keys from the environment.
pub(crate) fn singlet(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_singlet"));
    command
        .args(arguments)
        .env_remove("SINGLET_ACCESS_KEY_ID")
        .env_remove("SINGLET_SECRET_ACCESS_KEY")
        .env_remove("SINGLET_KEY");
    command
}

/// Runs the command to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    singlet(arguments).output().unwrap()
}

/// A server that runs; it is killed if the test leaves it behind.
pub(crate) struct Serving {
    process: Child,
    /// Its output at the start.
    pub(crate) greeting: Vec<String>,
    /// Host and port.
    pub(crate) address: String,
}

impl Serving {
    /// Starts a server on a free port and waits until it listens.
    pub(crate) fn start(arguments: &[&str]) -> Serving {
        Serving::start_in(Path::new("."), arguments)
    }

    /// Starts a server in a folder on a free port and waits until it listens.
    pub(crate) fn start_in(folder: &Path, arguments: &[&str]) -> Serving {
        let mut process = singlet(&["serve", "--address", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = BufReader::new(process.stdout.take().unwrap());
        let greeting: Vec<String> = out.lines().take(3).map(|line| line.unwrap()).collect();
        let address = greeting[0].rsplit("://").next().unwrap().to_owned();
        Serving { process, greeting, address }
    }

    /// Starts a server on the data in this folder.
    pub(crate) fn on(folder: &Path) -> Serving {
        Serving::start(&["--data", folder.to_str().unwrap()])
    }

    /// Sends a call without a real signature and gives the answer's body.
    pub(crate) fn call(&self, operation: &str, body: &str) -> String {
        let request = format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
             X-Amz-Date: 20260314T150926Z\r\n\
             Authorization: AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Asks it to stop, as an operator would.
    pub(crate) fn terminate(mut self) -> ExitStatus {
        let killed = Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        assert!(killed.success());
        self.process.wait().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
