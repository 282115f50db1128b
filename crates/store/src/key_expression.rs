//! The key condition of a query as text.

use super::{Expression, ExpressionBuilder, KeyTest, Query};

impl Query {
    /// The `KeyConditionExpression`, with placeholders that begin with `k`.
    pub fn key_expression(&self) -> Expression {
        let mut builder = ExpressionBuilder::new('k');
        let mut terms = Vec::with_capacity(self.partition.len() + self.sort.len());
        for (name, value) in &self.partition {
            terms.push(format!("{} = {}", builder.name(name), builder.value(value.clone())));
        }
        for (name, test) in &self.sort {
            terms.push(term(&mut builder, name, test));
        }
        builder.finish(terms.join(" AND "))
    }
}

fn term(builder: &mut ExpressionBuilder, name: &str, test: &KeyTest) -> String {
    let name = builder.name(name);
    let (operator, value) = match test {
        KeyTest::Equal(value) => ("=", value),
        KeyTest::AtLeast(value) => (">=", value),
        KeyTest::AtMost(value) => ("<=", value),
        KeyTest::Less(value) => ("<", value),
        KeyTest::Greater(value) => (">", value),
        KeyTest::BeginsWith(value) => {
            return format!("begins_with({name}, {})", builder.value(value.clone()));
        }
        KeyTest::Between(low, high) => {
            let (low, high) = (builder.value(low.clone()), builder.value(high.clone()));
            return format!("{name} BETWEEN {low} AND {high}");
        }
    };
    format!("{name} {operator} {}", builder.value(value.clone()))
}
