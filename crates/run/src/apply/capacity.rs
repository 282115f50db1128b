//! The capacity of tables and indexes: the wanted one compared with the present one, and what auto scaling needs.

use singlet_design::{Capacity, CapacityRange, CapacityUnits, Setting};
use singlet_store::{
    CapacityChange, Feature, IndexState, ProvisionedThroughput, Store, TableChange, TableShape, TableState,
};

use super::plan::{Plan, Step};

/// The share of the capacity that auto scaling should leave in use, in percent: the default of Amazon's console.
const TARGET_PERCENT: u32 = 70;

/// The capacity with which a table or index begins.
pub(super) fn throughput(units: CapacityUnits) -> ProvisionedThroughput {
    ProvisionedThroughput { read_units: units.read, write_units: units.write }
}

fn units(throughput: ProvisionedThroughput) -> CapacityUnits {
    CapacityUnits { read: throughput.read_units, write: throughput.write_units }
}

impl Plan {
    /// Changes the capacity of a table that is there, and gives new indexes of it what they need.
    pub(super) fn compare_capacity(
        &mut self,
        wanted: &mut TableShape,
        capacity: Option<&Setting<Capacity>>,
        state: &TableState,
    ) {
        let there = &state.shape;
        let table = there.name.clone();
        let change = match (capacity, there.throughput) {
            (Some(Setting::On(capacity)), _) => difference(capacity, state),
            (Some(Setting::Off), Some(_)) => Some(CapacityChange::OnDemand),
            (None, Some(present)) => {
                self.notes.push(format!(
                    "{table}: its capacity of {} stays, because the design doesn't mention it; capacity = \"on demand\" \
                     would change it",
                    units(present)
                ));
                // An index of a table with provisioned capacity can't be made without.
                let global = wanted.indexes.iter_mut().filter(|index| !index.local);
                global.for_each(|index| index.throughput = Some(present));
                None
            }
            (_, None) => None,
        };
        if let Some(change) = change {
            self.steps.push(Step::Change(TableChange::Capacity { table, change }));
        }
    }

    /// Says what a store does with provisioned capacity, and what must be set up for auto scaling.
    pub(super) async fn note_capacity(
        &mut self,
        wanted: &TableShape,
        capacity: Option<&Setting<Capacity>>,
        store: &impl Store,
    ) {
        let Some(Setting::On(capacity)) = capacity else { return };
        let table = &wanted.name;
        if !store.supports(Feature::Throttling).await {
            self.notes.push(format!(
                "{table}: its capacity ({capacity}) is recorded, but {} neither limits requests by it nor scales it",
                store.label()
            ));
            return;
        }
        let global = wanted.indexes.iter().filter(|index| !index.local);
        let indexes = global.map(|index| (Some(index.name.as_str()), capacity.of_index(&index.name)));
        let commands: Vec<String> = std::iter::once((None, capacity.table))
            .chain(indexes)
            .flat_map(|(index, range)| scaling(table, index, range))
            .collect();
        if !commands.is_empty() {
            self.notes.push(format!(
                "{table}: auto scaling is done by Application Auto Scaling, a service of its own at Amazon, which can't \
                 be reached through {}. Set it up once with these commands:",
                store.label()
            ));
            self.notes.extend(commands.iter().map(|command| format!("  {command}")));
        }
    }
}

/// The change from the present capacity to the wanted one, if there is a difference. A capacity that auto scaling has
/// chosen within its bounds is none.
fn difference(capacity: &Capacity, state: &TableState) -> Option<CapacityChange> {
    let there = &state.shape;
    let wanted = |range: CapacityRange, present: Option<ProvisionedThroughput>| {
        let wanted = present.map_or(range.least, |present| range.nearest(units(present)));
        let is_other = there.throughput.is_none() || present.map(units) != Some(wanted);
        is_other.then(|| throughput(wanted))
    };
    let own = wanted(capacity.table, there.throughput);
    let indexes: Vec<(String, ProvisionedThroughput)> = there
        .indexes
        .iter()
        .zip(&state.indexes)
        .filter(|(index, state)| !index.local && **state != IndexState::Deleting)
        .filter_map(|(index, _)| {
            let units = wanted(capacity.of_index(&index.name), index.throughput)?;
            Some((index.name.clone(), units))
        })
        .collect();
    (own.is_some() || !indexes.is_empty()).then_some(CapacityChange::Provisioned { own, indexes })
}

/// The commands that set up auto scaling for a table or one of its indexes.
fn scaling(table: &str, index: Option<&str>, range: CapacityRange) -> Vec<String> {
    let Some(most) = range.most else { return Vec::new() };
    let (kind, resource) = match index {
        None => ("table", format!("table/{table}")),
        Some(index) => ("index", format!("table/{table}/index/{index}")),
    };
    let of = |what: &str, least: u64, most: u64| {
        let target = format!(
            "--service-namespace dynamodb --resource-id {resource} --scalable-dimension \
             dynamodb:{kind}:{what}CapacityUnits"
        );
        let policy = format!(
            "{{\"TargetValue\": {TARGET_PERCENT}, \"PredefinedMetricSpecification\": {{\"PredefinedMetricType\": \
             \"DynamoDB{what}CapacityUtilization\"}}}}"
        );
        let name = format!("{}-{what}", resource.replace('/', "-"));
        [
            format!(
                "aws application-autoscaling register-scalable-target {target} --min-capacity {least} --max-capacity \
                 {most}"
            ),
            format!(
                "aws application-autoscaling put-scaling-policy {target} --policy-name {name} --policy-type \
                 TargetTrackingScaling --target-tracking-scaling-policy-configuration '{policy}'"
            ),
        ]
    };
    let kinds = [("Read", range.least.read, most.read), ("Write", range.least.write, most.write)];
    kinds
        .into_iter()
        .filter(|(_, least, most)| least < most)
        .flat_map(|(what, least, most)| of(what, least, most))
        .collect()
}
