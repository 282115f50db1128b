//! Provisioned, on-demand and warm throughput.

use std::fmt::Display;

use serde::Deserialize;
use singlet_engine::{OnDemandThroughput, ProvisionedThroughput, WarmThroughput};

use crate::constraint::Constraints;
use crate::read::{Field, Structure, Whole};
use crate::text::RequestError;

const UNITS_MAX: i64 = 1_000_000_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct ProvisionedMember {
    read_capacity_units: Option<Whole<true>>,
    write_capacity_units: Option<Whole<true>>,
}

impl Structure for ProvisionedMember {
    const NAME: &'static str = "ProvisionedThroughput";
}

/// Units that were asked for. They aren't checked against the limits of a table yet.
#[derive(Debug, Clone, Copy)]
pub(in crate::operations) struct AskedUnits {
    read: i64,
    write: i64,
}

/// Reads provisioned throughput.
pub(in crate::operations) fn read_provisioned(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: Option<Field<ProvisionedMember>>,
) -> Option<AskedUnits> {
    let Field(member) = member?;
    let mut units = |name: &str, units: Option<Whole<true>>| {
        let path = format_args!("{path}.{name}");
        let units = constraints.required(path, units).map(|units| units.0);
        constraints.range(path, units, (1, i64::MAX));
        units
    };
    let write = units("writeCapacityUnits", member.write_capacity_units);
    let read = units("readCapacityUnits", member.read_capacity_units);
    Some(AskedUnits { read: read?, write: write? })
}

impl AskedUnits {
    /// The units, if they are within the limits of a table.
    pub(in crate::operations) fn checked(self) -> Result<ProvisionedThroughput, RequestError> {
        let check = |value: i64, parameter| {
            let units = u64::try_from(value).ok().filter(|_| value <= UNITS_MAX);
            units.ok_or(RequestError::CapacityOutOfBounds { value, parameter })
        };
        Ok(ProvisionedThroughput {
            read_units: check(self.read, "ReadCapacityUnits")?,
            write_units: check(self.write, "WriteCapacityUnits")?,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct OnDemandMember {
    max_read_request_units: Option<Whole<true>>,
    max_write_request_units: Option<Whole<true>>,
}

impl Structure for OnDemandMember {
    const NAME: &'static str = "OnDemandThroughput";
}

/// Reads ceilings. -1 means no ceiling.
pub(in crate::operations) fn read_on_demand(
    member: Option<Field<OnDemandMember>>,
) -> Option<OnDemandThroughput> {
    let Field(member) = member?;
    let ceiling = |units: Option<Whole<true>>| units.map(|units| units.0).filter(|units| *units != -1);
    Some(OnDemandThroughput {
        read_units_max: ceiling(member.max_read_request_units),
        write_units_max: ceiling(member.max_write_request_units),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct WarmMember {
    read_units_per_second: Option<Whole<true>>,
    write_units_per_second: Option<Whole<true>>,
}

impl Structure for WarmMember {
    const NAME: &'static str = "WarmThroughput";
}

/// Reads warm throughput.
pub(in crate::operations) fn read_warm(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: Option<Field<WarmMember>>,
) -> Option<WarmThroughput> {
    let Field(member) = member?;
    let mut units = |name: &str, units: Option<Whole<true>>| {
        let units = units.map(|units| units.0);
        constraints.range(format_args!("{path}.{name}"), units, (1, i64::MAX));
        units.and_then(|units| u64::try_from(units).ok())
    };
    Some(WarmThroughput {
        read_units: units("readUnitsPerSecond", member.read_units_per_second),
        write_units: units("writeUnitsPerSecond", member.write_units_per_second),
    })
}
