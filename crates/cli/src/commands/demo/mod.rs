//! `singlet demo`: the designs of the repository with sample data, on one address.

mod fill;
mod folder;

use std::io::{Write, stdout};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_console::Permission;
use singlet_design::Design;
use singlet_engine::{Options as DatabaseOptions, StoreOptions, SyncPolicy};
use singlet_server::{Options, Server, StartError};
use singlet_store::Embedded;

use self::folder::{Folder, Summary};
use super::serve::{apply_design, until_stopped};
use crate::arguments::{DemoArguments, LogFormat, LogLevel};
use crate::counted::counted;
use crate::derivations::Workers;
use crate::endpoint::Announced;
use crate::examples::{BASE, EXAMPLES};
use crate::failure::{Failure, ServeFailure};
use crate::mounted::{Mounted, check_names};
use crate::shell::{command_line, word};
use crate::signals::Signals;
use crate::style::{FAINT, HEAD, styled};
use crate::target::{Purpose, open_folder};
use crate::{archive, cursor_key, logging};

/// The port unless another one is given.
const PORT: u16 = 8000;

/// A design that the program carries with it.
struct Carried {
    name: &'static str,
    text: &'static str,
    /// How many items it gets.
    items: u64,
}

const DESIGNS: [Carried; 5] = [
    Carried { name: "social", text: include_str!("../../../../../designs/social.toml"), items: 400 },
    Carried { name: "shop", text: include_str!("../../../../../designs/shop.toml"), items: 400 },
    Carried {
        name: "smart-cooking",
        text: include_str!("../../../../../designs/smart-cooking.toml"),
        items: 800,
    },
    Carried { name: "nishiki", text: include_str!("../../../../../designs/nishiki.toml"), items: 200 },
    Carried { name: "sensors", text: include_str!("../../../../../designs/sensors.toml"), items: 400 },
];

/// Starts the demo and serves it until a signal ends it.
pub(crate) fn demo(arguments: &DemoArguments) -> Result<(), Failure> {
    logging::start(LogLevel::Warn, LogFormat::Text);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeFailure::System)?;
    runtime.block_on(run(arguments))
}

async fn run(arguments: &DemoArguments) -> Result<(), Failure> {
    let mut signals = Signals::listen().map_err(ServeFailure::System)?;
    // The address first: a demo that can't have it must not create anything.
    let server = bind(arguments.port).await?;
    let folder = Folder::open(arguments.path.as_deref())?;
    if !folder.is_filled() {
        fill::fill(&folder, &mut signals).await?;
    }
    let designs = folder.designs()?;
    let database = open_folder(&folder.data(), Purpose::Demo, false, options(&folder))?;
    let archive = archive::base(arguments.archive.as_deref(), Some(&folder.data()));
    let mut workers = Workers::default();
    for (_, design) in &designs {
        let store = Embedded::new(database.clone(), folder.data().display().to_string());
        let environment = apply_design(design, None, &store).await?;
        workers.start(store, design, &environment, archive.as_deref()).await?;
    }
    let served: Vec<Arc<Design>> = designs.iter().map(|(_, design)| Arc::clone(design)).collect();
    check_names(&served)?;
    let files: Vec<PathBuf> = designs.iter().map(|(name, _)| folder.design_file(name)).collect();
    let mounted = Mounted {
        authority: singlet_api::Authority::of_this_machine(),
        designs: served.into_iter().zip(files.iter().map(PathBuf::as_path)).collect(),
        environment: None,
        database: &database,
        workers: &workers,
        cursor_key: cursor_key::of_folder(&folder.data())?,
        console: Some(Permission::Write),
        with_examples: true,
    };
    let server = mounted.on(server)?;
    let address = server.address();
    // Only a hint for commands that find the folder in use.
    let announced = Announced::write(&folder.data(), &format!("http://{address}")).ok();
    greet(&folder, &designs, address, arguments.port.is_none())?;
    until_stopped(server, &database, workers, signals).await?;
    drop(announced);
    let end = folder.end();
    folder.delete()?;
    writeln!(stdout().lock(), "\n{end}")?;
    Ok(())
}

