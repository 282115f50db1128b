//! Values inside items, by path.

use singlet_values::{AttributeValue, Item};

/// The value that a path such as `address.city` or `foods[2].name` leads to.
pub fn value_at<'a>(item: &'a Item, path: &str) -> Option<&'a AttributeValue> {
    let mut steps = path.split('.');
    let mut value = step_into(item, steps.next()?)?;
    for step in steps {
        let AttributeValue::M(map) = value else { return None };
        value = step_into(map, step)?;
    }
    Some(value)
}

fn step_into<'a>(map: &'a Item, step: &str) -> Option<&'a AttributeValue> {
    let (name, places) = step.find('[').map_or((step, ""), |at| step.split_at(at));
    let mut value = map.get(name)?;
    for place in places.split_terminator(']') {
        let AttributeValue::L(elements) = value else { return None };
        value = elements.get(place.strip_prefix('[')?.parse::<usize>().ok()?)?;
    }
    Some(value)
}
