//! Runs the patterns of a design on a store.

use std::sync::Arc;

use singlet_design::{Design, Operation, Pattern};
use singlet_store::{Clock, Feature, Store, StoreError, SystemClock};

use crate::arguments::{ArgumentList, Bound};
use crate::call::{Call, Paging, PlanContext, Site};
use crate::cursor::{self, Seal};
use crate::entropy::{Entropy, SystemEntropy};
use crate::error::{RunError, WrongParameter};
use crate::key_values::check_keys;
use crate::needs::needs;
use crate::outcome::Outcome;
use crate::read::ReadPlan;
use crate::rights::Rights;
use crate::write::{self, ItemDifference, ItemError, ItemWrite};

/// Runs the patterns of one design on one store.
pub struct Runner<S> {
    site: Site<S>,
    clock: Arc<dyn Clock>,
    /// Whether internal patterns may be run by themselves.
    runs_internal: bool,
    /// One for each pattern of the design, in its order.
    plans: Arc<[PatternPlan]>,
}

impl<S: Store> Runner<S> {
    /// A runner with the system's clock and randomness. Cursors are encrypted with a random key: set
    /// another one to have them accepted by other runners.
    pub fn new(design: Arc<Design>, store: S, environment: impl Into<String>) -> Self {
        let entropy = SystemEntropy::default();
        let mut cursor_key = [0; 32];
        entropy.fill(&mut cursor_key);
        let environment = environment.into();
        let context = PlanContext { design: &design, environment: &environment };
        let plans = design.patterns.iter().map(|pattern| PatternPlan::new(&context, pattern)).collect();
        let site = Site {
            seal: Arc::new(Seal::new(&cursor_key, &design.name, &environment)),
            table_names: design.tables.iter().map(|table| table.name_in(&environment)).collect(),
            design,
            store,
            environment,
            entropy: Arc::new(entropy),
        };
        Runner { site, clock: Arc::new(SystemClock), runs_internal: false, plans }
    }

    /// Takes the time from this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Takes random bytes from here.
    #[must_use]
    pub fn with_entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.site.entropy = entropy;
        self
    }

    /// Encrypts cursors with this key.
    #[must_use]
    pub fn with_cursor_key(mut self, key: [u8; 32]) -> Self {
        self.site.seal = Arc::new(Seal::new(&key, &self.site.design.name, &self.site.environment));
        self
    }

    /// Runs internal patterns by themselves, too: for looking at what they would do.
    #[must_use]
    pub fn with_internal_patterns(mut self) -> Self {
        self.runs_internal = true;
        self
    }

    /// The design.
    pub fn design(&self) -> &Arc<Design> {
        &self.site.design
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.site.store
    }

    /// The environment's name.
    pub fn environment(&self) -> &str {
        &self.site.environment
    }

    /// Returns a runner of the same patterns on another view of the store, such as a [`Recording`] of its requests.
    /// Both accept each other's cursors.
    ///
    /// [`Recording`]: crate::explain::Recording
    pub fn on<T: Store>(&self, store: T) -> Runner<T> {
        Runner {
            site: self.site.on(store),
            clock: Arc::clone(&self.clock),
            runs_internal: self.runs_internal,
            plans: Arc::clone(&self.plans),
        }
    }

    /// Runs a pattern.
    ///
    /// A pattern that writes commits once, as one request or one transaction. If the future is dropped before the
    /// commit, nothing was written. If it is dropped later, everything was.
    pub async fn run(
        &self,
        pattern: &str,
        arguments: &dyn ArgumentList,
        paging: &Paging,
    ) -> Result<Outcome, RunError> {
        self.run_with(Rights::OPERATOR, pattern, arguments, paging).await
    }

    /// Runs a pattern with the rights of a caller.
    pub(crate) async fn run_with(
        &self,
        rights: &Rights,
        pattern: &str,
        arguments: &dyn ArgumentList,
        paging: &Paging,
    ) -> Result<Outcome, RunError> {
        let (pattern, plan) = self.find(pattern)?;
        self.run_plan((pattern, plan), rights, arguments, paging).await
    }

    /// Runs a pattern for Singlet itself, also an internal one.
    pub(crate) async fn run_any(
        &self,
        pattern: &str,
        arguments: &dyn ArgumentList,
        paging: &Paging,
    ) -> Result<Outcome, RunError> {
        let mut plans = self.site.design.patterns.iter().zip(self.plans.iter());
        let found = plans.find(|(known, _)| known.name == pattern);
        let found = found.ok_or(RunError::Fault("a pattern of the design has no plan"))?;
        self.run_plan(found, Rights::OPERATOR, arguments, paging).await
    }

    /// Whether a pattern answers with pages.
    pub(crate) fn is_list(&self, pattern: &Pattern) -> bool {
        let mut plans = self.site.design.patterns.iter().zip(self.plans.iter());
        let plan = plans.find(|(known, _)| known.name == pattern.name).map(|(_, plan)| &plan.way);
        matches!(plan, Some(Way::Read(read)) if read.is_list())
    }

    async fn run_plan(
        &self,
        (pattern, plan): (&Arc<Pattern>, &PatternPlan),
        rights: &Rights,
        arguments: &dyn ArgumentList,
        paging: &Paging,
    ) -> Result<Outcome, RunError> {
        if !plan.needs.is_empty() {
            self.check_features(pattern, plan).await?;
        }
        check_paging(pattern, plan, paging)?;
        let now_ms = self.clock.now_ms();
        let read = match &plan.way {
            Way::Read(read) => read,
            // Boxed, so that the future of a read stays small.
            way @ (Way::Write | Way::Claim(_) | Way::Bulk(_)) => {
                return Box::pin(self.write((pattern, way), rights, arguments, paging, now_ms)).await;
            }
            Way::Impossible => return Err(RunError::Fault("the parts of this pattern don't fit together")),
        };
        let bound = Bound::check(pattern, arguments)?;
        let mut call = Call { pattern, bound, paging, now_ms, rights };
        if let Some(cursor) = &paging.cursor {
            let (held, _) = self.site.seal.open(&call.bond(), cursor)?;
            call.bound.hold(held);
        }
        match read.run(&self.site, &call).await {
            // A request that was right for the page before is refused now: the place that the cursor names is no longer
            // one of the list.
            Err(RunError::Store(StoreError::Refused(_))) if paging.cursor.is_some() => Err(cursor::OUTDATED),
            answer => answer,
        }
    }

    /// Writes one item without a pattern, by the rules of the design, and returns it before and after.
    pub async fn write_item(&self, write: &ItemWrite) -> Result<ItemDifference, ItemError> {
        Box::pin(write::write_item(&self.site, write, self.clock.now_ms())).await
    }

    async fn write(
        &self,
        (pattern, way): (&Arc<Pattern>, &Way),
        rights: &Rights,
        arguments: &dyn ArgumentList,
        paging: &Paging,
        now_ms: u64,
    ) -> Result<Outcome, RunError> {
        let filled = write::filled(pattern, arguments, &*self.site.entropy, now_ms);
        let bound = Bound::check(pattern, filled.as_ref().map_or(arguments, |filled| filled))?;
        let call = Call { pattern, bound, paging, now_ms, rights };
        match (way, &pattern.operation) {
            (Way::Claim(plan), _) => plan.run(&self.site, &call).await,
            (Way::Bulk(plan), _) => plan.run(&self.site, &call).await,
            (_, Operation::Transaction(_)) => write::run_transaction(&self.site, &call).await,
            _ => write::run_write(&self.site, &call).await,
        }
    }

    fn find(&self, name: &str) -> Result<(&Arc<Pattern>, &PatternPlan), RunError> {
        let plans = || self.site.design.patterns.iter().zip(self.plans.iter());
        let open = |pattern: &Pattern| self.runs_internal || !pattern.internal;
        match plans().find(|(pattern, _)| pattern.name == name) {
            Some((pattern, plan)) if open(pattern) => Ok((pattern, plan)),
            Some((pattern, _)) => {
                let users =
                    self.site.design.users_of(pattern).map(|user| format!("`{}`", user.name)).collect();
                Err(RunError::Internal { name: name.to_owned(), users })
            }
            None => {
                let names =
                    plans().filter(|(pattern, _)| open(pattern)).map(|(pattern, _)| pattern.name.as_str());
                let nearest = singlet_design::nearest(name, names).map(str::to_owned);
                Err(RunError::NoPattern { name: name.to_owned(), nearest })
            }
        }
    }

    async fn check_features(&self, pattern: &Pattern, plan: &PatternPlan) -> Result<(), RunError> {
        for feature in &plan.needs {
            self.site.require(&pattern.name, *feature).await?;
        }
        Ok(())
    }
}

