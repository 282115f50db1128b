//! The servers that are measured: how each is started, and what its answer to a write promises.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::call::exchange;
use crate::clock::pause;
use crate::process::disk_bytes;
use crate::sign::{ACCESS_KEY, SECRET_KEY};
use crate::workload::{Answers, Workload};

const START_MAX: Duration = Duration::from_secs(120);
/// How long a server may take to put its files in order when it is asked to end.
const STOP_MAX: Duration = Duration::from_secs(120);

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// hyper, answering fixed bytes
    Bare,
    /// Singlet's engine in process, without HTTP and JSON
    Engine,
    /// our own server, data in a folder
    Singlet,
    /// an earlier build of our own server, given by --before
    SingletBefore,
    /// our own server, data in a folder, with an access key: it verifies signatures
    SingletVerified,
    /// our own server, in memory
    SingletMemory,
    /// dynoxide 3.2.0 with a database file
    DynoxideFile,
    /// dynoxide 3.2.0 in memory
    DynoxideMemory,
    /// dynalite 4 with a LevelDB folder
    DynaliteFile,
    /// DynamoDB Local with a database file
    LocalFile,
    /// DynamoDB Local in memory
    LocalMemory,
    /// moto's server (in memory)
    Moto,
}

/// How much of a run a server takes part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// Every cell.
    Whole,
    /// The cells that the figures are made of.
    Headlines,
    /// A get and a put with many connections.
    GetAndPut,
    /// The headlines that can be measured with Singlet's engine in process.
    InProcess,
    /// The headlines with many connections, on few items and once: it is a hundred times slower than others.
    Slow,
}

