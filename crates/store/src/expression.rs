//! Expressions as requests carry them: text with placeholders.

use std::collections::BTreeMap;
use std::fmt::Write;

use singlet_values::AttributeValue;

/// A condition, filter, projection or update expression with what its placeholders stand for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expression {
    /// The text.
    pub text: String,
    /// `ExpressionAttributeNames`.
    pub names: BTreeMap<String, String>,
    /// `ExpressionAttributeValues`.
    pub values: BTreeMap<String, AttributeValue>,
}

/// Collects names and values and gives them placeholders. The prefix keeps two expressions of one request apart:
/// their maps can be joined.
#[derive(Debug, Clone)]
pub struct ExpressionBuilder {
    prefix: char,
    names: BTreeMap<String, String>,
    values: BTreeMap<String, AttributeValue>,
}

impl ExpressionBuilder {
    /// Placeholders of the form `#<prefix>0`, `:<prefix>0`.
    pub fn new(prefix: char) -> Self {
        ExpressionBuilder { prefix, names: BTreeMap::new(), values: BTreeMap::new() }
    }

    /// A placeholder for a path such as `address.city` or `foods[2].name`: one for each name, indexes as they are.
    pub fn path(&mut self, path: &str) -> String {
        let mut text = String::with_capacity(path.len() + 4);
        for (position, step) in path.split('.').enumerate() {
            let (name, indexes) = step.find('[').map_or((step, ""), |at| step.split_at(at));
            if position > 0 {
                text.push('.');
            }
            text.push_str(&self.name(name));
            text.push_str(indexes);
        }
        text
    }

    /// A placeholder for one attribute name, dots and all.
    pub fn name(&mut self, name: &str) -> String {
        if let Some((placeholder, _)) = self.names.iter().find(|(_, known)| *known == name) {
            return placeholder.clone();
        }
        let placeholder = self.placeholder('#', self.names.len());
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    /// A placeholder for a value.
    pub fn value(&mut self, value: AttributeValue) -> String {
        let placeholder = self.placeholder(':', self.values.len());
        self.values.insert(placeholder.clone(), value);
        placeholder
    }

    /// The expression with this text.
    pub fn finish(self, text: String) -> Expression {
        Expression { text, names: self.names, values: self.values }
    }

    fn placeholder(&self, sigil: char, number: usize) -> String {
        let mut text = String::with_capacity(6);
        // Writing to a string can't fail.
        let _ = write!(text, "{sigil}{}{number}", self.prefix);
        text
    }
}
