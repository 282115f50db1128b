//! The database that a command works on: a folder, memory, or an endpoint.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use singlet_design::{Design, Entity, Environment};
use singlet_dynamodb::{Connection, DynamoDb};
use singlet_engine::{Buckets, Database, Error, Options, StoreOptions};
use singlet_run::{RunError, Wait, apply};
use singlet_store::{Either, Embedded, StoreError};

use crate::arguments::{FolderArguments, LossArguments, StoreArguments};
use crate::failure::Failure;
use crate::style::report;
use crate::{archive, cursor_key, endpoint};

/// The folder when nothing else is said.
const DEFAULT_FOLDER: &str = "./singlet-data";
/// Where the AWS tools look for the address of an endpoint.
const ADDRESS_VARIABLES: [&str; 2] = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"];

/// How long a command waits for another one that has the folder open.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// The pause between two attempts to open a folder.
const PAUSE: Duration = Duration::from_millis(20);

/// Where a command works.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Folder(PathBuf),
    Memory,
    Endpoint,
}

impl Place {
    /// The place that the arguments name, or else the environment variables.
    fn of(arguments: &StoreArguments, variable: impl Fn(&str) -> Option<String>) -> Place {
        if arguments.in_memory {
            return Place::Memory;
        }
        if let Some(folder) = &arguments.data {
            return Place::Folder(folder.clone());
        }
        let said = arguments.remote
            || arguments.endpoint_url.is_some()
            || arguments.region.is_some()
            || arguments.profile.is_some();
        let meant =
            || ADDRESS_VARIABLES.iter().any(|name| variable(name).is_some_and(|text| !text.is_empty()));
        if said || meant() { Place::Endpoint } else { Place::Folder(PathBuf::from(DEFAULT_FOLDER)) }
    }
}

/// A store of either kind that a command can open.
pub(crate) type AnyStore = Either<Embedded, DynamoDb>;

/// An open database.
pub(crate) struct Target {
    store: AnyStore,
    /// To be closed at the end, so that the next command opens it at once.
    database: Option<Database>,
    place: Place,
    /// The folder of all archives.
    archive: Option<PathBuf>,
}

/// Returns the folder of all archives that the arguments mean.
pub(crate) fn archive_base(arguments: &StoreArguments) -> Option<PathBuf> {
    let data = match Place::of(arguments, |name| std::env::var(name).ok()) {
        Place::Folder(folder) => Some(folder),
        Place::Memory | Place::Endpoint => None,
    };
    archive::base(arguments.archive.as_deref(), data.as_deref())
}

impl Target {
    /// Opens what the arguments say; a folder must be there unless `create` is set.
    pub(crate) fn open(arguments: &StoreArguments, create: bool) -> Result<Target, Failure> {
        let place = Place::of(arguments, |name| std::env::var(name).ok());
        let (store, database) = match &place {
            Place::Folder(folder) => {
                let store = arguments
                    .loss
                    .apply(StoreOptions { key: arguments.key.key()?, ..StoreOptions::default() });
                let options = Options { store, ..Options::default() };
                let database = open_folder(folder, Purpose::Design, create, options)?;
                let store = Embedded::new(database.clone(), folder.display().to_string());
                (Either::First(store), Some(database))
            }
            Place::Memory => {
                let database = Database::in_memory().map_err(|error| Failure::Refused(error.to_string()))?;
                (Either::First(Embedded::new(database.clone(), "memory")), Some(database))
            }
            Place::Endpoint => (Either::Second(connect(arguments)?), None),
        };
        Ok(Target { store, database, place, archive: archive_base(arguments) })
    }

    /// Opens what the arguments say to look at it only. A folder without data isn't made, but taken for empty.
    pub(crate) fn to_plan(arguments: &StoreArguments) -> Result<Target, Failure> {
        let place = Place::of(arguments, |name| std::env::var(name).ok());
        match &place {
            Place::Folder(folder) if !has_data(folder)? => {
                let database = Database::in_memory().map_err(|error| Failure::Refused(error.to_string()))?;
                let store = Embedded::new(database.clone(), folder.display().to_string());
                Ok(Target { store: Either::First(store), database: Some(database), place, archive: None })
            }
            _ => Target::open(arguments, false),
        }
    }

    /// Opens what the arguments say for a pattern of a design. An empty database in memory gets the design's tables.
    pub(crate) fn for_design(
        arguments: &StoreArguments,
        design: &Design,
        environment: &Environment,
    ) -> Result<Target, Failure> {
        let target = Target::open(arguments, false)?;
        if target.place == Place::Memory {
            let plan = apply::plan(design, environment, target.store()).wait()?;
            plan.run(target.store(), &mut |_| {}).wait()?;
        }
        Ok(target)
    }

    /// The database.
    pub(crate) fn store(&self) -> &AnyStore {
        &self.store
    }

    /// The folder of all archives.
    pub(crate) fn archive(&self) -> Option<&Path> {
        self.archive.as_deref()
    }

