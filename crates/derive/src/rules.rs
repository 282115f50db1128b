//! The rules of a design: which fields follow from which items.

use std::collections::BTreeSet;
use std::sync::Arc;

use singlet_design::{
    Aggregate, AggregateKind, AggregateSource, ConditionalSet, Derivation, DerivationKind, Design, Entity,
    Extreme, FieldCopy,
};
use singlet_run::derive::{key_of, value_at};
use singlet_run::holds_for;
use singlet_values::{AttributeValue, EncodedItem, Item};
use xxhash_rust::xxh3::xxh3_128;

use crate::conditional::Setter;
use crate::copied::Copier;
use crate::error::DeriveError;
use crate::fanner::Fanner;
use crate::making::Workshop;
use crate::mean::is_exact;
use crate::removal::Remover;
use crate::seeker::Seeker;
use crate::tally::Tally;

/// A rule of a design: fields that follow from other items or fields.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// The name in messages and in stored progress: `Post.likeCount`, or `derive.approve`.
    pub(crate) name: String,
    /// The entity that has the fields.
    pub(crate) target: Arc<Entity>,
    pub(crate) kind: RuleKind,
    /// The parts of the design that stored data depends on, besides the rule itself.
    basis: String,
}

/// The effect of a rule.
#[derive(Debug, Clone)]
pub(crate) enum RuleKind {
    /// A field summarises the items that belong to its item.
    Aggregate(Aggregate),
    /// A field repeats a field of the item that its item refers to.
    Copy(Box<Copier>),
    /// A field has one value of the items that belong to its item.
    Extreme(Box<Seeker>),
    /// Fields are set while a condition on the item holds.
    Set(Box<Setter>),
    /// Items are made from new items of another entity.
    Make(Box<Workshop>),
    /// Items are made for each pair of an item and a match.
    Fan(Box<Fanner>),
    /// Items are deleted with the item that they refer to.
    Delete(Box<Remover>),
}

impl Rule {
    fn aggregate(design: &Design, target: &Arc<Entity>, aggregate: &Aggregate) -> Rule {
        let name = format!("{}.{}", target.name, aggregate.field);
        let mut basis = format!(" | to {:?}", (&target.type_name, &target.table.label, &target.key));
        for source in &aggregate.sources {
            let filter = source.filter.iter().flat_map(|filter| filter.tree.paths());
            let links = source.link.iter().map(|(_, field)| field.as_str());
            let paths = source.value.as_deref().into_iter().chain(filter).chain(links);
            basis.extend(design.entity(&source.entity).map(|entity| basis_of(entity, paths)));
        }
        Rule { name, target: target.clone(), kind: RuleKind::Aggregate(aggregate.clone()), basis }
    }

    fn copy(target: &Arc<Entity>, source: &Arc<Entity>, copy: &FieldCopy) -> Rule {
        let copier = Copier { target: target.clone(), source: source.clone(), rule: copy.clone() };
        let name = format!("{}.{}", target.name, copy.field);
        Rule { name, target: target.clone(), kind: RuleKind::Copy(Box::new(copier)), basis: String::new() }
    }

    fn extreme(design: &Design, target: &Arc<Entity>, extreme: &Extreme) -> Rule {
        let name = format!("{}.{}", target.name, extreme.field);
        let entities = || extreme.sources.iter().filter_map(|source| design.entity(&source.entity));
        let mut basis = String::new();
        for (source, entity) in extreme.sources.iter().zip(entities()) {
            let filter = source.filter.iter().flat_map(|filter| filter.tree.paths());
            basis += &basis_of(entity, filter.chain([source.value.as_str(), source.order.as_str()]));
        }
        let sources = entities().cloned().collect();
        let seeker = Seeker { target: target.clone(), rule: extreme.clone(), sources };
        Rule { name, target: target.clone(), kind: RuleKind::Extreme(Box::new(seeker)), basis }
    }

    /// Returns the rule of a derivation. `None` if it leads out of the database: others take care of those.
    fn derivation(derivation: &Derivation) -> Option<Rule> {
        let name = format!("derive.{}", derivation.name);
        let (target, kind) = match &derivation.kind {
            DerivationKind::Delete(cascade) => {
                let remover = Remover { name: name.clone(), rule: cascade.clone() };
                (cascade.parent.clone(), RuleKind::Delete(Box::new(remover)))
            }
            DerivationKind::Fan(fan) => {
                let fanner = Fanner { name: name.clone(), rule: fan.clone() };
                (fan.entity.clone(), RuleKind::Fan(Box::new(fanner)))
            }
            DerivationKind::Make(maker) => {
                let workshop = Workshop { name: name.clone(), rule: maker.clone() };
                (maker.entity.clone(), RuleKind::Make(Box::new(workshop)))
            }
            DerivationKind::Set(set) => {
                (set.entity.clone(), RuleKind::Set(Box::new(Setter { rule: set.clone() })))
            }
            DerivationKind::Archive(_) => return None,
        };
        Some(Rule { name, target, kind, basis: String::new() })
    }

