//! A list of known offences that may only get shorter.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::tree;

/// The list: how many offences each subject may have.
pub(crate) struct Allowances {
    path: PathBuf,
    /// The lines at the top that say what the list is.
    head: String,
    counts: BTreeMap<String, usize>,
}

impl Allowances {
    /// Reads a list beside this file: lines of a subject and a count.
    pub(crate) fn read(name: &str) -> Self {
        let path = tree::root().join("crates/cli/tests/house").join(name);
        let text = tree::read(&path);
        let (head, rows): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
        let count = |line: &str| {
            let (subject, count) = line.rsplit_once(' ')?;
            Some((subject.to_owned(), count.parse().ok()?))
        };
        let row = |line| count(line).unwrap_or_else(|| panic!("{name}: not a subject and a count: {line}"));
        Self { path, head: head.join("\n"), counts: rows.into_iter().map(row).collect() }
    }

    /// Fails if a subject has more offences than it is allowed, or fewer: then the list must be shortened.
    pub(crate) fn compare(mut self, found: &BTreeMap<String, Vec<String>>, advice: &str) {
        if std::env::var_os("SINGLET_REWRITE").is_some() {
            self.shorten(found);
        }
        let problems = self.problems(found);
        assert!(problems.is_empty(), "{advice}\n{}", problems.join("\n"));
    }

    fn problems(&self, found: &BTreeMap<String, Vec<String>>) -> Vec<String> {
        let allowed = |subject: &String| self.counts.get(subject).copied().unwrap_or_default();
        let more = found.iter().filter(|(subject, places)| places.len() > allowed(subject)).map(
            |(subject, places)| {
                let (count, allowed) = (places.len(), allowed(subject));
                format!("{subject}: {count} found, {allowed} allowed:\n  {}", places.join("\n  "))
            },
        );
        let count = |subject: &String| found.get(subject).map_or(0, Vec::len);
        let fewer = self.counts.iter().filter(|(subject, allowed)| count(subject) < **allowed).map(
            |(subject, allowed)| {
                format!(
                    "{subject}: {allowed} allowed, {} found; shorten {} with \
                     SINGLET_REWRITE=1 cargo test -p singlet --test house",
                    count(subject),
                    self.path.file_name().unwrap_or_default().display()
                )
            },
        );
        more.chain(fewer).collect()
    }

    /// Lowers the counts to what was found, and never raises one.
    fn shorten(&mut self, found: &BTreeMap<String, Vec<String>>) {
        for (subject, count) in &mut self.counts {
            *count = (*count).min(found.get(subject).map_or(0, Vec::len));
        }
        self.counts.retain(|_, count| *count > 0);
        let rows: String =
            self.counts.iter().map(|(subject, count)| format!("{subject} {count}\n")).collect();
        std::fs::write(&self.path, format!("{}\n{rows}", self.head)).expect("the list can be written");
    }
}

#[test]
fn more_than_allowed_and_fewer_than_allowed_are_both_reported() {
    let counts = ["a", "b", "c"].map(|subject| (subject.to_owned(), 2)).into();
    let list = Allowances { path: PathBuf::from("list.txt"), head: String::new(), counts };
    let places = |count| vec!["somewhere".to_owned(); count];
    let found =
        [("a", 2), ("b", 1), ("c", 3), ("d", 1)].map(|(name, count)| (name.to_owned(), places(count)));
    let problems = list.problems(&found.into()).join("\n");
    assert!(!problems.contains("a: "), "{problems}");
    assert!(problems.contains("b: 2 allowed, 1 found; shorten list.txt"), "{problems}");
    assert!(problems.contains("c: 3 found, 2 allowed:\n  somewhere"), "{problems}");
    assert!(problems.contains("d: 1 found, 0 allowed:"), "{problems}");
}
