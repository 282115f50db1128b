//! `capacity-mismatch`: provisioned capacity that doesn't fit the declared rates.

use singlet_design::{Capacity, CapacityRange, CapacityUnits, Pattern, Setting, Subject, Table};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{Contribution, TableOrIndex};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::number;

pub(super) static RULE: Rule = Rule {
    id: "capacity-mismatch",
    summary: "provisioned capacity that doesn't fit the declared rates",
    page: include_str!("capacity_mismatch.md"),
    check: Check::Review(check),
};

/// The share of the capacity that the declared rates may use: the rest is for seconds that are busier than others.
const USED_SHARE: f64 = 0.7;
/// Capacity of this many times the need is reported.
const TIMES_TOO_MUCH: f64 = 5.0;
/// Unused units that aren't worth a finding.
const UNUSED_UNITS_MIN: f64 = 50.0;

/// The capacity that a design declares for a table.
struct Declared<'a> {
    capacity: Capacity,
    /// The environment that overrides the table's own.
    environment: Option<&'a str>,
}

/// The units a second that a table or an index needs, beside its capacity.
struct Need<'a> {
    /// The index; `None` for the table itself.
    index: Option<&'a str>,
    read: f64,
    write: f64,
    capacity: CapacityRange,
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for table in &context.design.tables {
        let Some(declared) = largest(context, table) else { continue };
        let needs = needs(context, table, &declared.capacity);
        if needs.iter().all(|need| need.read + need.write == 0.0) {
            continue;
        }
        let place = match declared.environment {
            Some(environment) => format!("`{}` in the environment `{environment}`", table.label),
            None => format!("`{}`", table.label),
        };
        let short: Vec<String> = needs.iter().flat_map(Need::short).collect();
        let ample: Vec<String> = needs.iter().flat_map(Need::ample).collect();
        let (severity, message) = if !short.is_empty() {
            let message = format!(
                "by the declared rates, {place} needs more than its capacity `{}`: {}",
                declared.capacity,
                short.join(", ")
            );
            (Severity::Error, message)
        } else if !ample.is_empty() && every_rate_is_known(context) {
            let message = format!(
                "the capacity `{}` of {place} is paid for, and the declared rates use little of it: {}",
                declared.capacity,
                ample.join(", ")
            );
            (Severity::Info, message)
        } else {
            continue;
        };
        let subject = Subject::table(table);
        let span = match declared.environment {
            Some(_) => context.name_span(&subject),
            None => context.span(&subject, "capacity"),
        };
        let fitting = fitting(&needs);
        let mut fixes = Vec::new();
        // A string stands for the table and all of its indexes.
        if declared.environment.is_none() && context.text(span).starts_with(['"', '\'']) {
            fixes.push(Fix::replace("provision what the rates need", span, format!("\"{fitting}\"")));
        }
        fixes.push(Fix::advice(format!(
            "provision `{fitting}`, or bill on demand while the load isn't known"
        )));
        findings.report(severity, span, vec![subject], message, fixes);
    }
}

/// The largest capacity of a table among its own and those of the environments: the rates are those of production, and
/// an environment for tests needs less.
fn largest<'a>(context: &Context<'a>, table: &Table) -> Option<Declared<'a>> {
    let on = |setting: Option<Setting<Capacity>>| setting.and_then(Setting::on);
    let own = on(table.settings.capacity.clone());
    let others = context.design.environments.iter().filter_map(|environment| {
        let capacity = on(environment.settings_of(table).capacity)?;
        let is_own = own.as_ref() == Some(&capacity);
        Some(Declared { capacity, environment: (!is_own).then_some(environment.name.as_str()) })
    });
    let own = own.clone().map(|capacity| Declared { capacity, environment: None });
    let units = |declared: &Declared<'_>| {
        let CapacityUnits { read, write } = most(declared.capacity.table);
        read.saturating_add(write)
    };
    // The first of equally large ones is the table's own.
    own.into_iter().chain(others).reduce(|one, other| if units(&other) > units(&one) { other } else { one })
}

/// The most units that a capacity grows to.
fn most(range: CapacityRange) -> CapacityUnits {
    range.most.unwrap_or(range.least)
}

/// The needs of a table, together with its local indexes, and of each global index.
fn needs<'a>(context: &Context<'_>, table: &'a Table, capacity: &Capacity) -> Vec<Need<'a>> {
    let mut own = Need { index: None, read: 0.0, write: 0.0, capacity: capacity.table };
    own.add(context, table, None);
    let mut needs = Vec::new();
    for index in &table.indexes {
        if index.local {
            own.add(context, table, Some(&index.name));
            continue;
        }
        let (name, capacity) = (index.name.as_str(), capacity.of_index(&index.name));
        let mut need = Need { index: Some(name), read: 0.0, write: 0.0, capacity };
        need.add(context, table, Some(name));
        needs.push(need);
    }
    needs.insert(0, own);
    needs
}

/// The units for which the capacity is right, for the table and all of its indexes.
fn fitting(needs: &[Need<'_>]) -> String {
    let greatest = |units: &dyn Fn(&Need<'_>) -> f64| needs.iter().map(units).fold(0.0, f64::max);
    let units = |units: f64| (units / USED_SHARE).ceil().max(1.0);
    format!("{}/{}", units(greatest(&|need| need.read)), units(greatest(&|need| need.write)))
}

/// Whether no pattern's calls are left out of the load.
fn every_rate_is_known(context: &Context<'_>) -> bool {
    let is_run = |pattern: &Pattern| context.directory.users_of(pattern).next().is_some();
    context.design.patterns.iter().all(|pattern| pattern.rate.is_some() || is_run(pattern))
}

impl Need<'_> {
    /// Adds the load of the table or of one of its indexes.
    fn add(&mut self, context: &Context<'_>, table: &Table, index: Option<&str>) {
        let on = TableOrIndex { table: table.label.clone(), index: index.map(str::to_owned) };
        let sum = |of: &[Contribution]| of.iter().map(|one| one.units_per_second).sum::<f64>();
        for key in context.load.keys.iter().filter(|key| key.on == on) {
            self.read += sum(&key.reads);
            self.write += sum(&key.writes);
        }
        let scans = context.load.scans.iter().filter(|(scanned, _)| *scanned == on);
        self.read += scans.map(|(_, scan)| scan.units_per_second).sum::<f64>();
    }

    fn kinds(&self) -> [(&'static str, f64, u64, u64); 2] {
        let (least, most) = (self.capacity.least, most(self.capacity));
        [("read", self.read, least.read, most.read), ("write", self.write, least.write, most.write)]
    }

    fn place(&self) -> String {
        self.index.map_or_else(|| "the table".to_owned(), |index| format!("`{index}`"))
    }

    /// Returns the units that exceed the capacity, in words.
    fn short(&self) -> Vec<String> {
        let kinds = self.kinds().into_iter().filter(|(_, need, _, most)| *need > *most as f64);
        let words = |(kind, need, _, most): (&str, f64, u64, u64)| {
            format!("{} {kind} units a second of {} in {}", number(need), number(most as f64), self.place())
        };
        kinds.map(words).collect()
    }

    /// Returns the capacity that is far above the need, in words.
    fn ample(&self) -> Vec<String> {
        let kinds = self.kinds().into_iter().filter(|(_, need, least, _)| {
            let least = *least as f64;
            least > *need * TIMES_TOO_MUCH && least - need >= UNUSED_UNITS_MIN
        });
        let words = |(kind, need, least, _): (&str, f64, u64, u64)| {
            format!("{} of {} {kind} units in {}", number(need), number(least as f64), self.place())
        };
        kinds.map(words).collect()
    }
}