    /// Returns the rule in words: `count of Like`.
    pub(crate) fn meaning(&self) -> String {
        match &self.kind {
            RuleKind::Aggregate(aggregate) => {
                let sources = aggregate.sources.iter().map(|source| {
                    let value = source.value.as_ref().map(|value| format!(".{value}")).unwrap_or_default();
                    let filter = source.filter.as_ref().map(|filter| format!(" where {}", filter.source));
                    format!("{}{value}{}", source.entity, filter.unwrap_or_default())
                });
                let sources: Vec<String> = sources.collect();
                match aggregate.kind {
                    AggregateKind::Exists => format!("whether there is a {}", sources.join(" or a ")),
                    kind => format!("{} of {}", kind.word(), sources.join(" and ")),
                }
            }
            RuleKind::Copy(copier) => format!("copy of {}.{}", copier.source.name, copier.rule.value),
            RuleKind::Extreme(seeker) => seeker.meaning(),
            RuleKind::Delete(remover) => {
                let children = remover.rule.children.iter().map(|child| child.entity.name.as_str());
                format!("{} deleted with {}", children.collect::<Vec<_>>().join(", "), self.target.name)
            }
            RuleKind::Fan(fanner) => fanner.meaning(),
            RuleKind::Make(workshop) => {
                let when = workshop.rule.condition.as_ref();
                let when = when.map(|condition| format!(" when {}", condition.source)).unwrap_or_default();
                format!("{} made from each new {}{when}", self.target.name, workshop.rule.each.name)
            }
            RuleKind::Set(setter) => {
                let fields = setter.rule.set.iter().map(|(field, _)| format!("{}.{field}", self.target.name));
                let fields: Vec<String> = fields.collect();
                format!("{} set when {}", fields.join(", "), setter.rule.condition.source)
            }
        }
    }

    /// Returns a text that changes when stored data no longer fits the rule. It is short, because every batch writes it.
    pub(crate) fn fingerprint(&self) -> String {
        format!("{:032x}", xxh3_128(self.definition().as_bytes()))
    }

    fn definition(&self) -> String {
        match &self.kind {
            RuleKind::Aggregate(Aggregate { kind, sources, .. }) => {
                let mut text = format!("{kind:?}{}", self.basis);
                for AggregateSource { entity, link, value, filter } in sources {
                    let filter = filter.as_ref().map(|filter| filter.source.as_str()).unwrap_or_default();
                    text += &format!(" | {entity} {link:?} {value:?} {filter}");
                }
                text
            }
            RuleKind::Copy(copier) => {
                let FieldCopy { source, value, referral, .. } = &copier.rule;
                format!("copy {source}.{value} | {:?}", referral.link)
            }
            RuleKind::Extreme(seeker) => format!("{}{}", seeker.definition(), self.basis),
            RuleKind::Fan(fanner) => fanner.definition(),
            // Nothing that is stored depends on it.
            RuleKind::Make(_) | RuleKind::Delete(_) => String::new(),
            RuleKind::Set(setter) => {
                let ConditionalSet { entity, condition, set, unset } = &setter.rule;
                let fields = set.iter().map(|(field, value)| format!(" | {field} {value:?}"));
                let fields: String = fields.collect();
                format!("set {} {unset} {}{fields}", entity.name, condition.source)
            }
        }
    }

    /// Returns whether the rule concerns existing items. Otherwise it acts on what happens from now on.
    pub(crate) fn is_filled(&self) -> bool {
        !matches!(self.kind, RuleKind::Make(_) | RuleKind::Delete(_))
    }

    /// Returns whether existing items must be counted before the result can be written.
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self.kind, RuleKind::Aggregate(_))
    }
}

/// Returns the parts of an entity that decide what its items contribute: their defaults and formulas, and how the items
/// are recognised.
fn basis_of<'p>(entity: &Entity, paths: impl Iterator<Item = &'p str>) -> String {
    let mut text = format!(" | from {:?}", (&entity.type_name, &entity.table.label));
    for path in paths {
        let name = path.split('.').next().unwrap_or(path);
        let default = entity.field(name).and_then(|field| field.default.as_ref());
        let formula = entity.computed.iter().find(|(field, _)| field == name);
        text += &format!(" {name} {default:?} {:?}", formula.map(|(_, composed)| &composed.source));
    }
    text
}

