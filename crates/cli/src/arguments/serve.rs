//! Arguments of `singlet serve`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use singlet_engine::Schedule;

use super::encryption::KeyArguments;
use super::loss::LossArguments;
use super::token::CallerArguments;
use crate::memory::TRAFFIC_BYTES_MIN;
use singlet_console::Permission;

use crate::size::Size;

pub(super) const SERVE_NOTES: &str = "\
Credentials (--credentials FILE):
  [key.AKIDWRITER]
  secret = \"…\"

  [key.AKIDREADER]
  secret = \"…\"
  read_only = true

  One key may stand in SINGLET_ACCESS_KEY_ID and SINGLET_SECRET_ACCESS_KEY instead.
  Without any, every well-formed signature is taken, but only this machine can connect.

A folder that has lost a file or the end of its log is refused, with what is missing. --accept-loss opens what is
left: docs/reliability.md.

Encryption: `singlet new-key FILE` makes a key, and an empty folder that is served with --key-file FILE is
encrypted from then on: docs/encryption.md.

Memory: what the data needs, up to about --cache-size, and twice --overlay-size under heavy writing.
The machine's memory is that of its container, if there is one with a limit.

Limits: a body has at most 17 MB, a head 32 KB. What clients may take, and what happens beyond it, is in
docs/reliability.md; GET /metrics shows how much they take.

API: each pattern of the designs has a path below /DESIGN, for callers on this machine: docs/api.md. GET /DESIGN
lists them, /DESIGN/openapi.json describes them for programs, /DESIGN/docs for people. With --caller-keys, callers
of designs with [caller] prove by a token who they are, and may be on other machines: docs/callers.md.

Console: pages about the designs and their data at /console/, for this machine: docs/console.md. With
credentials, the console isn't served, and the API only with --caller-keys, for designs with [caller].

Pages: GET / says that the server is well, GET /metrics is for Prometheus.
SIGTERM or Ctrl-C finishes the running requests, then ends; a second one ends at once.";

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Designs whose tables are made, or changed to match, before the server answers
    #[arg(value_name = "FILE")]
    pub(crate) designs: Vec<PathBuf>,

    /// The environment of the designs
    #[arg(long, value_name = "NAME", requires = "designs")]
    pub(crate) environment: Option<String>,

    /// The folder with the data; it is made if it isn't there
    #[arg(long, value_name = "DIR", default_value = "./singlet-data")]
    pub(crate) data: PathBuf,

    /// The folder for items that designs archive [env: SINGLET_ARCHIVE] [default: beside the data, such as
    /// ./singlet-data-archive]
    #[arg(long, value_name = "DIR", requires = "designs")]
    pub(crate) archive: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) key: KeyArguments,

    #[command(flatten)]
    pub(crate) loss: LossArguments,

    /// Keep everything in memory and nothing on disk
    #[arg(long, conflicts_with = "data")]
    pub(crate) in_memory: bool,

    /// Where to listen
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8000")]
    pub(crate) address: String,

    /// A name that clients reach the server by, beside localhost and its address, such as that of its container; may be
    /// given several times. Without credentials requests to other names are refused, so that a web page can't pass itself
    /// off as this server
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,

    /// The region that the server says it is in; signatures must name it if there are credentials
    #[arg(long, default_value = "us-east-1", value_parser = region)]
    pub(crate) region: String,

    /// The file with the access keys (see below)
    #[arg(long, value_name = "FILE")]
    pub(crate) credentials: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) callers: CallerArguments,

    /// The certificate for HTTPS, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The certificate's private key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,

    /// The origin whose web pages may call the server, such as `https://app.example`; * for all
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) cors: Option<String>,

    /// The web console at /console/, which only this machine can reach
    #[arg(long, value_enum, value_name = "MODE", default_value = "write", requires = "designs")]
    pub(crate) console: ConsoleMode,

    /// Show the metrics page to other machines too
    #[arg(long)]
    pub(crate) metrics_public: bool,

    /// When a write counts as done
    #[arg(long, value_enum, default_value_t = Durability::Full)]
    pub(crate) durability: Durability,

    /// Most memory for pages of the stored tables: the more of the data it holds, the fewer reads touch the
    /// disk [default: half of the machine's memory beyond 1 GB, at least 256MB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) cache_size: Option<Size>,

    /// Most memory for writes that are in the log and not yet in the tables: the larger, the better bursts of
    /// writes are taken, and the longer a start after a crash takes [default: a 32nd of the machine's memory,
    /// 64MB to 384MB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) overlay_size: Option<Size>,

    /// How to treat a write of an item that a transaction is writing at that moment
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = TransactionConflicts::Refuse)]
    pub(crate) transaction_conflicts: TransactionConflicts,

    /// Answer requests for encryption (`SSESpecification`) as DynamoDB does, although the folder is not encrypted
    #[arg(long, conflicts_with = "key_file")]
    pub(crate) accept_sse: bool,

    /// How long a shard of a stream takes records before a child continues it. Real readers follow shards from
    /// parents to children; a few seconds let them show it
    #[arg(long, value_name = "SECONDS", default_value_t = 14_400, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) stream_shard_seconds: u32,

    /// How long the wall clock must keep to a new time after a jump before it is believed; `0` believes it at once
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) clock_settle_seconds: u32,

    /// A folder whose folders are the buckets of exports and imports; without it these operations are refused
    #[arg(long, value_name = "DIR")]
    pub(crate) buckets: Option<PathBuf>,

    /// When backups are taken of tables whose design says nothing of it, and how long each is kept, such as
    /// "weekly, keep 3 months", "daily, keep 2 weeks" or "every 6 hours, keep 3 days"
    #[arg(long, value_name = "SCHEDULE")]
    pub(crate) backup: Option<Schedule>,

    /// Threads that answer requests [default: one for each processor core]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Room that is kept free on the disk with the data. With less, writes that grow are refused, while reads and
    /// deletions go on; when there is room again, so do all writes [default: twice --overlay-size and 64MB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) disk_reserve: Option<Size>,

    /// Connections that may be open at once. Beyond them, one on which no request was allowed yet gives way to a new one;
    /// if there is none, the new one is answered with 503 and closed [default: 10000, or what the
    /// system's limit of open files leaves]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) connections_max: Option<u32>,

    /// Connections that may be open from one address, or from one /64 network of IPv6 [default: a quarter of
    /// --connections-max, and no limit for this machine itself]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) connections_per_address: Option<u32>,

    /// Most memory for the bodies of all requests together, as much again for the requests that are read from them, and as
    /// much again for their answers until clients have read them. A request that finds no room within 5 seconds is answered
    /// with 503. At least 64MB [default: a 32nd of the machine's memory, 64MB to 256MB]
    #[arg(long, value_name = "SIZE", value_parser = traffic_size)]
    pub(crate) traffic_memory: Option<Size>,

    /// How long a connection may wait for its next request, the request's head included, before it is closed
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) idle_seconds: u32,

    /// How long a client may take to send a request's body
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) body_seconds: u32,

    /// How long a client may take to read a large answer; a tenth of it when such answers fill half of
    /// --traffic-memory
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) answer_seconds: u32,

    /// How much to log, on the standard error; debug has a line for each request
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = LogLevel::Info)]
    pub(crate) log: LogLevel,

    /// How to write the log
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
}

