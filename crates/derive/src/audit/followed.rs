//! Fields that follow from the fields of their item: each item alone tells whether they are right.

use singlet_store::Store;
use singlet_values::Item;

use super::report::{AuditReport, Difference};
use super::{Audit, is_ready};
use crate::draft::Draft;
use crate::progress::Progress;
use crate::rules::Member;
use crate::tally::Tally;
use crate::target::Settler;

impl<S: Store> Audit<S> {
    /// Compares the fields that rules set by a condition.
    pub(super) fn compare_followed(
        &self,
        progress: &Progress,
        member: &Member,
        (key, item): (&Item, &Item),
        report: &mut AuditReport,
    ) {
        let entity = &*member.entity;
        let settler = Settler {
            rules: &self.rules,
            progress,
            owner: &self.owner,
            batch: progress.batch,
            now_ms: self.now_ms,
        };
        let mut draft = Draft::new(entity, item);
        // An item that can't take its values is listed among those that are stuck.
        if settler.follow(&mut draft, entity).is_err() {
            return;
        }
        for (at, _, setter) in
            self.rules.sets_of(&entity.name).filter(|(_, rule, _)| is_ready(rule, progress))
        {
            for (field, _) in &setter.rule.set {
                report.fields += 1;
                let (stored, correct) = (item.get(field), draft.item.get(field));
                if stored != correct {
                    report.add(Difference {
                        entity: entity.name.clone(),
                        key: key.clone(),
                        field: field.clone(),
                        stored: stored.cloned(),
                        correct: correct.cloned(),
                        has_item: true,
                        rule: at,
                        missing: Tally::default(),
                    });
                }
            }
        }
    }
}
