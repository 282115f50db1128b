//! One reader: a folder, a shell, and a server that runs while it is needed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::Serving;

/// The address that the pages name.
pub(crate) const ADDRESS: &str = "127.0.0.1:8000";

pub(crate) struct Session {
    folder: tempfile::TempDir,
    server: Option<Serving>,
    /// How the page started its server.
    arguments: Vec<String>,
}

impl Session {
    /// A folder with the repository's designs, and a database with the table `orders` that the README makes.
    pub(crate) fn new(root: &Path, with_orders: bool) -> Session {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("designs")).unwrap();
        copy(&root.join("designs"), &folder.path().join("designs"));
        let mut session = Session { folder, server: None, arguments: Vec::new() };
        if with_orders {
            let server = session.server();
            server.call(
                "CreateTable",
                r#"{"TableName":"orders","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":
                [{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}]}"#,
            );
            let item = r#"{"TableName":"orders","Item":{"id":{"S":"1"}}}"#;
            assert_eq!(server.call("PutItem", item), "{}");
            session.stop();
        }
        session
    }

    /// The server, started as the page did.
    pub(crate) fn server(&mut self) -> &Serving {
        let folder = self.folder.path().to_owned();
        let arguments = &self.arguments;
        self.server.get_or_insert_with(|| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            Serving::start_in(&folder, &arguments)
        })
    }

    /// Stops the server, so that commands can have the folder.
    pub(crate) fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            assert_eq!(server.terminate().code(), Some(0));
        }
    }

    /// `singlet serve`, as the page types it.
    pub(crate) fn serve(&mut self, command: &str) {
        self.stop();
        let arguments = command.trim_end_matches('&').trim().trim_start_matches("singlet serve");
        self.arguments = arguments.split_whitespace().map(str::to_owned).collect();
        self.server();
    }

    /// Saves a file of the page in the reader's folder.
    pub(crate) fn save(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Runs a script as a reader would who has set what the README says.
    pub(crate) fn shell(&mut self, script: &str, with_server: bool) -> Output {
        let address = match with_server {
            true => Some(self.server().address.clone()),
            false => {
                self.stop();
                None
            }
        };
        let program = PathBuf::from(env!("CARGO_BIN_EXE_singlet"));
        let path =
            format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("bash");
        command.current_dir(self.folder.path()).env("PATH", path).env("HOME", self.folder.path());
        for variable in ["AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "SINGLET_KEY"] {
            command.env_remove(variable);
        }
        let script = match &address {
            Some(address) => script.replace(ADDRESS, address),
            None => script.to_owned(),
        };
        if let Some(address) = address {
            command.env("AWS_ENDPOINT_URL", format!("http://{address}")).env("AWS_PAGER", "");
            command.env("AWS_ACCESS_KEY_ID", "local").env("AWS_SECRET_ACCESS_KEY", "local");
            command.env("AWS_DEFAULT_REGION", "us-east-1").env("AWS_MAX_ATTEMPTS", "1");
        }
        command.args(["-c", &format!("set -e -o pipefail\n{script}\n")]).output().unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
