//! The corpus, what long runs found, and a few thousand mutations of both, for every target.

#![allow(clippy::panic, reason = "a failing test panics")]

use singlet_fuzz::{Corpus, Session, Target, failure_of};

/// Mutations per target; those that open databases or connections are slower.
fn mutations(target: Target) -> u64 {
    match target {
        Target::Number | Target::Item | Target::Json | Target::Expression | Target::Statement => 3_000,
        Target::Cursor => 1_000,
        Target::Design => 300,
        Target::Request | Target::Import | Target::Folder | Target::Http => 150,
    }
}

fn replay(target: Target) {
    let corpus = Corpus::of(target);
    assert!(corpus.entries.len() >= 5, "{} has a corpus", target.name());
    for entry in corpus.entries {
        let failure = failure_of(target, &entry.bytes);
        assert_eq!(failure, None, "{}", entry.path.display());
    }
}

fn mutate(target: Target) {
    let end = mutations(target);
    let summary = Session::new(target, 20_261_116).run(|inputs| inputs < end);
    if let Some((input, text)) = summary.failure {
        panic!("{}: {text}\ninput: {}", target.name(), input.escape_ascii());
    }
}

macro_rules! targets {
    ($($name:ident: $target:expr,)*) => {
        $(mod $name {
            use singlet_fuzz::Target;

            #[test]
            fn keeps_its_promises_on_the_corpus() {
                super::replay($target);
            }

            #[test]
            fn keeps_its_promises_on_mutations() {
                super::mutate($target);
            }
        })*

        #[test]
        fn no_target_is_left_out() {
            assert_eq!(Target::ALL, [$($target),*]);
        }
    };
}

targets! {
    number: Target::Number,
    item: Target::Item,
    json: Target::Json,
    expression: Target::Expression,
    statement: Target::Statement,
    request: Target::Request,
    cursor: Target::Cursor,
    import: Target::Import,
    design: Target::Design,
    folder: Target::Folder,
    http: Target::Http,
}

#[test]
fn corpora_stay_small() {
    let bytes = |target: &Target| -> usize {
        Corpus::of(*target).entries.iter().map(|entry| entry.bytes.len()).sum()
    };
    let total: usize = Target::ALL.iter().map(bytes).sum();
    assert!(total < 300_000, "{total} bytes");
}
