//! The console with the designs of the repository and sample data, in memory.
//!
//! ```console
//! $ cargo run -p singlet-console --example console
//! the console is at http://127.0.0.1:8080/console/
//! ```
//!
//! An argument is another address to listen on; `127.0.0.1:0` takes any free port.

use std::error::Error;
use std::io::{Write, stdout};
use std::sync::Arc;

use singlet_console::{BASE, Permission, Served, router};
use singlet_engine::{Database, UpdateRecovery};
use singlet_run::seed::{SeedOptions, Seeder, plant};
use singlet_run::{Runner, apply};
use singlet_store::{Clock, Embedded, SystemClock};

const DESIGNS: [(&str, &str); 5] = [
    ("designs/social.toml", include_str!("../../../designs/social.toml")),
    ("designs/shop.toml", include_str!("../../../designs/shop.toml")),
    ("designs/smart-cooking.toml", include_str!("../../../designs/smart-cooking.toml")),
    ("designs/nishiki.toml", include_str!("../../../designs/nishiki.toml")),
    ("designs/sensors.toml", include_str!("../../../designs/sensors.toml")),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    let database = Database::in_memory()?;
    let mut designs = Vec::new();
    for (file, source) in DESIGNS {
        designs.push(served(&database, file, source).await?);
    }
    let address = listener.local_addr()?;
    writeln!(stdout().lock(), "the console is at http://{address}{BASE}")?;
    axum::serve(listener, router(designs, Permission::Write)).await?;
    Ok(())
}

/// A design with its tables, filled with sample data.
async fn served(database: &Database, file: &str, source: &str) -> Result<Served<Embedded>, Box<dyn Error>> {
    let design = Arc::new(singlet_design::load(file, source)?);
    let environment = apply::choose_environment(&design, None)?;
    let store = Embedded::new(database.clone(), "memory");
    apply::plan(&design, &environment, &store).await?.run(&store, &mut |_| {}).await?;
    // The past of every table can be looked at.
    for table in &design.tables {
        database.update_recovery(UpdateRecovery::on(table.name_in(&environment.name)))?;
    }
    let options = SeedOptions { items: 400, seed: 1, now_ms: SystemClock.now_ms() };
    plant(Seeder::new(&design, options), &store, &environment.name, &mut |_| {}).await?;
    Ok(Served::new(Runner::new(design, store, environment.name), file))
}
