//! Resolves the expected use of a pattern: tags, rate, busiest key, latency target.

use std::time::Duration;

use super::Context;
use crate::model::Rate;
use crate::syntax::Node;

/// Units of a rate, in seconds.
const RATE_UNITS: &[(&str, f64)] =
    &[("s", 1.0), ("second", 1.0), ("minute", 60.0), ("hour", 3_600.0), ("day", 86_400.0)];

/// Resolves `tags`.
pub(super) fn tags(node: &Node) -> Vec<String> {
    let tags = node.get("tags").and_then(Node::list).unwrap_or_default();
    tags.iter().filter_map(Node::text).map(str::to_owned).collect()
}

/// Resolves `rate`, such as `50/s`.
pub(super) fn rate(context: &Context<'_>, node: &Node) -> Option<Rate> {
    let (place, text) = node.get("rate").and_then(|place| Some((place, place.text()?)))?;
    let parsed = text.split_once('/').and_then(|(count, unit)| {
        let (_, seconds) = RATE_UNITS.iter().find(|(name, _)| *name == unit.trim())?;
        Some(positive(count.trim())? / seconds)
    });
    if parsed.is_none() {
        let help = "write a number and a unit: `50/s`, `3/minute`, `10/hour`, `5/day`";
        context.mistakes.add_with_help(place.span, format!("`{text}` isn't a rate"), help);
    }
    parsed.map(|per_second| Rate { per_second })
}

/// Resolves `busiest`, such as `10%`.
pub(super) fn busiest(context: &Context<'_>, node: &Node) -> Option<f64> {
    let (place, text) = node.get("busiest").and_then(|place| Some((place, place.text()?)))?;
    let share = text.strip_suffix('%').and_then(|count| positive(count.trim())).map(|count| count / 100.0);
    let share = share.filter(|share| *share <= 1.0);
    if share.is_none() {
        let message = format!("`{text}` isn't a percentage of at most 100%");
        context.mistakes.add_with_help(
            place.span,
            message,
            "write a share of all calls, such as `10%` or `0.5%`",
        );
    }
    share
}

/// Resolves `within`, such as `20ms`.
pub(super) fn within(context: &Context<'_>, node: &Node) -> Option<Duration> {
    let (place, text) = node.get("within").and_then(|place| Some((place, place.text()?)))?;
    let parsed = match text.strip_suffix("ms") {
        Some(count) => positive(count.trim()).map(|count| count / 1_000.0),
        None => text.strip_suffix('s').and_then(|count| positive(count.trim())),
    };
    let within = parsed.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    if within.is_none() {
        let help = "write a number and a unit: `20ms` or `1.5s`";
        context.mistakes.add_with_help(place.span, format!("`{text}` isn't a duration"), help);
    }
    within
}

fn positive(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}
