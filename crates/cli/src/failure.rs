//! Why a command did not do what it was asked for, and what the shell is told.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use singlet_derive::DeriveError;
use singlet_design::Report;
use singlet_run::RunError;
use singlet_run::apply::{ApplyError, EnvironmentError};
use singlet_server::{CredentialsError, StartError};
use singlet_store::StoreError;

/// Why a command failed. The text says what to do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Serve(#[from] ServeFailure),
    #[error("can't read {file}: {reason}")]
    Unreadable { file: String, reason: io::Error },
    #[error("can't write {file}: {reason}")]
    Unwritable { file: String, reason: io::Error },
    #[error("{0}")]
    Design(Box<Report>),
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The arguments are wrong in a way that only the design tells.
    #[error("{0}")]
    Arguments(String),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Derive(#[from] DeriveError),
    /// Another process has the folder open.
    #[error("{folder} is in use by another process, and a folder serves one at a time\n{instead}")]
    InUse { folder: String, instead: String },
    #[error("{0}")]
    Refused(String),
    #[error("can't write the answer: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    pub(crate) fn unreadable(file: &Path, reason: io::Error) -> Failure {
        Failure::Unreadable { file: file.display().to_string(), reason }
    }

    /// The text for the standard error. A design's report says itself that it is an error, for each mistake.
    pub(crate) fn report(&self) -> String {
        match self {
            Failure::Design(report) => report.to_string().trim_end().to_owned(),
            other => format!("error: {other}"),
        }
    }

    /// 2 if the arguments or the design must be changed, 1 otherwise.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Design(_)
            | Failure::Environment(_)
            | Failure::Arguments(_)
            | Failure::Unreadable { .. }
            | Failure::Derive(DeriveError::NoRule { .. })
            | Failure::Run(
                RunError::NoPattern { .. }
                | RunError::Internal { .. }
                | RunError::Parameter { .. }
                | RunError::Parameters { .. }
                | RunError::Cursor(_),
            ) => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }

    /// Whether the reader of the answer went away, as `head` does: nothing is wrong then.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Why a server didn't start, or didn't stop cleanly. The text says what to do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeFailure {
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("--buckets {folder}: {reason}. It must be a folder; each folder in it is a bucket")]
    Buckets { folder: String, reason: io::Error },
    #[error("the data was not closed cleanly: {0}. All acknowledged writes are safe in the log")]
    Close(singlet_engine::Error),
    #[error("the system refuses what the server needs: {0}")]
    System(#[from] io::Error),
}
