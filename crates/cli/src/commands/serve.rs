//! `singlet serve`.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use singlet_design::Design;
use singlet_engine::{Buckets, Conflicts, Database, Key, StoreOptions, StreamOptions, SyncPolicy};
use singlet_run::apply;
use singlet_server::{Credentials, Limits, Options, Server, TlsFiles};
use singlet_store::Embedded;
use singlet_transfer::FolderBuckets;
use singlet_wire::Service;

use crate::arguments::{ConsoleMode, Durability, ServeArguments, TransactionConflicts};
use crate::derivations::Workers;
use crate::endpoint::Announced;
use crate::failure::{Failure, ServeFailure};
use crate::mounted::{Mounted, check_names};
use crate::signals::Signals;
use crate::target::{Purpose, open_folder};
use crate::{archive, authority, cursor_key, descriptors, design_file, logging, memory};

/// Serves until a signal ends it.
pub(crate) fn serve(arguments: Box<ServeArguments>) -> Result<(), Failure> {
    // A wrong design is told before anything is opened.
    let designs =
        arguments.designs.iter().map(|file| design_file::load(file)).collect::<Result<Vec<_>, _>>()?;
    check_names(&designs)?;
    logging::start(arguments.log, arguments.log_format);
    let options = server_options(&arguments)?;
    let key = arguments.key.key()?;
    // The server has its own threads for the requests; this one only lets connections in.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeFailure::System)?;
    runtime.block_on(run(&arguments, &designs, key, options))
}

async fn run(
    arguments: &ServeArguments,
    designs: &[Arc<Design>],
    key: Option<Key>,
    options: Options,
) -> Result<(), Failure> {
    let authority = authority::authority(&arguments.callers)?;
    let signals = Signals::listen().map_err(ServeFailure::System)?;
    let signed = options.credentials.is_some();
    let connections_max = options.limits.connections_max;
    // The address first: a server that can't have it must not touch the data.
    let server = Server::bind(options).await.map_err(ServeFailure::Start)?;
    let database = open(arguments, key, connections_max)?;
    let data = (!arguments.in_memory).then_some(arguments.data.as_path());
    let archive = archive::base(arguments.archive.as_deref(), data);
    let mut workers = Workers::default();
    for design in designs {
        let store = Embedded::new(database.clone(), folder(arguments));
        let environment = apply_design(design, arguments.environment.as_deref(), &store).await?;
        workers.start(store, design, &environment, archive.as_deref()).await?;
    }
    let cursor_key =
        if arguments.in_memory { cursor_key::new_key() } else { cursor_key::of_folder(&arguments.data)? };
    let environment = arguments.environment.as_deref();
    // With credentials, what has no callers would be a way around the signatures.
    let served = |design: &&Arc<Design>| !signed || has_callers(arguments, design);
    let files = arguments.designs.iter().map(PathBuf::as_path);
    let designs_served = designs.iter().zip(files).filter(|(design, _)| served(design));
    let designs_served = designs_served.map(|(design, file)| (Arc::clone(design), file)).collect();
    let console = arguments.console.permission().filter(|_| !signed);
    let server = Mounted {
        designs: designs_served,
        environment,
        database: &database,
        workers: &workers,
        cursor_key,
        authority,
        console,
        with_examples: false,
    }
    .on(server)?;
    if arguments.accept_sse && database.key_arn().is_none() {
        tracing::warn!("requests for encryption are accepted, but nothing in this folder is encrypted");
    }
    let announced = announce(arguments, server.address());
    greet(arguments, designs, server.address(), signed, database.key_arn().is_some())
        .map_err(ServeFailure::System)?;

    until_stopped(server, &database, workers, signals).await?;
    drop(announced);
    tracing::info!("stopped");
    Ok(())
}

/// Serves a database until a signal comes, and closes it.
pub(super) async fn until_stopped(
    server: Server,
    database: &Database,
    workers: Workers,
    mut signals: Signals,
) -> Result<(), Failure> {
    let service = Service::new(database.clone()).with_endpoint(&reachable(server.address()).to_string());
    let service = workers.beside(service);
    let stopped = server.run(service, async {
        signals.next().await;
        tracing::info!("stopping: running requests may finish; a second signal ends at once");
        tokio::spawn(async move {
            signals.next().await;
            std::process::exit(1);
        });
    });
    let cut_off = stopped.await.cut_off;
    if cut_off > 0 {
        tracing::warn!(cut_off, "connections were cut off because they did not finish in time");
    }
    workers.stop();
    database.close().map_err(ServeFailure::Close)?;
    Ok(())
}