/// The options of the database. A temporary folder doesn't outlive the process, so it needn't survive a power failure.
fn options(folder: &Folder) -> DatabaseOptions {
    let sync = if folder.is_temporary() { SyncPolicy::Never } else { SyncPolicy::EveryBatch };
    DatabaseOptions { store: StoreOptions { sync, ..StoreOptions::default() }, ..DatabaseOptions::default() }
}

/// Listens on the port; without one on the usual port, or on any that is free.
async fn bind(port: Option<u16>) -> Result<Server, Failure> {
    let at = |port: u16| Options { address: format!("127.0.0.1:{port}"), ..Options::default() };
    let bound = Server::bind(at(port.unwrap_or(PORT))).await;
    match bound {
        Err(StartError::InUse { .. }) if port.is_none() => {
            Ok(Server::bind(at(0)).await.map_err(ServeFailure::Start)?)
        }
        Err(StartError::InUse { address, .. }) => Err(Failure::Refused(format!(
            "{address} is in use by another program\nleave out --port to have the demo choose a free port"
        ))),
        other => Ok(other.map_err(ServeFailure::Start)?),
    }
}

/// Says what there is, where it is and what to try.
fn greet(
    folder: &Folder,
    designs: &[(&str, Arc<Design>)],
    address: SocketAddr,
    chose_port: bool,
) -> Result<(), Failure> {
    let Summary { items, calls } = folder.summary();
    let mut text = String::new();
    if chose_port && address.port() != PORT {
        text += &format!("Port {PORT} is in use, so the demo chose port {}.\n\n", address.port());
    }
    let (count, items) = (designs.len(), counted(items, "item"));
    text += &format!("{}\n\n", styled(HEAD, &format!("Singlet demo: {count} designs with {items}")));
    let width = designs.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, design) in designs {
        text += &format!("  {name:width$}  {}\n", design.about.as_deref().unwrap_or_default());
    }
    let fate = if folder.is_temporary() { "deleted when the demo stops" } else { "kept" };
    text += &format!("\n{}  http://{address} for any DynamoDB client\n", styled(HEAD, "Address"));
    text += &format!("{}  http://{address}/console/ in a browser\n", styled(HEAD, "Console"));
    text += &format!(
        "{}      http://{address}/{{design}} as JSON, documented at /{{design}}/docs\n",
        styled(HEAD, "API")
    );
    for (at, example) in EXAMPLES.iter().enumerate() {
        let head = if at == 0 { styled(HEAD, "Examples") } else { " ".repeat("Examples".len()) };
        text += &format!("{head} http://{address}{BASE}{}/ {}\n", example.name, example.about);
    }
    text += &format!("{}   {} ({fate})\n", styled(HEAD, "Folder"), folder.path().display());
    text += &format!("{}     Ctrl-C\n", styled(HEAD, "Stop"));
    let (program, place) = program();
    text += &format!("\n{}\n", styled(HEAD, &format!("Try in another terminal{place}:")));
    for call in &calls {
        let file = folder.design_file(&call.design).display().to_string();
        let endpoint = format!("http://{address}");
        let words = [program.as_str(), &call.command, &file, &call.pattern].into_iter();
        let words = words.chain(call.arguments.iter().map(String::as_str));
        let line = command_line(words.chain(["--endpoint-url", &endpoint]));
        text += &format!("\n  {}\n  {line}\n", styled(FAINT, &format!("# {}", call.about)));
    }
    // In one piece, so that a reader who stops after the first lines doesn't stop the server.
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// The program as a shell finds it, and where it does so.
fn program() -> (String, String) {
    let called = std::env::args().next().unwrap_or_default();
    let is_relative = Path::new(&called).is_relative();
    match std::env::current_dir() {
        // A name without a folder is found by the PATH.
        _ if !called.contains(std::path::MAIN_SEPARATOR) => ("singlet".to_owned(), String::new()),
        Ok(folder) if is_relative => (called, format!(", in {}", word(&folder.display().to_string()))),
        _ => (called, String::new()),
    }
}
