//! Reviews as text, JSON, SARIF and GitHub workflow commands.

use singlet_design::{Json, Lines, Position, Span};

use crate::finding::{Finding, Severity};
use crate::fix::Fix;
use crate::review::Review;
use crate::rules::RULES;

/// The format in which a review is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text for a terminal.
    Human,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, which code hosts show beside the source lines.
    Sarif,
    /// Workflow commands that GitHub turns into annotations.
    GitHub,
}

/// The review of one file.
#[derive(Debug)]
pub struct Reviewed<'a> {
    /// Its name.
    pub file: &'a str,
    /// Its text.
    pub source: &'a str,
    /// The review.
    pub review: &'a Review,
}

/// Writes the reviews of several files.
pub fn render(format: OutputFormat, files: &[Reviewed<'_>]) -> String {
    match format {
        OutputFormat::Human => files.iter().map(human).collect(),
        OutputFormat::Json => format!("{:#}\n", Json::List(files.iter().map(json).collect())),
        OutputFormat::Sarif => format!("{:#}\n", sarif(files)),
        OutputFormat::GitHub => files.iter().flat_map(github).collect(),
    }
}

fn human(file: &Reviewed<'_>) -> String {
    let mut text = String::new();
    let lines = Lines::new(file.source);
    for finding in &file.review.findings {
        let head = format!("{}[{}]: {}", finding.severity.word(), finding.rule, finding.message);
        text.push_str(&lines.excerpt(file.file, finding.span, &head));
        text.push_str(&finding.fix.iter().map(|fix| human_fix(file.source, fix)).collect::<String>());
        text.push('\n');
    }
    for allowed in &file.review.allowed {
        let line = lines.position(allowed.finding.span.start).line;
        let rule = allowed.finding.rule;
        text.push_str(&format!("allowed[{rule}]: {}:{line}: {}\n", file.file, allowed.reason));
    }
    text.push_str(&summary(file));
    text
}

fn human_fix(source: &str, fix: &Fix) -> String {
    let mut text = format!("  = fix: {}\n", fix.about);
    for (old, new) in fix.lines(source) {
        old.iter().for_each(|line| text.push_str(&format!("    - {line}\n")));
        new.iter().for_each(|line| text.push_str(&format!("    + {line}\n")));
    }
    text
}

fn summary(file: &Reviewed<'_>) -> String {
    let count = |severity| file.review.findings.iter().filter(|finding| finding.severity == severity).count();
    let counted = |severity, word: &str| match count(severity) {
        0 => format!("no {word}s"),
        1 => format!("1 {word}"),
        many => format!("{many} {word}s"),
    };
    let untried = match file.review.untried_fixes {
        0 => String::new(),
        count => format!(
            "{0}: {count} fixes were not tried because the design is too large; apply the ones above with `singlet review \
             --fix {0}` and review it again to try more\n",
            file.file,
        ),
    };
    format!(
        "{untried}{}: {}, {}, {}, {} allowed\n",
        file.file,
        counted(Severity::Error, "error"),
        counted(Severity::Warning, "warning"),
        counted(Severity::Info, "note"),
        file.review.allowed.len(),
    )
}

fn object<const COUNT: usize>(members: [(&str, Json); COUNT]) -> Json {
    Json::from(members)
}

fn number(value: usize) -> Json {
    Json::from(i64::try_from(value).unwrap_or(i64::MAX))
}

fn json(file: &Reviewed<'_>) -> Json {
    let lines = Lines::new(file.source);
    let finding = |finding| json_finding(file.source, &lines, finding);
    let findings = file.review.findings.iter().map(finding).collect();
    let allowed = file.review.allowed.iter().map(|allowed| {
        object([("finding", finding(&allowed.finding)), ("reason", Json::from(allowed.reason.as_str()))])
    });
    object([
        ("file", Json::from(file.file)),
        ("findings", Json::List(findings)),
        ("allowed", Json::List(allowed.collect())),
        ("untried_fixes", number(file.review.untried_fixes)),
    ])
}

fn json_finding(source: &str, lines: &Lines<'_>, finding: &Finding) -> Json {
    let Position { line, column } = lines.position(finding.span.start);
    object([
        ("rule", Json::from(finding.rule)),
        ("severity", Json::from(finding.severity.word())),
        ("line", number(line)),
        ("column", number(column)),
        (
            "about",
            Json::List(finding.subjects.iter().map(|subject| Json::from(subject.to_string())).collect()),
        ),
        ("message", Json::from(finding.message.as_str())),
        ("fix", finding.fix.as_ref().map_or(Json::Null, |fix| json_fix(source, fix))),
    ])
}

fn json_fix(source: &str, fix: &Fix) -> Json {
    let texts = |lines: Vec<String>| Json::List(lines.into_iter().map(Json::from).collect());
    let changes = fix.lines(source).into_iter();
    let changes = changes.map(|(old, new)| object([("remove", texts(old)), ("add", texts(new))]));
    object([("about", Json::from(fix.about.as_str())), ("changes", Json::List(changes.collect()))])
}

fn sarif(files: &[Reviewed<'_>]) -> Json {
    let rules = RULES.iter().map(|rule| {
        object([
            ("id", Json::from(rule.id)),
            ("shortDescription", object([("text", Json::from(rule.summary))])),
            ("help", object([("text", Json::from(rule.page)), ("markdown", Json::from(rule.page))])),
        ])
    });
    let driver = object([("name", Json::from("singlet")), ("rules", Json::List(rules.collect()))]);
    let results = files.iter().flat_map(|file| {
        let lines = Lines::new(file.source);
        let result = |finding, reason| sarif_result(file.file, &lines, finding, reason);
        let open = file.review.findings.iter().map(|finding| result(finding, None));
        let allowed = file.review.allowed.iter();
        let allowed = allowed.map(|allowed| result(&allowed.finding, Some(&allowed.reason)));
        open.chain(allowed).collect::<Vec<_>>()
    });
    let run = object([("tool", object([("driver", driver)])), ("results", Json::List(results.collect()))]);
    object([
        ("$schema", Json::from("https://json.schemastore.org/sarif-2.1.0.json")),
        ("version", Json::from("2.1.0")),
        ("runs", Json::List(vec![run])),
    ])
}

/// A finding. `allowed` is the design's reason, which suppresses it.
fn sarif_result(file: &str, lines: &Lines<'_>, finding: &Finding, allowed: Option<&str>) -> Json {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let physical = object([
        ("artifactLocation", object([("uri", Json::from(file))])),
        ("region", region(lines, finding.span)),
    ]);
    let suppression =
        |reason: &str| object([("kind", Json::from("inSource")), ("justification", Json::from(reason))]);
    object([
        ("suppressions", Json::List(allowed.map(suppression).into_iter().collect())),
        ("ruleId", Json::from(finding.rule)),
        ("level", Json::from(level)),
        ("message", object([("text", Json::from(finding.message.as_str()))])),
        ("locations", Json::List(vec![object([("physicalLocation", physical)])])),
    ])
}

fn region(lines: &Lines<'_>, span: Span) -> Json {
    let start = lines.position(span.start);
    let end = lines.position(span.end);
    object([
        ("startLine", number(start.line)),
        ("startColumn", number(start.column)),
        ("endLine", number(end.line)),
        ("endColumn", number(end.column)),
    ])
}

fn github(file: &Reviewed<'_>) -> Vec<String> {
    let command = |severity| match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let lines = Lines::new(file.source);
    let line = |finding: &Finding| {
        let Position { line, column } = lines.position(finding.span.start);
        let (word, rule) = (command(finding.severity), finding.rule);
        let (name, message) = (property(file.file), escaped(&finding.message));
        format!("::{word} file={name},line={line},col={column},title={rule}::{message}\n")
    };
    file.review.findings.iter().map(line).collect()
}

/// Escapes a text for a workflow command, which is one line and uses percent signs for escapes.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