/// Makes the tables of a design match it, and logs what was done. Returns the name of the environment.
pub(super) async fn apply_design(
    design: &Design,
    environment: Option<&str>,
    store: &Embedded,
) -> Result<String, Failure> {
    let environment = apply::choose_environment(design, environment)?;
    let plan = apply::plan(design, &environment, store).await?;
    for note in &plan.notes {
        tracing::warn!(design = design.name, "{note}");
    }
    for outdated in plan.outdated.iter().filter(|outdated| outdated.accepted) {
        tracing::warn!(design = design.name, "{outdated}: {}", outdated.reasons.join("; "));
    }
    plan.check()?;
    // A server is started by scripts and by the system: there is nobody to ask.
    let deletions: Vec<String> = plan.deletions().map(ToString::to_string).collect();
    if !deletions.is_empty() {
        return Err(Failure::Refused(format!(
            "a server deletes nothing when it starts, and {} would {}: run `singlet apply` on the folder first",
            design.name,
            deletions.join(", ")
        )));
    }
    plan.run(store, &mut |progress| {
        if progress.asked == 0 {
            tracing::info!(design = design.name, environment = environment.name, "{}", progress.step);
        }
    })
    .await?;
    Ok(environment.name)
}

fn server_options(arguments: &ServeArguments) -> Result<Options, ServeFailure> {
    let credentials = match &arguments.credentials {
        Some(path) => Some(Credentials::from_file(path)?),
        None => Credentials::from_environment(|name| std::env::var(name).ok())?,
    };
    let tls = arguments.tls_cert.clone().zip(arguments.tls_key.clone());
    let standard = Options::default();
    Ok(Options {
        address: arguments.address.clone(),
        host_names: arguments.host.clone(),
        region: arguments.region.clone(),
        credentials,
        tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
        cors_origin: arguments.cors.clone(),
        metrics_public: arguments.metrics_public,
        threads: arguments.threads.map_or(standard.threads, usize::from),
        limits: limits(arguments),
        ..standard
    })
}

fn limits(arguments: &ServeArguments) -> Limits {
    let connections_max = descriptors::connections_max(arguments.connections_max, descriptors::raise_limit());
    if arguments.connections_max.is_some_and(|asked| asked as usize > connections_max) {
        tracing::warn!(connections_max, "the system permits fewer open files than --connections-max needs");
    }
    let memory_bytes = memory::total_bytes();
    let traffic_bytes =
        arguments.traffic_memory.map_or_else(|| memory::traffic_bytes(memory_bytes), |size| size.bytes);
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    Limits {
        connections_max,
        connections_per_address_max: arguments.connections_per_address.map(|count| count as usize),
        bodies_bytes_max: traffic_bytes,
        parsed_bytes_max: traffic_bytes,
        answers_bytes_max: traffic_bytes,
        idle_timeout: seconds(arguments.idle_seconds),
        body_timeout: seconds(arguments.body_seconds),
        answer_timeout: seconds(arguments.answer_seconds),
        ..Limits::default()
    }
}

/// The folder that stands for the buckets.
fn buckets(arguments: &ServeArguments) -> Result<Option<Arc<dyn Buckets>>, ServeFailure> {
    let Some(folder) = &arguments.buckets else { return Ok(None) };
    let opened = FolderBuckets::open(folder);
    let opened =
        opened.map_err(|reason| ServeFailure::Buckets { folder: folder.display().to_string(), reason })?;
    Ok(Some(Arc::new(opened)))
}

