//! Settings of a restored table that differ from its source.

use singlet_engine::{BillingMode, IndexDefinition, OnDemandThroughput, RestoreOverrides};

use super::{
    AskedIndex, AskedUnits, IndexMember, OnDemandMember, ProvisionedMember, read_indexes, read_on_demand,
    read_provisioned,
};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{Element, Field, List, Text};

/// The members of a restore that change the table.
pub(in crate::operations) struct OverrideMembers<'a> {
    pub(in crate::operations) billing: Option<Text<'a>>,
    pub(in crate::operations) global_indexes: Option<List<Element<IndexMember<'a, false>>>>,
    pub(in crate::operations) local_indexes: Option<List<Element<IndexMember<'a, true>>>>,
    pub(in crate::operations) provisioned: Option<Field<ProvisionedMember>>,
    pub(in crate::operations) on_demand: Option<Field<OnDemandMember>>,
}

/// The overrides, whose members meet their constraints. Contradictions between them aren't checked yet.
#[derive(Debug)]
pub(in crate::operations) struct AskedOverrides {
    billing: Option<BillingMode>,
    global_indexes: Option<Vec<AskedIndex>>,
    local_indexes: Option<Vec<AskedIndex>>,
    provisioned: Option<AskedUnits>,
    on_demand: Option<OnDemandThroughput>,
}

/// Reads the members.
pub(in crate::operations) fn read_overrides(
    constraints: &mut Constraints,
    members: OverrideMembers<'_>,
) -> Option<AskedOverrides> {
    let billing = constraints.choice("billingModeOverride", members.billing.as_ref());
    let global = read_indexes(constraints, "globalSecondaryIndexOverride", members.global_indexes);
    let local = read_indexes(constraints, "localSecondaryIndexOverride", members.local_indexes);
    let provisioned = read_provisioned(constraints, "provisionedThroughputOverride", members.provisioned);
    Some(AskedOverrides {
        billing,
        global_indexes: global?,
        local_indexes: local?,
        provisioned,
        on_demand: read_on_demand(members.on_demand),
    })
}

impl AskedOverrides {
    /// The overrides, or the contradiction between their members.
    pub(in crate::operations) fn into_overrides(self) -> Result<RestoreOverrides, Failure> {
        Ok(RestoreOverrides {
            billing: self.billing,
            provisioned: self.provisioned.map(AskedUnits::checked).transpose()?,
            on_demand: self.on_demand,
            global_indexes: self.global_indexes.map(definitions).transpose()?,
            local_indexes: self.local_indexes.map(definitions).transpose()?,
            encryption: None,
        })
    }
}

fn definitions(indexes: Vec<AskedIndex>) -> Result<Vec<IndexDefinition>, Failure> {
    indexes.into_iter().map(AskedIndex::into_definition).collect()
}
