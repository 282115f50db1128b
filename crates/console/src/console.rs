//! The designs that a console shows, and what it computes about them once.

use std::sync::{Arc, OnceLock};

use singlet_derive::Counters;
use singlet_design::{Design, Entity, Pattern, Table};
use singlet_review::{Review, review};
use singlet_run::Runner;
use singlet_store::Store;

use crate::audits::Audits;
use crate::cost::Costs;
use crate::failure::Failure;
use crate::guard::Guard;
use crate::layout::{Frame, Section};

/// Whether the console may change items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Patterns that write can be run.
    Write,
    /// Everything can be looked at, and nothing changed.
    ReadOnly,
}

/// A design that the console shows, and the runner of its patterns.
pub struct Served<S> {
    runner: Runner<S>,
    file: String,
    review: OnceLock<Review>,
    mended: OnceLock<Review>,
    costs: OnceLock<Costs>,
    counters: Option<Arc<Counters>>,
}

impl<S: Store> Served<S> {
    /// A design with its runner. `file` is the name of its file, for the commands that pages show.
    pub fn new(runner: Runner<S>, file: impl Into<String>) -> Self {
        Served {
            runner,
            file: file.into(),
            review: OnceLock::new(),
            mended: OnceLock::new(),
            costs: OnceLock::new(),
            counters: None,
        }
    }

    /// Shows the counters of the worker that keeps the derived data of the design.
    #[must_use]
    pub fn with_counters(mut self, counters: Option<Arc<Counters>>) -> Self {
        self.counters = counters;
        self
    }

    pub(crate) fn counters(&self) -> Option<&Counters> {
        self.counters.as_deref()
    }

    pub(crate) fn runner(&self) -> &Runner<S> {
        &self.runner
    }

    pub(crate) fn design(&self) -> &Arc<Design> {
        self.runner.design()
    }

    pub(crate) fn name(&self) -> &str {
        &self.design().name
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The review, made at the first look.
    pub(crate) fn review(&self) -> &Review {
        self.review.get_or_init(|| review(self.design(), &self.design().source))
    }

    /// The review with fixes, made at the first look at it. To try the fixes takes longer than the review.
    pub(crate) fn mended(&self) -> &Review {
        self.mended.get_or_init(|| self.review().clone().with_fixes(&self.design().source))
    }

    /// The estimated cost of each pattern, made at the first look.
    pub(crate) fn costs(&self) -> &Costs {
        self.costs.get_or_init(|| Costs::of(self.design()))
    }

    /// The name of a table in the environment.
    pub(crate) fn table_name(&self, table: &Table) -> String {
        table.name_in(self.runner.environment())
    }

    pub(crate) fn table(&self, label: &str) -> Result<&Arc<Table>, Failure> {
        let found = self.design().tables.iter().find(|table| table.label == label);
        found.ok_or_else(|| Failure::not_found("table", label))
    }

    pub(crate) fn entity(&self, name: &str) -> Result<&Arc<Entity>, Failure> {
        self.design().entity(name).ok_or_else(|| Failure::not_found("entity", name))
    }

    pub(crate) fn pattern(&self, name: &str) -> Result<&Arc<Pattern>, Failure> {
        self.design().pattern(name).ok_or_else(|| Failure::not_found("pattern", name))
    }
}

/// Everything that the handlers of requests share.
pub(crate) struct Console<S> {
    pub(crate) designs: Vec<Served<S>>,
    pub(crate) permission: Permission,
    pub(crate) guard: Guard,
    pub(crate) audits: Audits,
}

impl<S: Store> Console<S> {
    pub(crate) fn new(designs: Vec<Served<S>>, permission: Permission) -> Self {
        Console { designs, permission, guard: Guard::new(), audits: Audits::default() }
    }

    pub(crate) fn served(&self, name: &str) -> Result<&Served<S>, Failure> {
        let found = self.designs.iter().find(|served| served.name() == name);
        found.ok_or_else(|| Failure::not_found("design", name))
    }

    /// Refuses to write if the console only reads.
    pub(crate) fn check_writable(&self) -> Result<(), Failure> {
        match self.permission {
            Permission::Write => Ok(()),
            Permission::ReadOnly => Err(Failure::forbidden("This console only reads.")),
        }
    }

    /// The frame of a page; `design` is the one that the page is about.
    pub(crate) fn frame<'a>(
        &'a self,
        design: Option<&'a Served<S>>,
        section: Section,
        title: &str,
    ) -> Frame<'a> {
        Frame {
            designs: self.designs.iter().map(Served::name).collect(),
            design: design.map(Served::name),
            section,
            title: title.to_owned(),
        }
    }
}