fn open(arguments: &ServeArguments, key: Option<Key>, connections_max: usize) -> Result<Database, Failure> {
    let memory_bytes = memory::total_bytes();
    let standard = StoreOptions::default();
    let options = singlet_engine::Options {
        buckets: buckets(arguments)?,
        region: arguments.region.clone(),
        store: arguments.loss.apply(StoreOptions {
            cache_bytes: arguments
                .cache_size
                .map_or_else(|| memory::cache_bytes(memory_bytes), |size| size.bytes),
            overlay_bytes_max: arguments
                .overlay_size
                .map_or_else(|| memory::overlay_bytes(memory_bytes), |size| size.bytes)
                // The option is half of the limit; see its help.
                .saturating_mul(2),
            sync: match arguments.durability {
                Durability::Full => SyncPolicy::EveryBatch,
                Durability::None => SyncPolicy::Never,
            },
            disk_reserve_bytes: arguments.disk_reserve.map(|size| size.bytes as u64),
            clock_settle_ms: u64::from(arguments.clock_settle_seconds) * 1000,
            // A place for each connection's write: no thread that answers requests ever waits for one.
            queue_jobs_max: standard.queue_jobs_max.max(connections_max.saturating_add(64)),
            key,
            ..standard
        }),
        backups: arguments.backup,
        conflicts: match arguments.transaction_conflicts {
            TransactionConflicts::Refuse => Conflicts::Refuse,
            TransactionConflicts::Wait => Conflicts::Wait,
        },
        accept_sse: arguments.accept_sse,
        streams: StreamOptions {
            shard_life_ms: u64::from(arguments.stream_shard_seconds) * 1000,
            ..StreamOptions::default()
        },
        ..singlet_engine::Options::default()
    };
    if arguments.in_memory {
        return Database::in_memory_with(options).map_err(|error| Failure::Refused(error.to_string()));
    }
    open_folder(&arguments.data, Purpose::Server, true, options)
}

/// Whether the API of a design knows its callers by tokens.
fn has_callers(arguments: &ServeArguments, design: &Design) -> bool {
    arguments.callers.keys.is_some() && design.callers.is_some()
}

/// Leaves the address in the data folder, for commands that find the folder in use.
fn announce(arguments: &ServeArguments, address: SocketAddr) -> Option<Announced> {
    if arguments.in_memory {
        return None;
    }
    let written = Announced::write(&arguments.data, &endpoint_url(arguments, address));
    written
        .inspect_err(
            |error| tracing::warn!(%error, "the server's address can't be written into the data folder"),
        )
        .ok()
}

/// The address for clients on this machine.
fn endpoint_url(arguments: &ServeArguments, address: SocketAddr) -> String {
    let scheme = if arguments.tls_cert.is_some() { "https" } else { "http" };
    format!("{scheme}://{}", reachable(address))
}

/// Says where the server is, where the data is, and how to try it.
fn greet(
    arguments: &ServeArguments,
    designs: &[Arc<Design>],
    address: SocketAddr,
    signed: bool,
    encrypted: bool,
) -> io::Result<()> {
    let scheme = if arguments.tls_cert.is_some() { "https" } else { "http" };
    let data = match (arguments.in_memory, arguments.durability) {
        (true, _) => "in memory: gone when the server stops".to_owned(),
        (false, Durability::Full) => format!("in {}", folder(arguments)),
        (false, Durability::None) => {
            format!("in {}, the last moments of it lost if the machine goes down", folder(arguments))
        }
    };
    let keys = if signed { "" } else { "AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any " };
    let endpoint = endpoint_url(arguments, address);
    let region = &arguments.region;
    let mut text = format!("Singlet {} listens on {scheme}://{address}\n", env!("CARGO_PKG_VERSION"));
    let encrypted = if encrypted { ", encrypted" } else { "" };
    text += &format!("Data {data}{encrypted}\n");
    text += &format!("Try: {keys}aws dynamodb list-tables --region {region} --endpoint-url {endpoint}\n");
    for (design, file) in designs.iter().zip(&arguments.designs) {
        let run = format!("singlet run {} PATTERN --endpoint-url {endpoint}", file.display());
        text += &format!("Design {}: {run} ({} patterns)\n", design.name, design.patterns.len());
        let callers = match (signed, has_callers(arguments, design)) {
            (_, true) => "for callers with a token",
            (false, false) if design.callers.is_some() => {
                "for callers on this machine, who say who they are in the header Singlet-As"
            }
            (false, false) => "for callers on this machine",
            (true, false) => continue,
        };
        text += &format!("API {}: {endpoint}/{}, {callers}\n", design.name, design.name);
    }
    if !designs.is_empty() && signed {
        text += "Console: off, and so is the API of designs without [caller] or --caller-keys, because they can't check \
                 the credentials\n";
    } else if !designs.is_empty() && arguments.console != ConsoleMode::Off {
        text += &format!("Console: {endpoint}/console/\n");
    }
    // In one piece, so that a reader who stops after the first lines doesn't stop the server.
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// The data folder's whole path, if the system tells.
fn folder(arguments: &ServeArguments) -> String {
    if arguments.in_memory {
        return "memory".to_owned();
    }
    let path = arguments.data.canonicalize().unwrap_or_else(|_| arguments.data.clone());
    path.display().to_string()
}

/// An address that a client on this machine can use: nobody can connect to "every address".
fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port()),
        _ => address,
    }
}
