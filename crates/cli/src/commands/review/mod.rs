//! `singlet review`.

mod fix;

use std::io::{Write, stdout};
use std::path::Path;
use std::process::ExitCode;

use singlet_review::{self as review, OutputFormat, RULES, Review, Reviewed, Severity};

use crate::arguments::{ReviewArguments, ReviewFormat};
use crate::design_file;
use crate::failure::Failure;
use crate::style;

/// Holds designs against the rules; the exit code says how bad the worst finding is.
pub(crate) fn review(arguments: &ReviewArguments) -> Result<ExitCode, Failure> {
    if let Some(rule) = &arguments.explain {
        return explain(rule);
    }
    if arguments.rules {
        return list();
    }
    if arguments.fix {
        return fix::fix(arguments);
    }
    let shows_fixes = matches!(arguments.format, ReviewFormat::Human | ReviewFormat::Json);
    let read = |path: &std::path::PathBuf| File::read(path, shows_fixes);
    let files = arguments.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let reviewed: Vec<Reviewed<'_>> = files.iter().map(File::reviewed).collect();
    print(arguments.format, &reviewed)?;
    Ok(ExitCode::from(code(&files, arguments.strict)))
}

/// Writes the findings, for people with colours.
fn print(format: ReviewFormat, reviewed: &[Reviewed<'_>]) -> Result<(), Failure> {
    let text = review::render(as_rendered(format), reviewed);
    match format {
        ReviewFormat::Human => anstream::stdout().lock().write_all(style::report(&text).as_bytes())?,
        _ => stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(())
}

/// How bad the worst finding is.
fn code(files: &[File], strict: bool) -> u8 {
    match files.iter().filter_map(|file| file.review.worst()).max() {
        Some(Severity::Error) => 2,
        Some(Severity::Warning) if strict => 1,
        _ => 0,
    }
}

/// A design with what was found in it.
struct File {
    name: String,
    source: String,
    review: Review,
}

impl File {
    /// Reviews a design; fixes are tried only if they are shown.
    fn read(path: &Path, with_fixes: bool) -> Result<File, Failure> {
        let source = design_file::read(path)?;
        Ok(File::of(path.display().to_string(), source, with_fixes))
    }

    fn of(name: String, source: String, with_fixes: bool) -> File {
        let review = match singlet_design::load(&name, &source) {
            Ok(design) if with_fixes => review::review(&design, &source).with_fixes(&source),
            Ok(design) => review::review(&design, &source),
            Err(report) => Review::refused(&report),
        };
        File { name, source, review }
    }

    fn reviewed(&self) -> Reviewed<'_> {
        Reviewed { file: &self.name, source: &self.source, review: &self.review }
    }
}

fn as_rendered(format: ReviewFormat) -> OutputFormat {
    match format {
        ReviewFormat::Human => OutputFormat::Human,
        ReviewFormat::Json => OutputFormat::Json,
        ReviewFormat::Sarif => OutputFormat::Sarif,
        ReviewFormat::Github => OutputFormat::GitHub,
    }
}

fn explain(id: &str) -> Result<ExitCode, Failure> {
    let Some(rule) = review::rule(id) else {
        let nearest = review::nearest(id).map(|nearest| format!("; did you mean {nearest}?"));
        let nearest = nearest.unwrap_or_else(|| "; `singlet review --rules` lists them".to_owned());
        return Err(Failure::Arguments(format!("there is no rule {id}{nearest}")));
    };
    stdout().lock().write_all(rule.page.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn list() -> Result<ExitCode, Failure> {
    let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    let mut out = stdout().lock();
    for rule in RULES {
        writeln!(out, "{:width$}  {}", rule.id, rule.summary)?;
    }
    Ok(ExitCode::SUCCESS)
}