    /// The database, if this process has it open.
    pub(crate) fn embedded(&self) -> Option<Embedded> {
        match &self.store {
            Either::First(store) => Some(store.clone()),
            Either::Second(_) => None,
        }
    }

    /// Says on the standard error which items may be missed, because they were written under another design.
    pub(crate) fn warn(&self, design: &Design, environment: &Environment, entities: &[&Arc<Entity>]) {
        for warning in apply::warnings(design, &environment.name, self.store(), entities).wait() {
            anstream::eprintln!("{}", report(&format!("warning: {warning}")));
        }
    }

    /// The same for the entities of a pattern that was run. A store that gave no answer isn't asked again.
    pub(crate) fn warn_of<T>(
        &self,
        design: &Design,
        environment: &Environment,
        pattern: &str,
        outcome: &Result<T, RunError>,
    ) {
        let is_reachable = !matches!(outcome, Err(RunError::Store(StoreError::Unavailable(_))));
        if let (true, Some(pattern)) = (is_reachable, design.pattern(pattern)) {
            self.warn(design, environment, &pattern.entities());
        }
    }

    /// The key that authenticates cursors here, so that they hold from one command to the next.
    pub(crate) fn cursor_key(&self) -> Result<[u8; 32], Failure> {
        match &self.place {
            Place::Folder(folder) => cursor_key::of_folder(folder),
            Place::Memory => Ok(cursor_key::new_key()),
            Place::Endpoint => cursor_key::of_user(),
        }
    }

    /// Finishes all writes.
    pub(crate) fn close(self) -> Result<(), Failure> {
        match self.database {
            Some(database) => database.close().map_err(|error| Failure::Refused(error.to_string())),
            None => Ok(()),
        }
    }
}

/// The advice for a folder that another command has open.
const WAIT_FOR_COMMAND: &str = "If it is another command, run this one again when that one has ended.";

/// The command that a folder is opened for. It decides what to do instead if another process has the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Patterns, plans and samples: a server can do them too.
    Design,
    Backups,
    Transfer,
    Server,
    Demo,
}

impl Purpose {
    /// The advice while another process has the folder open.
    fn instead(self, folder: &Path) -> String {
        let known = endpoint::of_folder(folder);
        let address = known.as_deref().unwrap_or(endpoint::USUAL);
        match (self, &known) {
            (Purpose::Design, Some(_)) => {
                format!("A server answers for it: add `--endpoint-url {address}` instead of --data")
            }
            (Purpose::Design, None) => format!(
                "If it is another command, run this one again when that one has ended. If it is `singlet serve`, add the \
                 address that it printed when it started, such as `--endpoint-url {address}`"
            ),
            (Purpose::Server, Some(_)) => {
                format!(
                    "Stop that process, use its address {address}, or choose another folder with --data DIR"
                )
            }
            (Purpose::Server, None) => {
                "Stop that process or wait for its end, or choose another folder with --data DIR".to_owned()
            }
            (Purpose::Demo, Some(_)) => {
                format!(
                    "A demo is running on it at {address}; stop it first, or name another folder with --path"
                )
            }
            (Purpose::Demo, None) => {
                "A demo is being started in it; wait for it, or name another folder with --path".to_owned()
            }
            (Purpose::Backups, _) => format!(
                "{WAIT_FOR_COMMAND} If it is `singlet serve`, ask it:\n  aws dynamodb create-backup --table-name TABLE --backup-name NAME \
                 --endpoint-url {address}\n  aws dynamodb list-backups --endpoint-url {address}\n  aws dynamodb \
                 restore-table-from-backup --target-table-name NEW --backup-arn ARN --endpoint-url {address}"
            ),
            (Purpose::Transfer, _) => format!(
                "{WAIT_FOR_COMMAND} If it is `singlet serve`, ask it:\n  aws dynamodb export-table-to-point-in-time --table-arn ARN \
                 --s3-bucket NAME --endpoint-url {address}\n  aws dynamodb import-table --endpoint-url {address} …\nIt \
                 must have been started with --buckets DIR"
            ),
        }
    }

    /// The message for a folder that doesn't exist.
    fn missing(self, folder: &Path) -> String {
        let folder = folder.display();
        match self {
            Purpose::Design => format!(
                "there is no data in {folder}\n`singlet apply FILE --data {folder}` creates the tables of a design there; \
                 --in-memory tries it out without a folder"
            ),
            _ => format!("there is no data in {folder}; name its folder with --data DIR"),
        }
    }
}

/// Returns whether a folder has data. A file in its place is refused.
pub(crate) fn has_data(folder: &Path) -> Result<bool, Failure> {
    if folder.exists() && !folder.is_dir() {
        let folder = folder.display();
        return Err(Failure::Refused(format!(
            "{folder} is a file, and data needs a folder; name another one"
        )));
    }
    Database::is_in(folder).map_err(|reason| Failure::unreadable(folder, reason))
}

