//! Fields that follow from a source or from the fields of their item: each item tells whether they are right.

use singlet_store::Store;
use singlet_values::Item;

use super::report::{AuditReport, Difference};
use super::{Audit, is_ready};
use crate::draft::Draft;
use crate::progress::Progress;
use crate::rules::Member;
use crate::sources::Sources;
use crate::tally::Tally;
use crate::target::Settler;

impl<S: Store> Audit<S> {
    pub(super) fn settler<'a>(&'a self, progress: &'a Progress, sources: &'a Sources) -> Settler<'a> {
        Settler {
            rules: &self.rules,
            progress,
            owner: &self.owner,
            batch: progress.batch,
            sources,
            now_ms: self.now_ms,
        }
    }

    /// Compares the fields that are copied, set by a condition, or one value of other items.
    pub(super) fn compare_followed(
        &self,
        progress: &Progress,
        member: &Member,
        (key, item, sources): (&Item, &Item, &Sources),
        report: &mut AuditReport,
    ) {
        let entity = &*member.entity;
        let settler = self.settler(progress, sources);
        let mut draft = Draft::new(entity, item);
        // An item that can't take its values is listed among those that are stuck.
        if settler.follow(&mut draft, entity).is_err() {
            return;
        }
        let copies = self.rules.copies_of(&entity.name);
        let copies = copies.map(|(at, rule, copier)| (at, rule, copier.rule.field.as_str()));
        let sets = self.rules.sets_of(&entity.name).flat_map(|(at, rule, setter)| {
            setter.rule.set.iter().map(move |(field, _)| (at, rule, field.as_str()))
        });
        let extremes = self.rules.extremes_of(&entity.name);
        let extremes = extremes.map(|(at, rule, seeker)| (at, rule, seeker.rule.field.as_str()));
        for (at, rule, field) in
            copies.chain(extremes).chain(sets).filter(|(_, rule, _)| is_ready(rule, progress))
        {
            report.fields += 1;
            let (stored, correct) = (item.get(field), draft.item.get(field));
            if stored != correct {
                report.add(Difference {
                    entity: entity.name.clone(),
                    key: key.clone(),
                    field: field.to_owned(),
                    stored: stored.cloned(),
                    correct: correct.cloned(),
                    has_item: true,
                    rule: rule.name.clone(),
                    identity: None,
                    at,
                    missing: Tally::default(),
                    pair: None,
                });
            }
        }
    }
}