/// A contribution of an item to a derived field of another item.
#[derive(Debug, Clone)]
pub(crate) struct Contribution {
    /// The place of the rule among the design's rules.
    pub(crate) rule: usize,
    /// The table's key of the other item.
    pub(crate) key: Item,
    /// The fields that make this key.
    pub(crate) fields: Item,
    /// The contribution.
    pub(crate) tally: Tally,
}

/// An entity that takes part in derivations.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) entity: Arc<Entity>,
    /// The rules for which its items count, each with the place of the source in the rule.
    feeds: Vec<(usize, usize)>,
    /// The rules of its own fields.
    pub(crate) own: Vec<usize>,
}

/// The rules of a design.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) list: Vec<Rule>,
    pub(crate) members: Vec<Member>,
}

impl Rules {
    pub(crate) fn of(design: &Design) -> Self {
        let aggregates = design.entities.iter().flat_map(|entity| {
            entity.aggregates.iter().map(|aggregate| Rule::aggregate(design, entity, aggregate))
        });
        let copies = design.entities.iter().flat_map(|entity| {
            entity
                .copies
                .iter()
                .filter_map(|copy| Some(Rule::copy(entity, design.entity(&copy.source)?, copy)))
        });
        let extremes = design
            .entities
            .iter()
            .flat_map(|entity| entity.extremes.iter().map(|extreme| Rule::extreme(design, entity, extreme)));
        let derivations = design.derivations.iter().filter_map(|derivation| Rule::derivation(derivation));
        let list: Vec<Rule> = aggregates.chain(copies).chain(extremes).chain(derivations).collect();
        let taking_part = design.entities.iter().filter(|entity| design.takes_part_in_derivations(entity));
        let members = taking_part.map(|entity| Member::of(entity, &list)).collect();
        Rules { list, members }
    }

    /// Returns the member that an item of a table is an item of. The table has its name from the design.
    pub(crate) fn member(&self, table: &str, item: &EncodedItem) -> Option<&Member> {
        self.members.iter().find(|member| {
            let entity = &member.entity;
            let has_type = || match item.view().get(&entity.table.type_attribute)?.to_value().ok()? {
                AttributeValue::S(name) => Some(name == entity.type_name),
                _ => None,
            };
            entity.table.label == table && has_type() == Some(true)
        })
    }

