//! The design language: entities, keys, indexes and access patterns in one file, checked, explained and run.
//!
//! It knows designs, key templates and patterns, and a database only through [`store::Store`]. It must not know
//! HTTP, terminals or files other than by the text it is given.

pub mod condition;
pub mod describe;
mod field;
pub mod json;
pub mod model;
pub mod names;
pub mod paging;
pub mod report;
mod resolve;
pub mod schema;
mod syntax;
pub mod template;
pub mod value;

use model::Design;
use report::Report;

/// Reads and resolves a design; every mistake is in the report. `file` is only used in messages.
///
/// ```
/// let source = r#"
/// design = "notes"
/// [table]
/// key = ["PK", "SK"]
/// [entity.Note]
/// key = ["USER#{user_id}", "NOTE#{note_id}"]
/// fields = { user_id = "key", note_id = "id", text = "string" }
/// [pattern.notes]
/// query = "Note"
/// "#;
/// let design = singlet_design::load("notes.toml", source)?;
/// let parameters = &design.pattern("notes").expect("it is in the design").parameters;
/// assert_eq!(parameters[0].name, "user_id");
///
/// let report = singlet_design::load("notes.toml", &source.replace("{user_id}", "{usr_id}")).unwrap_err();
/// assert_eq!(report.mistakes[0].help.as_deref(), Some("did you mean `user_id`?"));
/// # Ok::<(), singlet_design::report::Report>(())
/// ```
pub fn load(file: &str, source: &str) -> Result<Design, Report> {
    let mistakes = syntax::Mistakes::default();
    let design = syntax::read(source, &mistakes).map(|root| resolve::resolve(&root, source, &mistakes));
    let mistakes = mistakes.sorted();
    match design {
        Some(design) if mistakes.is_empty() => Ok(design),
        _ => Err(Report { file: file.to_owned(), source: source.to_owned(), mistakes }),
    }
}
