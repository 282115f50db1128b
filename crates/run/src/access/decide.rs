//! Decides a rule, as far as it can be decided before items are known.

use singlet_design::{Callers, Json, Operation, Pattern, Who};
use singlet_expr::{Condition, Path};

use super::caller::Caller;
use crate::arguments::ArgumentList;
use crate::rights::ItemRule;

/// The decision about a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Decision {
    /// It is refused.
    Refused,
    /// It is allowed.
    Allowed,
    /// It is allowed for items that satisfy these conditions.
    For(Vec<ItemRule>),
}

/// A call, about which a rule is decided.
pub(super) struct Question<'a> {
    pub(super) callers: &'a Callers,
    pub(super) pattern: &'a Pattern,
    pub(super) caller: &'a Caller,
    pub(super) arguments: &'a dyn ArgumentList,
    /// Whether a relation holds, for each rule of the kind.
    pub(super) holds: &'a dyn Fn(&Who) -> bool,
}

impl Question<'_> {
    /// Decides a rule.
    pub(super) fn decide(&self, who: &Who) -> Decision {
        match who {
            Who::Anyone => Decision::Allowed,
            Who::Caller => self.known(self.caller.value(self.callers).is_some()),
            Who::Role(role) => {
                let has_role = self.caller.roles().iter().any(|known| known == role);
                self.known(has_role && self.caller.value(self.callers).is_some())
            }
            Who::Own { parameter } => self.own(parameter),
            Who::Owner { step, field, is_several } => self.owner(step.as_deref(), field, *is_several),
            Who::Related { .. } => self.known(self.caller.value(self.callers).is_some() && (self.holds)(who)),
            Who::Any(rules) => any(rules.iter().map(|rule| self.decide(rule))),
            Who::All(rules) => all(rules.iter().map(|rule| self.decide(rule))),
        }
    }

    fn known(&self, holds: bool) -> Decision {
        if holds { Decision::Allowed } else { Decision::Refused }
    }

    /// The parameter is the caller. A put must not replace an item of somebody else.
    fn own(&self, parameter: &str) -> Decision {
        let Some(value) = self.caller.value(self.callers) else { return Decision::Refused };
        if self.arguments.argument(parameter) != Some(&value) {
            return Decision::Refused;
        }
        match &self.pattern.operation {
            Operation::Put(insert) if !in_key(&insert.entity, parameter) => {
                self.owner(None, parameter, false)
            }
            _ => Decision::Allowed,
        }
    }

    fn owner(&self, step: Option<&str>, field: &str, is_several: bool) -> Decision {
        let Some(value) = self.caller.value(self.callers) else { return Decision::Refused };
        let Ok(id) = singlet_design::to_attribute(&self.callers.kind, &value) else {
            return Decision::Refused;
        };
        if step.is_none() && self.gives_away(field, &value) {
            return Decision::Refused;
        }
        let path = Path::dotted(field);
        let condition = if is_several { Condition::contains(path, id) } else { Condition::equal(path, id) };
        Decision::For(vec![ItemRule { step: step.map(str::to_owned), condition }])
    }

    /// Whether a call would write an item that belongs to somebody else.
    fn gives_away(&self, field: &str, value: &Json) -> bool {
        let creates = match &self.pattern.operation {
            Operation::Put(_) => true,
            Operation::Update(update) => update.first.is_some(),
            _ => false,
        };
        creates
            && match self.arguments.argument(field) {
                Some(Json::List(several)) => !several.contains(value),
                Some(one) => one != value,
                None => self.pattern.parameter(field).is_some(),
            }
    }
}

fn in_key(entity: &singlet_design::Entity, field: &str) -> bool {
    let mut templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    templates.any(|template| template.fields().any(|known| known == field))
}

/// One of several rules must hold.
fn any(decisions: impl Iterator<Item = Decision>) -> Decision {
    let mut joined: Option<Vec<ItemRule>> = None;
    for decision in decisions {
        match decision {
            Decision::Allowed => return Decision::Allowed,
            Decision::Refused => {}
            Decision::For(rules) => {
                joined = Some(match joined {
                    None => rules,
                    Some(known) => either(known, rules),
                });
            }
        }
    }
    joined.map_or(Decision::Refused, Decision::For)
}

/// One of two conditions on the item of the same step. A loaded design has no others in one list; of these, the first one
/// is demanded.
fn either(known: Vec<ItemRule>, more: Vec<ItemRule>) -> Vec<ItemRule> {
    match (known.as_slice(), more.as_slice()) {
        ([one], [other]) if one.step == other.step => {
            let condition = one.condition.clone().or(other.condition.clone());
            vec![ItemRule { step: one.step.clone(), condition }]
        }
        _ => known,
    }
}

/// All of several rules must hold.
fn all(decisions: impl Iterator<Item = Decision>) -> Decision {
    let mut joined: Vec<ItemRule> = Vec::new();
    for decision in decisions {
        let Decision::For(rules) = decision else {
            if decision == Decision::Refused {
                return Decision::Refused;
            }
            continue;
        };
        for rule in rules {
            match joined.iter_mut().find(|known| known.step == rule.step) {
                Some(known) => known.condition = known.condition.clone().and(rule.condition),
                None => joined.push(rule),
            }
        }
    }
    if joined.is_empty() { Decision::Allowed } else { Decision::For(joined) }
}
