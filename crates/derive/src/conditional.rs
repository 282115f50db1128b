//! Fields that are set while a condition on the same item holds.

use singlet_design::{ConditionalSet, ValueSource, default_of};
use singlet_run::derive::{given_value, value_at, with_defaults};
use singlet_run::holds_for;
use singlet_values::{AttributeValue, Item};

use crate::draft::Draft;

/// A rule that sets fields.
#[derive(Debug, Clone)]
pub(crate) struct Setter {
    pub(crate) rule: ConditionalSet,
}

impl Setter {
    /// Sets the fields, or takes their values back. Returns whether one of them has changed.
    pub(crate) fn apply(&self, draft: &mut Draft<'_>, now_ms: u64) -> Result<bool, String> {
        let seen = with_defaults(&self.rule.entity, &draft.item).into_owned();
        let is_changed = if holds_for(&self.rule.entity, &self.rule.condition, &seen) {
            self.set(draft, &seen, now_ms)?
        } else {
            self.rule.unset && self.unset(draft)
        };
        if is_changed {
            self.rule.sources().into_iter().for_each(|path| draft.rely_on(path));
        }
        Ok(is_changed)
    }

    /// Sets the fields. The time is taken when the other fields get their values, and not again while they keep them.
    fn set(&self, draft: &mut Draft<'_>, seen: &Item, now_ms: u64) -> Result<bool, String> {
        let mut is_changed = false;
        let (timed, plain): (Vec<_>, Vec<_>) = self.rule.set.iter().partition(|(_, value)| uses_now(value));
        for (name, source) in plain {
            let Some(value) = self.value(name, source, seen, now_ms)? else { continue };
            if seen.get(name) != Some(&value) {
                is_changed |= draft.set(name, Some(value));
            }
        }
        let is_set_now = is_changed;
        for (name, source) in timed {
            if !is_set_now && seen.get(name).is_some() {
                continue;
            }
            if let Some(value) = self.value(name, source, seen, now_ms)? {
                is_changed |= draft.set(name, Some(value));
            }
        }
        Ok(is_changed)
    }

    fn unset(&self, draft: &mut Draft<'_>) -> bool {
        let mut is_changed = false;
        for (name, _) in &self.rule.set {
            if draft.item.contains(name) {
                is_changed |= draft.set(name, self.rule.entity.field(name).and_then(default_of));
            }
        }
        is_changed
    }

    fn value(
        &self,
        name: &str,
        source: &ValueSource,
        seen: &Item,
        now_ms: u64,
    ) -> Result<Option<AttributeValue>, String> {
        let Some(field) = self.rule.entity.field(name) else { return Ok(None) };
        let look = |path: &str| value_at(seen, path).cloned();
        given_value(field, source, &look, now_ms).map_err(|error| error.to_string())
    }
}

/// Whether a value is a new one each time.
fn uses_now(source: &ValueSource) -> bool {
    match source {
        ValueSource::Now => true,
        ValueSource::Composed(composed) => composed.uses_now(),
        ValueSource::Constant(_) | ValueSource::Parameter(_) => false,
    }
}
