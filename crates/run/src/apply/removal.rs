//! The treatment of the tables when a design is removed.

use singlet_design::{Design, Environment, Removal};
use singlet_store::{Store, StoreError, TableChange};

use super::plan::{Plan, Step, title};

/// Finds out what must be done to take a design away: its tables are deleted where the environment says so, and stay
/// otherwise.
pub async fn plan_removal(
    design: &Design,
    environment: &Environment,
    store: &impl Store,
) -> Result<Plan, StoreError> {
    let mut plan =
        Plan { title: format!("removal of {}", title(design, environment, store)), ..Plan::default() };
    for table in &design.tables {
        let name = table.name_in(&environment.name);
        let Some(state) = store.describe_table(&name).await? else { continue };
        match environment.removal_of(table) {
            Removal::Keep => plan.notes.push(format!(
                "{name} stays with its data, because the environment {0} keeps its tables; with removal = \"delete\" in \
                 [environment.{0}] they are deleted",
                environment.name
            )),
            Removal::Delete => {
                if state.shape.protected {
                    let change = TableChange::Protect { table: name.clone(), protected: false };
                    plan.steps.push(Step::Change(change));
                }
                plan.steps.push(Step::Change(TableChange::Delete { table: name }));
            }
        }
    }
    Ok(plan)
}
