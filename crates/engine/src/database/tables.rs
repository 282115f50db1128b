//! Tables and tags.

use super::Database;
use crate::error::{Error, Invalid, Result, SchemaError};
use crate::pending::Pending;
use crate::request::{CreateTable, ListTables, ListTablesOutcome, TableDescription, Tag, UpdateTable};
use crate::table::Table;
use crate::write::Job;

impl Database {
    /// Creates a table. It can be used as soon as the call returns.
    pub fn create_table(&self, request: CreateTable) -> Result<TableDescription> {
        self.submit_create_table(request).wait()
    }

    /// Submits the creation of a table without waiting.
    pub fn submit_create_table(&self, request: CreateTable) -> Pending<TableDescription> {
        if let Err(error) = Table::check(&request) {
            return Pending::ready(Err(error.into()));
        }
        let (answer, pending) = Pending::channel();
        self.submit(Job::CreateTable { request: Box::new(request), answer }, pending)
    }

    /// Changes a table. New indexes are filled in the background.
    pub fn update_table(&self, request: UpdateTable) -> Result<TableDescription> {
        self.submit_update_table(request).wait()
    }

    /// Submits a change of a table without waiting.
    pub fn submit_update_table(&self, request: UpdateTable) -> Pending<TableDescription> {
        let (answer, pending) = Pending::channel();
        let pending = self.submit(Job::AlterTable { request: Box::new(request), answer }, pending);
        self.wake_maintenance();
        pending
    }

    /// Deletes a table.
    pub fn delete_table(&self, name: &str) -> Result<TableDescription> {
        self.submit_delete_table(name).wait()
    }

    /// Submits the deletion of a table without waiting.
    pub fn submit_delete_table(&self, name: &str) -> Pending<TableDescription> {
        let (answer, pending) = Pending::channel();
        let pending = self.submit(Job::DeleteTable { name: name.to_owned(), answer }, pending);
        self.wake_maintenance();
        pending
    }

    /// Describes a table.
    pub fn describe_table(&self, name: &str) -> Result<TableDescription> {
        let view = self.view();
        let table = view.catalogue().resource(name)?;
        Ok(view.catalogue().describe(table, |space| view.tally(space.tally())))
    }

    /// Describes all tables, in the order of their names.
    pub fn describe_tables(&self) -> Vec<TableDescription> {
        let view = self.view();
        let tables = view.catalogue().tables();
        tables.map(|table| view.catalogue().describe(table, |space| view.tally(space.tally()))).collect()
    }

    /// Lists table names.
    pub fn list_tables(&self, request: &ListTables) -> ListTablesOutcome {
        self.view().catalogue().list(request)
    }

    /// Sets tags on the table with this ARN.
    pub fn tag_resource(&self, arn: &str, tags: Vec<Tag>) -> Result<()> {
        self.submit_tag_resource(arn, tags).wait()
    }

    /// Submits tags without waiting.
    pub fn submit_tag_resource(&self, arn: &str, tags: Vec<Tag>) -> Pending<()> {
        match self.name_in(arn) {
            Ok(name) => {
                let (answer, pending) = Pending::channel();
                self.submit(Job::Tag { name, tags, answer }, pending)
            }
            Err(error) => Pending::ready(Err(error)),
        }
    }

    /// Removes tags from the table with this ARN.
    pub fn untag_resource(&self, arn: &str, keys: Vec<String>) -> Result<()> {
        self.submit_untag_resource(arn, keys).wait()
    }

    /// Submits the removal of tags without waiting.
    pub fn submit_untag_resource(&self, arn: &str, keys: Vec<String>) -> Pending<()> {
        match self.name_in(arn) {
            Ok(name) => {
                let (answer, pending) = Pending::channel();
                self.submit(Job::Untag { name, keys, answer }, pending)
            }
            Err(error) => Pending::ready(Err(error)),
        }
    }

    /// Returns the tags of the table with this ARN.
    pub fn list_tags(&self, arn: &str) -> Result<Vec<Tag>> {
        let name = self.name_in(arn)?;
        let view = self.view();
        let tags = &view.catalogue().resource(&name)?.tags;
        Ok(tags.iter().map(|(key, value)| Tag { key: key.clone(), value: value.clone() }).collect())
    }

    /// Returns the name of the table with this ARN.
    fn name_in(&self, arn: &str) -> Result<String> {
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let [scheme, _, service, _, _, resource] = parts.as_slice() else {
            return Err(Error::Invalid(Invalid::Schema(SchemaError::Arn(arn.to_owned()))));
        };
        match resource.strip_prefix("table/") {
            Some(name) if *scheme == "arn" && *service == "dynamodb" && !name.contains('/') => {
                Ok(name.to_owned())
            }
            _ => Err(Error::Invalid(Invalid::Schema(SchemaError::Arn(arn.to_owned())))),
        }
    }
}