/// How a pattern is run.
enum Way {
    /// It reads.
    Read(ReadPlan),
    /// It writes: what, depends on the values.
    Write,
    /// It writes the first item of a list that can be written.
    Claim(Box<write::ClaimPlan>),
    /// It writes the elements of a list.
    Bulk(write::BulkPlan),
    /// Its parts don't fit together. No design that was loaded has such a pattern.
    Impossible,
}

/// The plan of one pattern.
struct PatternPlan {
    /// How it is run.
    way: Way,
    /// The features that the store must have.
    needs: Vec<Feature>,
}

impl PatternPlan {
    fn new(context: &PlanContext<'_>, pattern: &Pattern) -> Self {
        let needs = needs(pattern).into_iter().map(|(feature, _)| feature).collect();
        let way = match (&pattern.operation, ReadPlan::new(context, pattern)) {
            (_, Some(read)) => Way::Read(read),
            (Operation::Claim(walk), _) => write::ClaimPlan::new(context, walk)
                .map_or(Way::Impossible, |plan| Way::Claim(Box::new(plan))),
            (Operation::Bulk(walk), _) => {
                write::BulkPlan::new(context, walk).map_or(Way::Impossible, Way::Bulk)
            }
            _ if pattern.reads() => Way::Impossible,
            _ => Way::Write,
        };
        PatternPlan { way, needs }
    }
}

/// Checks the arguments of a call without running it, and returns all that are missing, unknown or don't fit.
pub fn check_arguments(pattern: &Pattern, arguments: &dyn ArgumentList) -> Vec<WrongParameter> {
    // What Singlet would make has to be there, not to be right.
    let filled = write::filled(pattern, arguments, &SystemEntropy::default(), 0);
    let (bound, mut wrong) = Bound::bind(pattern, filled.as_ref().map_or(arguments, |filled| filled));
    wrong.extend(check_keys(pattern, &bound));
    wrong
}

/// Only lists have pages.
fn check_paging(pattern: &Pattern, plan: &PatternPlan, paging: &Paging) -> Result<(), RunError> {
    let (pages, lists) = match &plan.way {
        Way::Read(read) => (read.is_list(), read.has_list()),
        Way::Bulk(_) => (true, true),
        Way::Write | Way::Claim(_) | Way::Impossible => (false, false),
    };
    if paging.cursor.is_some() && !pages {
        return Err(RunError::Cursor("belongs to a list: ask for the next page with the list's own pattern"));
    }
    if paging.limit.is_some() && !lists {
        let reason = format!("doesn't apply: {} doesn't answer with a list", pattern.name);
        return Err(RunError::Parameter { parameter: "limit".to_owned(), reason });
    }
    Ok(())
}
