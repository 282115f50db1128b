//! The plan that a seed stands for: the scenario, the clients, the sizes of everything.

use std::fmt;
use std::time::Duration;

use clap::ValueEnum;
use singlet_engine_simulated::store::StoreOptions;
use singlet_engine_simulated::{Conflicts, Key, Options, StreamOptions};
use singlet_scheduler::{Random, Settings};

/// The scenario of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// Nothing but the clock and the order of threads.
    Calm,
    /// The power goes, or the process is killed, several times.
    Cuts,
    /// Single operations fail, the disk fills up, and the power goes in the end.
    Failures,
    /// Some syncs say that they succeeded and do nothing, then the power goes.
    Lies,
    /// A bit turns while the database is closed.
    Flips,
    /// Bits turn while the database is closed and while it is open, and it goes on.
    Rot,
    /// A file, or the end of the log, goes missing while the database is closed.
    Losses,
}

/// Cuts are what most is to be learned from.
const SCENARIOS: [Scenario; 12] = [
    Scenario::Calm,
    Scenario::Cuts,
    Scenario::Cuts,
    Scenario::Cuts,
    Scenario::Cuts,
    Scenario::Cuts,
    Scenario::Failures,
    Scenario::Failures,
    Scenario::Lies,
    Scenario::Flips,
    Scenario::Rot,
    Scenario::Losses,
];

/// All that a seed decides in advance.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The scenario of faults.
    pub scenario: Scenario,
    /// How often the database is opened for clients.
    pub lives: u64,
    /// Clients at once.
    pub clients: u64,
    /// Operations of each client and life.
    pub operations: u64,
    /// Items have keys below this.
    pub keys: u8,
    /// The largest padding of items.
    pub padding_max: u16,
    /// A life has at most so many operations of the disk before something happens.
    pub disk_operations: u64,
    /// Whether the folder is encrypted.
    pub is_encrypted: bool,
    /// Sizes of the store.
    pub store: StoreOptions,
    /// The treatment of a write that meets a transaction.
    pub conflicts: Conflicts,
    /// How streams are cut.
    pub streams: StreamOptions,
}

impl Plan {
    /// The plan of a seed; a scenario may be given.
    pub fn draw(random: &mut Random, scenario: Option<Scenario>) -> Plan {
        // Drawn in any case, so that a seed does the same with and without it being named.
        let drawn = random.pick(&SCENARIOS).unwrap_or(Scenario::Cuts);
        let scenario = scenario.unwrap_or(drawn);
        let lives = match scenario {
            Scenario::Calm | Scenario::Flips | Scenario::Rot | Scenario::Losses => 1 + random.below(2),
            Scenario::Cuts | Scenario::Failures => 1 + random.below(4),
            Scenario::Lies => 1,
        };
        let is_encrypted = random.one_in(4);
        let store = StoreOptions {
            overlay_bytes_max: 2 << (10 + random.below(5)),
            fold_part_entries: 1 << random.below(8),
            cache_bytes: 1 << 20,
            segment_bytes: 8192 << random.below(3),
            batch_jobs_max: 1 + random.index(8),
            queue_jobs_max: 1 + random.index(8),
            reach_interval: Duration::from_micros(
                random.pick(&[0, 100, 10_000, 1_000_000]).unwrap_or_default(),
            ),
            key: is_encrypted.then(|| Key::from_bytes([7; 32])),
            ..StoreOptions::default()
        };
        Plan {
            scenario,
            lives,
            clients: 1 + random.below(4),
            operations: 4 + random.below(24),
            keys: 1 + u8::try_from(random.below(11)).unwrap_or_default(),
            padding_max: [0, 100, 600].get(random.index(3)).copied().unwrap_or_default(),
            disk_operations: 20 + [60, 400, 1_200].get(random.index(3)).copied().unwrap_or_default(),
            is_encrypted,
            store,
            conflicts: if random.one_in(3) { Conflicts::Wait } else { Conflicts::Refuse },
            streams: StreamOptions {
                shards: 1 + u32::try_from(random.below(3)).unwrap_or_default(),
                shard_life_ms: 20_000 + random.below(200_000),
                shard_records_max: 5 + random.below(100),
                open_shards_max: 8,
            },
        }
    }

    /// How threads take turns.
    pub fn settings(seed: u64, random: &mut Random) -> Settings {
        let switch_one_in = [1, 2, 4, 8, 32].get(random.index(5)).copied().unwrap_or(4);
        Settings { switch_one_in, jump_one_in: 50 + random.below(400), ..Settings::new(seed) }
    }

    /// Options of the database, without the clock.
    pub fn options(&self) -> Options {
        Options {
            store: self.store.clone(),
            conflicts: self.conflicts,
            streams: self.streams,
            ..Options::default()
        }
    }
}

impl fmt::Display for Scenario {
    /// As the command line has it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_possible_value().map_or(Ok(()), |value| formatter.write_str(value.get_name()))
    }
}
