//! The long mode: `cargo run --profile fuzz -p singlet-fuzz -- <target>|all --seconds N --seed S`.

#![allow(clippy::print_stdout, reason = "a command line tool talks on standard output")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use singlet_fuzz::{Session, Target, failure_of, found_folder, minimise};

/// How often a failing input is run again to make it smaller.
const MINIMISE_ATTEMPTS_MAX: usize = 4_000;
/// How often progress is shown.
const PROGRESS: Duration = Duration::from_secs(10);

/// Runs fuzz targets for long, or replays an input.
#[derive(Parser)]
struct Arguments {
    /// A target, or `all`.
    target: String,
    /// How long each target runs.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The same seed runs the same inputs in the same order.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Runs the inputs in these files instead, once each.
    #[arg(long, num_args = 1..)]
    replay: Vec<PathBuf>,
    /// Makes the failing inputs in these files smaller, such as those that libFuzzer found.
    #[arg(long, num_args = 1.., conflicts_with = "replay")]
    minimise: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let targets: Vec<Target> = match Target::from_name(&arguments.target) {
        Some(target) => vec![target],
        None if arguments.target == "all" => Target::ALL.to_vec(),
        None => {
            let names: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
            println!("no such target: {}; there are all, {}", arguments.target, names.join(", "));
            return ExitCode::FAILURE;
        }
    };
    let mut failed = false;
    for target in targets {
        let succeeded = if !arguments.replay.is_empty() {
            replay(target, &arguments.replay)
        } else if !arguments.minimise.is_empty() {
            minimise_files(target, &arguments.minimise)
        } else {
            run(target, &arguments)
        };
        failed |= !succeeded;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs inputs without catching anything, so that a panic shows where it happened.
fn replay(target: Target, files: &[PathBuf]) -> bool {
    for file in files {
        match std::fs::read(file) {
            Ok(bytes) => {
                println!("{} {} ({} bytes)", target.name(), file.display(), bytes.len());
                target.run(&bytes);
            }
            Err(error) => {
                println!("{}: {error}", file.display());
                return false;
            }
        }
    }
    true
}

/// Saves a smaller input for each that still fails.
fn minimise_files(target: Target, files: &[PathBuf]) -> bool {
    for file in files {
        match std::fs::read(file) {
            Ok(bytes) => match failure_of(target, &bytes) {
                Some(text) => {
                    println!("{} fails: {text}", file.display());
                    save_small(target, &bytes);
                }
                None => println!("{} doesn't fail", file.display()),
            },
            Err(error) => {
                println!("{}: {error}", file.display());
                return false;
            }
        }
    }
    true
}

fn run(target: Target, arguments: &Arguments) -> bool {
    let started = Instant::now();
    let end = started + Duration::from_secs(arguments.seconds);
    let mut shown = started;
    let summary = Session::new(target, arguments.seed).run(|inputs| {
        let now = Instant::now();
        if now - shown >= PROGRESS {
            shown = now;
            println!("{}: {inputs} inputs in {} s", target.name(), (now - started).as_secs());
        }
        now < end
    });
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{}: {} inputs in {seconds:.1} s with seed {}, the slowest took {:.3} s",
        target.name(),
        summary.inputs,
        arguments.seed,
        summary.slowest.as_secs_f64()
    );
    let Some((input, text)) = summary.failure else { return true };
    println!("{} failed: {text}", target.name());
    save_small(target, &input);
    false
}

fn save_small(target: Target, input: &[u8]) {
    println!("making the input smaller…");
    save(target, &minimise(input, MINIMISE_ATTEMPTS_MAX, |input| failure_of(target, input).is_some()));
}

fn save(target: Target, input: &[u8]) {
    let folder = found_folder(target);
    let path = folder.join(format!("{:016x}", hash(input)));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input)) {
        Ok(()) => println!(
            "saved {} bytes as {path}\nreplay: cargo run -p singlet-fuzz -- {} --replay {path}",
            input.len(),
            target.name(),
            path = path.display()
        ),
        Err(error) => println!("can't save it ({error}): {input:?}"),
    }
}

fn hash(input: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(input)
}