impl Kind {
    /// The name in reports and on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Engine => "engine",
            Self::Singlet => "singlet",
            Self::SingletBefore => "singlet-before",
            Self::SingletVerified => "singlet-verified",
            Self::SingletMemory => "singlet-memory",
            Self::DynoxideFile => "dynoxide-file",
            Self::DynoxideMemory => "dynoxide-memory",
            Self::DynaliteFile => "dynalite-file",
            Self::LocalFile => "local-file",
            Self::LocalMemory => "local-memory",
            Self::Moto => "moto",
        }
    }

    /// The name in charts and in tables for readers who don't know this program.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Bare => "bare HTTP server",
            Self::Engine => "Singlet's engine in process",
            Self::Singlet => "Singlet",
            Self::SingletBefore => "Singlet, earlier build",
            Self::SingletVerified => "Singlet, signatures verified",
            Self::SingletMemory => "Singlet in memory",
            Self::DynoxideFile => "dynoxide on file",
            Self::DynoxideMemory => "dynoxide in memory",
            Self::DynaliteFile => "dynalite on file",
            Self::LocalFile => "DynamoDB Local on file",
            Self::LocalMemory => "DynamoDB Local in memory",
            Self::Moto => "moto (in memory)",
        }
    }

    /// The guarantee behind an acknowledged write.
    pub(crate) fn durability(self) -> &'static str {
        match self {
            Self::Bare => "stores nothing: reads the request, answers as many bytes as a database would",
            Self::Engine => {
                "fsync before the call returns, shared by the threads that wait at the same time; calls that meet a transaction wait for it"
            }
            Self::Singlet => "fsync before the answer, shared by the requests that wait at the same time",
            Self::SingletBefore => "as singlet",
            Self::SingletVerified => {
                "as singlet; it has an access key and verifies every signature, which no other server here does"
            }
            Self::SingletMemory => "in memory (`serve --in-memory`): lost with the process",
            Self::DynoxideFile => {
                "SQLite with WAL: fsync before the answer, one for each item (counted with strace)"
            }
            Self::DynoxideMemory => "in memory: lost with the process",
            Self::DynaliteFile => {
                "LevelDB, no fsync for writes (counted with strace): a power cut loses them; it has no transactions"
            }
            Self::LocalFile => {
                "SQLite with a rollback journal: fsync before the answer, about four for each put (counted with strace)"
            }
            Self::LocalMemory => "SQLite in memory: lost with the process",
            Self::Moto => {
                "in memory: lost with the process; it closes each connection after one answer, so that connecting is part of its figures"
            }
        }
    }

    /// Whether it knows the operations of a workload.
    pub(crate) fn knows(self, workload: Workload) -> bool {
        self != Self::DynaliteFile || !matches!(workload, Workload::Transact | Workload::Mixed)
    }

    /// How much of a run it takes part in.
    pub(crate) fn share(self) -> Share {
        match self {
            Self::Bare | Self::Singlet | Self::SingletMemory => Share::Whole,
            Self::SingletBefore | Self::DynoxideFile | Self::DynoxideMemory => Share::Headlines,
            Self::SingletVerified => Share::GetAndPut,
            Self::Engine => Share::InProcess,
            Self::DynaliteFile | Self::LocalFile | Self::LocalMemory | Self::Moto => Share::Slow,
        }
    }

    /// The parts of its answers that can be checked.
    pub(crate) fn answers(self) -> Answers {
        if self == Self::Bare { Answers::Bare } else { Answers::Database }
    }

    fn command(self, programs: &Programs, port: u16, data: &Path) -> Result<Command> {
        let port = port.to_string();
        let mut command;
        match self {
            Self::Bare => {
                command = Command::new(std::env::current_exe()?);
                command.args(["bare", "--address", &format!("127.0.0.1:{port}")]);
            }
            Self::Singlet | Self::SingletBefore | Self::SingletVerified | Self::SingletMemory => {
                let before = programs.before.as_deref().filter(|_| self == Self::SingletBefore);
                command = Command::new(present(before.unwrap_or(&programs.singlet))?);
                command.args(["serve", "--address", &format!("127.0.0.1:{port}")]);
                if self == Self::SingletMemory {
                    command.arg("--in-memory");
                } else {
                    command.arg("--data").arg(data);
                }
                command.args(&programs.serve);
                if self == Self::SingletVerified {
                    command.env("SINGLET_ACCESS_KEY_ID", ACCESS_KEY);
                    command.env("SINGLET_SECRET_ACCESS_KEY", SECRET_KEY);
                }
            }
            Self::Engine => bail!("the engine in process has no address"),
            Self::DynoxideFile | Self::DynoxideMemory => {
                command = Command::new(present(&programs.peers.join("bin/dynoxide"))?);
                command.args(["serve", "--host", "127.0.0.1", "--port", &port]);
                if self == Self::DynoxideFile {
                    command.arg("--db-path").arg(data.join("dynoxide.db"));
                }
            }
            Self::DynaliteFile => {
                command = Command::new("node");
                command.arg(present(&programs.peers.join("node_modules/dynalite/cli.js"))?);
                command.args(["--host", "127.0.0.1", "--port", &port, "--createTableMs", "0"]);
                command.arg("--path").arg(data.join("leveldb"));
            }
            Self::Moto => {
                command = Command::new(present(&programs.peers.join("moto/bin/moto_server"))?);
                command.args(["--host", "127.0.0.1", "--port", &port]);
            }
            Self::LocalFile | Self::LocalMemory => {
                let jars = programs.peers.join("dynamodb-local/jars-3.3.1");
                let jars = present(&jars)?.display().to_string();
                command = Command::new("java");
                command.arg(format!("-Djava.library.path={jars}")).arg("-cp").arg(format!("{jars}/*"));
                command.arg("software.amazon.dynamodb.services.local.main.ServerRunner");
                command.args(["-port", &port, "-sharedDb", "-disableTelemetry"]);
                if self == Self::LocalFile {
                    command.arg("-dbPath").arg(data);
                } else {
                    command.arg("-inMemory");
                }
            }
        }
        Ok(command)
    }
}

/// Where the programs are.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Programs {
    /// The singlet command to measure
    #[arg(long, overrides_with = "singlet", default_value = "target/release/singlet", value_name = "FILE")]
    pub(crate) singlet: PathBuf,
    /// An earlier build of the singlet command, measured beside it as singlet-before
    #[arg(long, value_name = "FILE")]
    pub(crate) before: Option<PathBuf>,
    /// More options of `singlet serve` in one text, such as "--cache-size 128MB --overlay-size 64MB"
    #[arg(long, value_delimiter = ' ', allow_hyphen_values = true, value_name = "OPTIONS")]
    pub(crate) serve: Vec<String>,
    /// The program that runs Singlet's engine without HTTP and JSON
    #[arg(
        long,
        overrides_with = "core",
        default_value = "target/release/singlet-bench-core",
        value_name = "FILE"
    )]
    pub(crate) core: PathBuf,
    /// Folder with the peers, as bench/run installs them
    #[arg(long, overrides_with = "peers", default_value_os_t = peers_folder(), value_name = "DIR")]
    pub(crate) peers: PathBuf,
    /// Folder for the servers' data and logs: on the disk that is to be measured
    #[arg(long, overrides_with = "scratch", default_value = "target/bench-data", value_name = "DIR")]
    pub(crate) scratch: PathBuf,
    /// Folder for the JSON files
    #[arg(long, overrides_with = "results", default_value = "bench/results", value_name = "DIR")]
    pub(crate) results: PathBuf,
}