    /// Checks that each name is that of a rule.
    pub(crate) fn check_names(&self, names: &[String]) -> Result<(), DeriveError> {
        let known: Vec<String> = self.list.iter().map(|rule| rule.name.clone()).collect();
        match names.iter().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let nearest =
                    singlet_design::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                Err(DeriveError::NoRule { name: name.clone(), nearest })
            }
        }
    }

    /// Returns the labels of the tables with items that count.
    ///
    /// Their order doesn't depend on the order of the file: a sweep goes on after the file was rearranged.
    pub(crate) fn tables(&self) -> Vec<&str> {
        let labels = self.members.iter().map(|member| member.entity.table.label.as_str());
        labels.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the rules of an entity's fields that summarise other items, with their places in the list.
    pub(crate) fn aggregates_of(&self, entity: &str) -> impl Iterator<Item = (usize, &Rule, &Aggregate)> {
        self.rules_of(entity).filter_map(|(at, rule)| match &rule.kind {
            RuleKind::Aggregate(aggregate) => Some((at, rule, aggregate)),
            _ => None,
        })
    }

    /// Returns the rules that set fields of an entity while a condition holds, with their places in the list.
    pub(crate) fn sets_of(&self, entity: &str) -> impl Iterator<Item = (usize, &Rule, &Setter)> {
        self.rules_of(entity).filter_map(|(at, rule)| match &rule.kind {
            RuleKind::Set(setter) => Some((at, rule, setter.as_ref())),
            _ => None,
        })
    }

    /// Returns the rules of an entity's fields that are copied, with their places in the list.
    pub(crate) fn copies_of(&self, entity: &str) -> impl Iterator<Item = (usize, &Rule, &Copier)> {
        self.rules_of(entity).filter_map(|(at, rule)| match &rule.kind {
            RuleKind::Copy(copier) => Some((at, rule, copier.as_ref())),
            _ => None,
        })
    }

    /// Returns the rules of an entity's fields that have one value of other items, with their places in the list.
    pub(crate) fn extremes_of(&self, entity: &str) -> impl Iterator<Item = (usize, &Rule, &Seeker)> {
        self.rules_of(entity).filter_map(|(at, rule)| match &rule.kind {
            RuleKind::Extreme(seeker) => Some((at, rule, seeker.as_ref())),
            _ => None,
        })
    }

    /// Returns all rules that keep one value of other items, with their places in the list.
    pub(crate) fn seekers(&self) -> impl Iterator<Item = (usize, &Seeker)> {
        self.list.iter().enumerate().filter_map(|(at, rule)| match &rule.kind {
            RuleKind::Extreme(seeker) => Some((at, seeker.as_ref())),
            _ => None,
        })
    }

    /// Returns all rules that make items, with their places in the list.
    pub(crate) fn workshops(&self) -> impl Iterator<Item = (usize, &Workshop)> {
        self.list.iter().enumerate().filter_map(|(at, rule)| match &rule.kind {
            RuleKind::Make(workshop) => Some((at, workshop.as_ref())),
            _ => None,
        })
    }

    /// Returns all rules that make items for each match, with their places in the list.
    pub(crate) fn fanners(&self) -> impl Iterator<Item = (usize, &Fanner)> {
        self.list.iter().enumerate().filter_map(|(at, rule)| match &rule.kind {
            RuleKind::Fan(fanner) => Some((at, fanner.as_ref())),
            _ => None,
        })
    }

    /// Returns all rules that delete items.
    pub(crate) fn removers(&self) -> impl Iterator<Item = &Remover> {
        self.list.iter().filter_map(|rule| match &rule.kind {
            RuleKind::Delete(remover) => Some(remover.as_ref()),
            _ => None,
        })
    }

    /// Returns all rules that copy a field.
    pub(crate) fn copies(&self) -> impl Iterator<Item = &Copier> {
        self.list.iter().filter_map(|rule| match &rule.kind {
            RuleKind::Copy(copier) => Some(copier.as_ref()),
            _ => None,
        })
    }

    fn rules_of(&self, entity: &str) -> impl Iterator<Item = (usize, &Rule)> {
        self.list.iter().enumerate().filter(move |(_, rule)| rule.target.name == entity)
    }

    /// Returns what an item contributes. An item without the fields that name another item contributes nothing.
    pub(crate) fn contributions(&self, member: &Member, item: &Item) -> Vec<Contribution> {
        let each = member.feeds.iter().filter_map(|(at, source)| {
            let rule = self.list.get(*at)?;
            let RuleKind::Aggregate(aggregate) = &rule.kind else { return None };
            let source = aggregate.sources.get(*source)?;
            contribution(*at, rule, source, (&member.entity, item))
        });
        each.collect()
    }
}

impl Member {
    fn of(entity: &Arc<Entity>, rules: &[Rule]) -> Self {
        let mut feeds = Vec::new();
        for (at, rule) in rules.iter().enumerate() {
            let RuleKind::Aggregate(aggregate) = &rule.kind else { continue };
            let sources = aggregate.sources.iter().enumerate();
            feeds.extend(
                sources.filter(|(_, source)| source.entity == entity.name).map(|(place, _)| (at, place)),
            );
        }
        let is_fan = |rule: &Rule| matches!(rule.kind, RuleKind::Fan(_));
        let shows = |rule: &Rule| rule.is_filled() && !is_fan(rule) && rule.target.name == entity.name;
        let own = rules.iter().enumerate().filter(|(_, rule)| shows(rule));
        Member { entity: entity.clone(), feeds, own: own.map(|(at, _)| at).collect() }
    }
}

fn contribution(
    at: usize,
    rule: &Rule,
    source: &AggregateSource,
    (entity, item): (&Entity, &Item),
) -> Option<Contribution> {
    if source.filter.as_ref().is_some_and(|filter| !holds_for(entity, filter, item)) {
        return None;
    }
    let mut fields = Item::with_capacity(source.link.len());
    for (own, theirs) in &source.link {
        fields.insert(own.as_str(), value_at(item, theirs)?.clone());
    }
    let tally = match &source.value {
        None => Tally::one(None),
        Some(path) => match value_at(item, path)? {
            // Other numbers are documented not to count: one of them must not spoil the sum of all.
            AttributeValue::N(number) if is_exact(number) => Tally::one(Some(*number)),
            _ => return None,
        },
    };
    // Values that can't stand in a key name no item.
    Some(Contribution { rule: at, key: key_of(&rule.target, &fields).ok()?, fields, tally })
}