/// The permission of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConsoleMode {
    /// Patterns that write can be run
    Write,
    /// Everything can be looked at, and nothing changed
    ReadOnly,
    /// There is no console
    Off,
}

impl ConsoleMode {
    /// Returns the permission; `None` without a console.
    pub(crate) fn permission(self) -> Option<Permission> {
        match self {
            ConsoleMode::Write => Some(Permission::Write),
            ConsoleMode::ReadOnly => Some(Permission::ReadOnly),
            ConsoleMode::Off => None,
        }
    }
}

/// When a write counts as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Durability {
    /// When the disk has it: nothing acknowledged is lost, even if the power fails
    Full,
    /// When the operating system has it: nothing acknowledged is lost if the program is killed, but the
    /// last moments may be if the machine goes down
    None,
}

/// The treatment of a write that meets a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TransactionConflicts {
    /// It is refused with a conflict, as Amazon DynamoDB refuses it: clients learn to try again
    Refuse,
    /// It waits for its turn
    Wait,
}

/// How much to log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// How to write the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

fn region(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !text.is_empty() && text.len() <= 64 && text.bytes().all(fits) {
        return Ok(text.to_owned());
    }
    Err("a region is written in small letters, digits and hyphens, such as us-east-1".to_owned())
}

/// Parses a size that can hold the largest body, both as it is received and as it is read.
fn traffic_size(text: &str) -> Result<Size, String> {
    let size: Size = text.parse()?;
    if size.bytes < TRAFFIC_BYTES_MIN {
        return Err("it must be at least 64MB, so that one request of the largest size fits".to_owned());
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Arguments, Command};
    use super::*;

    fn serve(arguments: &[&str]) -> Result<Box<ServeArguments>, clap::Error> {
        let words = ["singlet", "serve"].iter().chain(arguments);
        Arguments::try_parse_from(words).map(|arguments| match arguments.command {
            Command::Serve(serve) => serve,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_defaults_are_a_durable_server_for_this_machine_only() {
        let arguments = serve(&[]).unwrap();
        assert_eq!(arguments.address, "127.0.0.1:8000");
        assert_eq!(arguments.data, PathBuf::from("./singlet-data"));
        assert_eq!(arguments.durability, Durability::Full);
        let limits = singlet_server::Limits::default();
        assert_eq!(u64::from(arguments.idle_seconds), limits.idle_timeout.as_secs());
        assert_eq!(u64::from(arguments.body_seconds), limits.body_timeout.as_secs());
        assert_eq!(u64::from(arguments.answer_seconds), limits.answer_timeout.as_secs());
        assert!(!arguments.in_memory && arguments.credentials.is_none());
    }

    #[test]
    fn contradictions_are_refused() {
        for arguments in [
            &["--in-memory", "--data", "x"][..],
            &["--tls-cert", "c.pem"],
            &["--tls-key", "k.pem"],
            &["--threads", "0"],
            &["--connections-max", "0"],
            &["--connections-per-address", "0"],
            &["--region", "Mars!"],
            &["--cache-size", "much"],
            &["--disk-reserve", "some"],
            &["--traffic-memory", "63MB"],
            &["--idle-seconds", "0"],
            &["--stream-shard-seconds", "0"],
            &["--backup", "weekly"],
            &["--backup", "weekly, keep 2 days"],
        ] {
            assert!(serve(arguments).is_err(), "{arguments:?}");
        }
    }
}