/// Where bench/run installs the peers.
fn peers_folder() -> PathBuf {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder("SINGLET_BENCH_PEERS").unwrap_or_else(|| {
        let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
        cache.unwrap_or_default().join("singlet-bench")
    })
}

/// A running server; it is killed and its data deleted when this is dropped.
pub(crate) struct Target {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// From the start of its process to its first answer.
    pub(crate) started_in: Duration,
    data: PathBuf,
    /// Its arguments beyond the address and the data folder.
    arguments: Vec<String>,
    child: Child,
}

impl Target {
    /// Starts a server on an empty folder and waits for its first answer.
    pub(crate) fn start(kind: Kind, programs: &Programs) -> Result<Self> {
        Self::start_with(kind, programs, Vec::new())
    }

    /// The same with more arguments on its command line.
    pub(crate) fn start_with(kind: Kind, programs: &Programs, arguments: Vec<String>) -> Result<Self> {
        let data = programs.scratch.join(format!("{}-{}", kind.name(), std::process::id()));
        if data.exists() {
            fs::remove_dir_all(&data)?;
        }
        fs::create_dir_all(&data)?;
        Self::start_on(kind, programs, data.clone(), arguments).inspect_err(|_| {
            let _ = fs::remove_dir_all(&data);
        })
    }

    /// Kills the server with SIGKILL and starts it again on what it left.
    pub(crate) fn restart_after_kill(&mut self, programs: &Programs) -> Result<()> {
        self.stop();
        let fresh = Self::start_on(self.kind, programs, self.data.clone(), self.arguments.clone())?;
        // The old value's drop would delete the data that the new one serves.
        let mut old = std::mem::replace(self, fresh);
        old.data = PathBuf::new();
        Ok(())
    }

    fn start_on(kind: Kind, programs: &Programs, data: PathBuf, arguments: Vec<String>) -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let log = File::create(data.with_extension("log"))?;
        let mut command = kind.command(programs, port, &data)?;
        command.args(&arguments).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let begin = Instant::now();
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut target = Self { kind, address, started_in: Duration::ZERO, data, arguments, child };
        target.started_in = target.await_first_answer(begin)?;
        Ok(target)
    }

    fn await_first_answer(&mut self, begin: Instant) -> Result<Duration> {
        loop {
            // Connecting is cheaper than a request, and until the port is open it is all that can be done.
            if TcpStream::connect(self.address).is_ok()
                && exchange(self.address, "ListTables", &json!({})).is_ok_and(|(status, _)| status == 200)
            {
                return Ok(begin.elapsed());
            }
            if let Some(status) = self.child.try_wait()? {
                let log = fs::read_to_string(self.data.with_extension("log")).unwrap_or_default();
                bail!("{} ended at its start: {status}\n{log}", self.kind.name());
            }
            if begin.elapsed() > START_MAX {
                bail!("{} gives no answer after {} s", self.kind.name(), START_MAX.as_secs());
            }
            pause(Duration::from_micros(500));
        }
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The folder with its data.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// Asks the server to end, as `kill` does, and gives the bytes that its files then take on disk: Singlet folds its
    /// log into the tree when it ends, SQLite its write-ahead log into the database. One that doesn't end is killed.
    pub(crate) fn stop_and_weigh(&mut self) -> u64 {
        if let Some(process) = i32::try_from(self.id()).ok().and_then(Pid::from_raw) {
            // Fails only if the process has ended already.
            let _ = kill_process(process, Signal::TERM);
        }
        let begin = Instant::now();
        while begin.elapsed() < STOP_MAX && matches!(self.child.try_wait(), Ok(None)) {
            pause(Duration::from_millis(20));
        }
        self.stop();
        disk_bytes(&self.data)
    }

    /// Kills the server as `kill -9` does.
    pub(crate) fn stop(&mut self) {
        // Both fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.stop();
        if !self.data.as_os_str().is_empty() {
            let _ = fs::remove_dir_all(&self.data);
        }
    }
}

/// The path, if something is there.
pub(crate) fn present(path: &Path) -> Result<&Path> {
    if path.exists() { Ok(path) } else { bail!("{} is not there", path.display()) }
}
