//! Running a seed.

use singlet_engine_simulated::planted::Bug;
use singlet_scheduler::{Random, Settings, run};

use crate::life::{Lived, simulate};
use crate::plan::{Plan, Scenario};

/// The simulation to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request {
    /// Decides everything.
    pub seed: u64,
    /// The scenario of faults; the seed decides if it isn't given.
    pub scenario: Option<Scenario>,
    /// Whether to keep what happens as text.
    pub keeps_lines: bool,
    /// A mistake that is made on purpose.
    pub planted: Option<Bug>,
}

/// The outcome.
#[derive(Debug)]
pub struct Outcome {
    /// The statistics, or the finding.
    pub result: Result<Lived, String>,
    /// The plan of the seed.
    pub plan: Plan,
    /// Of everything that happened.
    pub digest: u64,
    /// How often another thread could have gone on.
    pub steps: u64,
    /// The recorded events, if they were to be kept.
    pub lines: Vec<String>,
}

/// Runs a seed.
pub fn run_seed(request: Request) -> Outcome {
    let mut random = Random::new(request.seed);
    let plan = Plan::draw(&mut random, request.scenario);
    let settings = Settings {
        keeps_lines: request.keeps_lines,
        planted: request.planted.map(Bug::number),
        ..Plan::settings(random.next(), &mut random)
    };
    let lived = plan.clone();
    let execution = run(settings, move || simulate(lived, random));
    Outcome {
        result: execution.result,
        plan,
        digest: execution.digest,
        steps: execution.steps,
        lines: execution.lines,
    }
}

/// The command that runs a seed again.
pub fn command(request: &Request) -> String {
    let mut command = format!("cargo run --release -p singlet-sim -- --seed {}", request.seed);
    if let Some(scenario) = request.scenario {
        command.push_str(&format!(" --scenario {scenario}"));
    }
    if let Some(bug) = request.planted {
        command.push_str(&format!(" --bug {}", bug.name()));
    }
    command
}
