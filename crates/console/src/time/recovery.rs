//! The page of recovery: the moments of each table, its backups, and restores into new tables.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use singlet_design::{Table, time_of_ms};
use singlet_store::{BackupDescription, BackupStatus, History, RecoveryWindow};

use crate::console::{Console, Permission, Served};
use crate::failure::Failure;
use crate::figures::{bytes, grouped};
use crate::guard::{Session, TOKEN};
use crate::icon::Icon;
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::parts::{empty, head, heading, prose, scrolling};
use crate::visit::{moment, named};

/// The latest backups that a page lists.
const BACKUPS_MAX: usize = 50;
/// The name of the pair that says what was begun.
const DONE: &str = ".done";

/// Everything that is kept of a table.
struct Kept<'d> {
    table: &'d Arc<Table>,
    name: String,
    window: Result<Option<RecoveryWindow>, String>,
    backups: Result<Vec<BackupDescription>, String>,
}

/// Shows what is kept of each table.
pub(crate) async fn show<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Failure> {
    let served = console.served(&design)?;
    let mut kept = Vec::new();
    for table in &served.design().tables {
        let name = served.table_name(table);
        let store = served.runner().store();
        let window = store.recovery_window(&name).await.map_err(|error| error.to_string());
        let backups = store.backups(&name, BACKUPS_MAX).await.map_err(|error| error.to_string());
        kept.push(Kept { table, name, window, backups });
    }
    let done = pairs.iter().find(|(name, _)| name == DONE).map(|(_, word)| word.as_str());
    let session = console.guard.session(&headers);
    let frame = console.frame(Some(served), Section::Recovery, "Recovery");
    Ok(session.with_page(frame.page(html! {
        @if let Some(said) = done.and_then(said) { p.notice role="status" { (Icon::Fine) (said) } }
        (heading(&html! { "Recovery" }, Some("Every moment that can be looked at or restored, and the backups.")))
        @for kept in &kept { (section(&console, served, kept, &session)) }
    })))
}

fn said(word: &str) -> Option<&'static str> {
    Some(match word {
        "taken" => "The backup is being taken. Its moment is fixed.",
        "restored" => "The new table is being filled. It is ready when its status is ACTIVE.",
        "removed" => "The backup was deleted.",
        "verified" => "Every checksum of the backup is right.",
        _ => return None,
    })
}

/// Takes, verifies, restores or deletes a backup, or restores a table.
pub(crate) async fn act<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Form(form): Form<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    console.guard.check(&headers, &form)?;
    let served = console.served(&design)?;
    let value = |name: &str| form.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.trim());
    let store = served.runner().store();
    let table = served.table_name(served.table(value("table"))?);
    let owned = async || -> Result<String, Failure> {
        let backups = store.backups(&table, BACKUPS_MAX).await?;
        let found = backups.into_iter().find(|backup| backup.arn == value("backup"));
        found.map(|backup| backup.arn).ok_or_else(|| Failure::not_found("backup", value("backup")))
    };
    let word = match value("action") {
        "take" => {
            store.take_backup(&table, value("name")).await?;
            "taken"
        }
        "verify" => {
            store.verify_backup(&owned().await?).await?;
            "verified"
        }
        "delete" => {
            store.delete_backup(&owned().await?).await?;
            "removed"
        }
        "restore" => {
            store.restore_backup(&owned().await?, value("target")).await?;
            "restored"
        }
        "rewind" => {
            let wrong = || Failure::wrong("A moment is a time in UTC, such as 2026-11-17T10:00:00.");
            let time_ms = moment(value("to")).ok_or_else(wrong)?;
            store.restore_table(&table, value("target"), time_ms).await?;
            "restored"
        }
        _ => return Err(Failure::wrong("The form asks for nothing that the page can do.")),
    };
    let link = Link::recovery(served.name()).with(DONE, word);
    Ok(Redirect::to(&link.to_string()).into_response())
}

fn section<S: History>(
    console: &Console<S>,
    served: &Served<S>,
    kept: &Kept<'_>,
    session: &Session,
) -> Markup {
    let id = format!("table-{}", kept.table.label);
    let form = TableForms { console, served, kept, session };
    html! {
        section.block aria-labelledby=(id) {
            h2 id=(id) { "Table " code { (kept.name) } }
            @match &kept.window {
                Err(reason) => p.problem role="alert" { (Icon::Error) span { (prose(reason)) } },
                Ok(None) => p.about {
                    "Recovery is off. Turn it on in the design with " code { "recovery = \"7 days\"" } " below the table’s settings, and run "
                    code { "singlet apply" } "."
                },
                Ok(Some(window)) => (form.window(window)),
            }
            (form.backups())
        }
    }
}

/// The forms of one table.
struct TableForms<'a, S> {
    console: &'a Console<S>,
    served: &'a Served<S>,
    kept: &'a Kept<'a>,
    session: &'a Session,
}

