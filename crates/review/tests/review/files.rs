//! Designs of the repository and the files in which their reviews are kept.

use std::fs;
use std::path::{Path, PathBuf};

use singlet_design::{Lines, load};
use singlet_review::{Finding, OutputFormat, Review, Reviewed, Severity, render, review};

/// An environment variable that makes the tests write the kept files instead of comparing them.
const REWRITE: &str = "SINGLET_REWRITE";

/// A design with its review.
pub(crate) struct Held {
    /// Its path in the repository.
    pub(crate) path: String,
    /// The name of its file without the extension.
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) review: Review,
}

impl Held {
    /// Reviews a design of the repository.
    pub(crate) fn open(path: &str) -> Held {
        let source = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let design = load(path, &source).unwrap_or_else(|report| panic!("{report}"));
        let name = Path::new(path).file_stem().unwrap().to_string_lossy().into_owned();
        Held { path: path.to_owned(), name, review: review(&design, &source).with_fixes(&source), source }
    }

    /// The review as people read it.
    pub(crate) fn text(&self) -> String {
        let reviewed = Reviewed { file: &self.path, source: &self.source, review: &self.review };
        render(OutputFormat::Human, &[reviewed])
    }

    /// The findings above a note, one line each.
    pub(crate) fn alarms(&self) -> Vec<String> {
        let worse = self.review.findings.iter().filter(|finding| finding.severity > Severity::Info);
        let line = |finding: &Finding| Lines::new(&self.source).position(finding.span.start).line;
        worse
            .map(|finding| {
                let (word, rule) = (finding.severity.word(), finding.rule);
                format!("{}:{}: {word}[{rule}]: {}", self.path, line(finding), finding.message)
            })
            .collect()
    }

    /// The findings of a severity.
    pub(crate) fn of(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.review.findings.iter().filter(move |finding| finding.severity == severity)
    }
}

/// The designs in a folder of the repository, by name.
pub(crate) fn designs_in(folder: &str) -> Vec<Held> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    names.iter().map(|name| Held::open(&format!("{folder}/{name}"))).collect()
}

/// Compares a text with the file that keeps it, or rewrites the file.
pub(crate) fn keep(path: &str, text: &str) {
    let file = root().join(path);
    if std::env::var_os(REWRITE).is_some() {
        fs::write(&file, text).unwrap();
        return;
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).position(|(kept, now)| kept != now);
    let line = differs.unwrap_or_else(|| kept.lines().count().min(text.lines().count()));
    assert!(
        kept == text,
        "{path} differs from line {} on: kept {:?}, now {:?}; {REWRITE}=1 rewrites it",
        line + 1,
        kept.lines().nth(line),
        text.lines().nth(line),
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
