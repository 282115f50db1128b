//! The trace that a call belongs to, as `traceparent` names it.

use axum::http::HeaderMap;

/// The trace of a call, for logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Trace<'h> {
    /// The trace. Empty if the caller names none.
    pub(crate) trace_id: &'h str,
    /// The span of the caller.
    pub(crate) parent_id: &'h str,
}

impl<'h> Trace<'h> {
    /// Reads the header. One that the standard doesn't allow counts as missing, so that no text of a caller's gets into the
    /// log.
    pub(crate) fn of(headers: &'h HeaderMap) -> Self {
        let text = headers.get("traceparent").and_then(|value| value.to_str().ok());
        text.and_then(Self::read).unwrap_or_default()
    }

    fn read(text: &'h str) -> Option<Self> {
        let mut parts = text.split('-');
        let version = parts.next().filter(|part| is_hex(part, 2) && *part != "ff")?;
        let trace_id = parts.next().filter(|part| is_hex(part, 32))?;
        let parent_id = parts.next().filter(|part| is_hex(part, 16))?;
        parts.next().filter(|part| is_hex(part, 2))?;
        // Later versions may have more parts.
        let is_whole = version != "00" || parts.next().is_none();
        let is_named = [trace_id, parent_id].iter().all(|part| part.bytes().any(|byte| byte != b'0'));
        (is_whole && is_named).then_some(Self { trace_id, parent_id })
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_as_the_standard_says() {
        let trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
        let parent_id = "00f067aa0ba902b7";
        for head in ["00", "01"] {
            let text = format!("{head}-{trace_id}-{parent_id}-01");
            assert_eq!(Trace::read(&text), Some(Trace { trace_id, parent_id }));
        }
        let more = format!("cc-{trace_id}-{parent_id}-01-more");
        assert!(Trace::read(&more).is_some());
        for wrong in [
            String::new(),
            format!("ff-{trace_id}-{parent_id}-01"),
            format!("00-{}-{parent_id}-01", "0".repeat(32)),
            format!("00-{}-{parent_id}-01", trace_id.to_uppercase()),
            format!("00-{trace_id}-{parent_id}"),
            format!("00-{trace_id}-{parent_id}-01-more"),
        ] {
            assert_eq!(Trace::read(&wrong), None, "{wrong}");
        }
    }
}