impl<S: History> TableForms<'_, S> {
    fn can_write(&self) -> bool {
        self.console.permission == Permission::Write
    }

    fn hidden(&self, action: &str) -> Markup {
        html! {
            input type="hidden" name=(TOKEN) value=(self.console.guard.token(self.session));
            input type="hidden" name="table" value=(self.kept.table.label);
            input type="hidden" name="action" value=(action);
        }
    }

    fn address(&self) -> Link {
        Link::recovery(self.served.name())
    }

    fn window(&self, window: &RecoveryWindow) -> Markup {
        let (earliest, latest) = (time_of_ms(window.earliest_ms), time_of_ms(window.latest_ms));
        let id = format!("to-{}", self.kept.table.label);
        let target = format!("into-{}", self.kept.table.label);
        let last = latest.get(..19).unwrap_or_default();
        html! {
            dl.facts.wide {
                div { dt { "Kept for" } dd { (window.period_days) " days" } }
                div { dt { "From" } dd { time datetime=(earliest) { (earliest) } } }
                div { dt { "To" } dd { time datetime=(latest) { (latest) } } }
                div { dt { "Browse" } dd { a href=(Link::table(&named(self.served.name(), Some(window.earliest_ms)), self.kept.table)) { "the first moment" } } }
            }
            @if self.can_write() {
                form.inline method="post" action=(self.address()) {
                    (self.hidden("rewind"))
                    div.field {
                        label for=(id) { "Restore as of (UTC)" }
                        input id=(id) type="datetime-local" step="1" name="to" required value=(last);
                    }
                    div.field.grows {
                        label for=(target) { "Into a new table" }
                        input id=(target) type="text" name="target" required value=(format!("{}-restored", self.kept.name))
                            autocomplete="off" spellcheck="false" pattern="[A-Za-z0-9_.\\-]{3,255}";
                    }
                    p.submit { button type="submit" { (Icon::Time) "Restore" } }
                }
            }
        }
    }

    fn backups(&self) -> Markup {
        let id = format!("backup-{}", self.kept.table.label);
        html! {
            h3 { "Backups" }
            @match &self.kept.backups {
                Err(reason) => p.problem role="alert" { (Icon::Error) span { (prose(reason)) } },
                Ok(backups) if backups.is_empty() => (empty("No backups", &html! {
                    "Take one below, or let the design schedule them: " code { "backup = \"daily, keep 1 month\"" }
                })),
                Ok(backups) => (scrolling("Backups", &html! {
                    table.backups {
                        (head(&["Name", "Moment", "Items", "Size", "Status", "Kept until", "Actions"]))
                        tbody { @for backup in backups.iter().rev() { (self.backup(backup)) } }
                    }
                })),
            }
            @if self.can_write() {
                form.inline.take method="post" action=(self.address()) {
                    (self.hidden("take"))
                    div.field.grows {
                        label for=(id) { "Name of a new backup" }
                        input id=(id) type="text" name="name" required value=(format!("{}-by-hand", self.kept.name))
                            autocomplete="off" spellcheck="false" pattern="[A-Za-z0-9_.\\-]{3,255}";
                    }
                    p.submit { button type="submit" { (Icon::Add) "Take a backup" } }
                }
            }
        }
    }

    fn backup(&self, backup: &BackupDescription) -> Markup {
        let (created, expires) = (time_of_ms(backup.created_ms), backup.expires_ms.map(time_of_ms));
        let status = match backup.status {
            BackupStatus::Creating => "being written",
            BackupStatus::Available => "available",
            BackupStatus::Deleted => "deleted",
        };
        html! {
            tr {
                th scope="row" { (backup.name) }
                td { time datetime=(created) { (created) } }
                td.figure { (grouped(backup.source.item_count)) }
                td.figure { (bytes(usize::try_from(backup.source.size_bytes).unwrap_or(usize::MAX))) }
                td { (status) }
                td { @match &expires { Some(expires) => time datetime=(expires) { (expires) }, None => span.none { "deleted by hand" } } }
                td {
                    @if self.can_write() && backup.status == BackupStatus::Available {
                        form.row-actions method="post" action=(self.address()) {
                            input type="hidden" name=(TOKEN) value=(self.console.guard.token(self.session));
                            input type="hidden" name="table" value=(self.kept.table.label);
                            input type="hidden" name="backup" value=(backup.arn);
                            input type="text" name="target" aria-label=(format!("New table for {}", backup.name))
                                value=(format!("{}-restored", self.kept.name)) autocomplete="off" spellcheck="false";
                            button type="submit" name="action" value="restore" { "Restore" }
                            button type="submit" name="action" value="verify" { "Verify" }
                            button type="submit" name="action" value="delete" { "Delete" }
                        }
                    }
                }
            }
        }
    }
}
