//! Callers of the API, and the patterns that each of them may run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entity::Entity;
use super::pattern::Pattern;
use crate::field::FieldType;

/// The callers of a design.
#[derive(Debug, Clone)]
pub struct Callers {
    /// The entity of the callers.
    pub entity: Arc<Entity>,
    /// The only field of its key, which identifies a caller.
    pub id: String,
    /// The type of that field.
    pub kind: FieldType,
    /// The roles that a caller can have.
    pub roles: Vec<String>,
    /// The relations of callers to others, in the order of the file.
    pub relations: Vec<CallerRelation>,
    /// The rule of each callable pattern, by its name.
    pub rules: BTreeMap<String, Who>,
}

impl Callers {
    /// Returns the relation of this name.
    pub fn relation(&self, name: &str) -> Option<&CallerRelation> {
        self.relations.iter().find(|relation| relation.name == name)
    }

    /// Returns the parameter of a pattern that is the caller, so that callers don't give it.
    pub fn own_parameter(&self, pattern: &str) -> Option<&str> {
        self.rules.get(pattern).and_then(Who::own_parameter)
    }
}

/// A relation of callers to somebody or something else, such as friend or member.
#[derive(Debug, Clone)]
pub struct CallerRelation {
    /// Its name.
    pub name: String,
    /// The read that finds something if the relation holds.
    pub pattern: Arc<Pattern>,
    /// The parameter of the pattern that is the caller.
    pub caller: String,
}

impl CallerRelation {
    /// Returns the parameters of the pattern other than the caller.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        let names = self.pattern.parameters.iter().map(|parameter| parameter.name.as_str());
        names.filter(|name| *name != self.caller)
    }
}

/// The rule that says who may run a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// Everybody, even without a token.
    Anyone,
    /// Everybody with a token.
    Caller,
    /// Callers with this role.
    Role(String),
    /// The caller whose id is this parameter.
    Own {
        /// The parameter.
        parameter: String,
    },
    /// The caller who is in a field of the item.
    Owner {
        /// The step of the transaction whose item is meant.
        step: Option<String>,
        /// The field: a reference, or a set or list of references.
        field: String,
        /// Whether the field has several references.
        is_several: bool,
    },
    /// Callers for whom a relation holds.
    Related {
        /// The relation.
        relation: String,
        /// The parameters of the relation's pattern other than the caller, and those of this pattern that they are.
        with: Vec<(String, String)>,
    },
    /// Callers for whom one of these rules holds.
    Any(Vec<Who>),
    /// Callers for whom all of these rules hold.
    All(Vec<Who>),
}

impl Who {
    /// Returns the parameter that is always the caller, whichever rule holds.
    pub fn own_parameter(&self) -> Option<&str> {
        match self {
            Who::Own { parameter } => Some(parameter),
            Who::All(rules) => rules.iter().find_map(Who::own_parameter),
            Who::Any(rules) => {
                let first = rules.first()?.own_parameter()?;
                rules.iter().all(|rule| rule.own_parameter() == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    /// Returns whether somebody without a token may run the pattern.
    pub fn admits_anyone(&self) -> bool {
        match self {
            Who::Anyone => true,
            Who::Any(rules) => rules.iter().any(Who::admits_anyone),
            Who::All(rules) => rules.iter().all(Who::admits_anyone),
            _ => false,
        }
    }

    /// Returns this rule, or the rules in it that aren't made of others.
    pub fn leaves(&self) -> Vec<&Who> {
        match self {
            Who::Any(rules) | Who::All(rules) => rules.iter().flat_map(Who::leaves).collect(),
            rule => vec![rule],
        }
    }
}
