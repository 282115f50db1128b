//! The estimated cost of one call of each pattern.

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_design::{Design, Pattern, Rate};
use singlet_review::{Contribution, Load};

/// Capacity units of one call, estimated from the bounds and relations that the design declares.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Cost {
    pub(crate) read_units: f64,
    pub(crate) write_units: f64,
}

/// The cost of each pattern, by name.
#[derive(Debug)]
pub(crate) struct Costs(BTreeMap<String, Cost>);

impl Costs {
    /// Takes the load that the patterns would make if each was called once a second.
    pub(crate) fn of(design: &Design) -> Costs {
        let once = |pattern: &Arc<Pattern>| {
            Arc::new(Pattern { rate: Some(Rate { per_second: 1.0 }), ..(**pattern).clone() })
        };
        let design = Design { patterns: design.patterns.iter().map(once).collect(), ..design.clone() };
        let load = Load::of(&design);
        let mut costs = Costs(BTreeMap::new());
        for key in &load.keys {
            key.reads.iter().for_each(|read| costs.cost(read).read_units += read.units_per_second);
            key.writes.iter().for_each(|write| costs.cost(write).write_units += write.units_per_second);
        }
        for (_, scan) in &load.scans {
            costs.cost(scan).read_units += scan.units_per_second;
        }
        costs
    }

    fn cost(&mut self, contribution: &Contribution) -> &mut Cost {
        self.0.entry(contribution.pattern.name.clone()).or_default()
    }

    /// The units a second that all patterns need at their declared rates. The plan leaves out patterns without one.
    pub(crate) fn per_second(&self, design: &Design) -> Cost {
        let mut sum = Cost::default();
        for pattern in &design.patterns {
            let calls = pattern.rate.map(|rate| rate.per_second).unwrap_or_default();
            let Cost { read_units, write_units } = self.get(&pattern.name);
            sum.read_units += calls * read_units;
            sum.write_units += calls * write_units;
        }
        sum
    }

    pub(crate) fn get(&self, pattern: &str) -> Cost {
        self.0.get(pattern).copied().unwrap_or_default()
    }
}