/// Opens a folder, and waits a moment if another process has it open: commands come to their end. A server stays, so
/// nobody waits for one that left its address.
pub(crate) fn in_turn<T>(folder: &Path, mut open: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    let began = Instant::now();
    loop {
        match open() {
            Err(Error::FolderInUse { .. })
                if began.elapsed() < WAIT_MAX && endpoint::of_folder(folder).is_none() =>
            {
                std::thread::park_timeout(PAUSE);
            }
            outcome => return outcome,
        }
    }
}

/// Opens a data folder. It must have data unless `create` is set.
pub(crate) fn open_folder(
    folder: &Path,
    purpose: Purpose,
    create: bool,
    options: Options,
) -> Result<Database, Failure> {
    if !has_data(folder)? && !create {
        return Err(Failure::Refused(purpose.missing(folder)));
    }
    let opened = in_turn(folder, || Database::open_with(folder, options.clone()));
    if opened.is_ok() {
        // Nobody else has the folder now, so an address in it is that of a server that was killed.
        endpoint::forget(folder);
    }
    opened.inspect(LossArguments::tell).map_err(|error| match error {
        Error::FolderInUse { .. } => {
            Failure::InUse { folder: folder.display().to_string(), instead: purpose.instead(folder) }
        }
        reason => Failure::Refused(format!("can't open the data in {}: {reason}", folder.display())),
    })
}

/// Opens the folder that the arguments name, for a command that works on folders only.
pub(crate) fn open_place(
    place: &FolderArguments,
    purpose: Purpose,
    create: bool,
    buckets: Option<Arc<dyn Buckets>>,
) -> Result<Database, Failure> {
    let store = place.loss.apply(StoreOptions { key: place.key.key()?, ..StoreOptions::default() });
    open_folder(&place.data, purpose, create, Options { store, buckets, ..Options::default() })
}

fn connect(arguments: &StoreArguments) -> Result<DynamoDb, Failure> {
    // The SDK knows the variables, but only an address that is given lets this machine do without credentials.
    let address =
        ADDRESS_VARIABLES.iter().find_map(|name| std::env::var(name).ok().filter(|text| !text.is_empty()));
    let endpoint_url = arguments.endpoint_url.clone().or(address);
    if let Some(address) = endpoint_url.as_deref().filter(|address| !has_scheme(address)) {
        return Err(Failure::Arguments(format!(
            "the address `{address}` has no `http://` or `https://`: write `http://{address}`, or `https://{address}` \
             if the connection is encrypted"
        )));
    }
    let connection =
        Connection { endpoint_url, region: arguments.region.clone(), profile: arguments.profile.clone() };
    Ok(DynamoDb::connect(&connection).wait())
}

fn has_scheme(address: &str) -> bool {
    let scheme = address.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::KeyArguments;

    #[test]
    fn a_command_waits_for_another_one_to_leave_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let first = Database::open(folder.path()).unwrap();
        let mut attempts = 0;
        let mut holder = Some(first);
        let opened = in_turn(folder.path(), || {
            attempts += 1;
            let opened = Database::open(folder.path());
            if attempts == 3 {
                drop(holder.take().map(|first| first.close()));
            }
            opened
        });
        assert!(opened.is_ok() && attempts > 3, "{attempts}");
    }

    #[test]
    fn nobody_waits_for_a_server() {
        let folder = tempfile::tempdir().unwrap();
        let _database = Database::open(folder.path()).unwrap();
        let _announced = endpoint::Announced::write(folder.path(), "http://127.0.0.1:1").unwrap();
        let mut attempts = 0;
        let opened = in_turn(folder.path(), || {
            attempts += 1;
            Database::open(folder.path())
        });
        assert!(opened.is_err() && attempts == 1, "{attempts}");
    }

    fn nothing() -> StoreArguments {
        StoreArguments {
            data: None,
            archive: None,
            key: KeyArguments::default(),
            loss: LossArguments::default(),
            in_memory: false,
            endpoint_url: None,
            remote: false,
            region: None,
            profile: None,
            environment: None,
        }
    }

    #[test]
    fn what_is_said_goes_before_what_the_environment_says() {
        let (empty, set) = (|_: &str| None, |_: &str| Some("http://127.0.0.1:8000".to_owned()));
        let folder = StoreArguments { data: Some("x".into()), ..nothing() };
        let address = StoreArguments { endpoint_url: Some("http://127.0.0.1:1".to_owned()), ..nothing() };
        assert_eq!(Place::of(&nothing(), empty), Place::Folder("./singlet-data".into()));
        assert_eq!(Place::of(&nothing(), set), Place::Endpoint);
        assert_eq!(Place::of(&folder, set), Place::Folder("x".into()));
        assert_eq!(Place::of(&StoreArguments { in_memory: true, ..nothing() }, set), Place::Memory);
        assert_eq!(Place::of(&address, empty), Place::Endpoint);
        assert_eq!(Place::of(&StoreArguments { remote: true, ..nothing() }, empty), Place::Endpoint);
        assert_eq!(Place::of(&nothing(), |_| Some(String::new())), Place::Folder("./singlet-data".into()));
    }
}
