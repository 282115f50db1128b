//! Server-sent events, and the ids from which subscribers go on.

use bytes::Bytes;
use singlet_design::Json;

/// Between the position and the rest of an id. Positions don't contain it.
const SEPARATOR: char = '~';
/// The time after which a client should connect again.
const RETRY: &str = "retry: 1000\n\n";

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// The whole answer, in the place of everything before.
    Answer,
    /// An item of the answer is new or has changed.
    Put,
    /// An item isn't part of the answer any more.
    Remove,
    /// The place to go on from isn't known any more. The answer follows.
    Reset,
    /// The read fails now, and the stream ends.
    Problem,
}

impl EventKind {
    fn word(self) -> &'static str {
        match self {
            EventKind::Answer => "answer",
            EventKind::Put => "put",
            EventKind::Remove => "remove",
            EventKind::Reset => "reset",
            EventKind::Problem => "problem",
        }
    }
}

/// The id of an event: the positions after it, and what else the subscriber's view depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventId {
    pub(super) positions: String,
    pub(super) rest: Option<String>,
}

impl EventId {
    pub(super) fn read(text: &str) -> Self {
        match text.split_once(SEPARATOR) {
            Some((positions, rest)) => Self { positions: positions.to_owned(), rest: Some(rest.to_owned()) },
            None => Self { positions: text.to_owned(), rest: None },
        }
    }

    pub(super) fn text(&self) -> String {
        match &self.rest {
            Some(rest) => format!("{}{SEPARATOR}{rest}", self.positions),
            None => self.positions.clone(),
        }
    }
}

/// Writes an event. JSON has no line breaks.
pub(super) fn write(kind: EventKind, id: &EventId, data: &Json) -> Bytes {
    format!("id: {}\nevent: {}\ndata: {data}\n\n", id.text(), kind.word()).into()
}

/// Writes an event without an id, so that the subscriber goes on from the one before.
pub(super) fn write_plain(kind: EventKind, data: &Json) -> Bytes {
    format!("event: {}\ndata: {data}\n\n", kind.word()).into()
}

/// The beginning of a stream.
pub(super) fn hello() -> Bytes {
    Bytes::from_static(RETRY.as_bytes())
}

/// A sign of life. Its id brings the subscriber to the present, so that its place isn't forgotten while nothing happens.
pub(super) fn beat(id: &EventId) -> Bytes {
    format!(":\nid: {}\n\n", id.text()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        for (positions, rest) in [("a/1,-", None), ("a/1", Some("f0")), ("", Some("x~y"))] {
            let id = EventId { positions: positions.to_owned(), rest: rest.map(str::to_owned) };
            assert_eq!(EventId::read(&id.text()), id);
        }
    }

    #[test]
    fn an_event_is_a_block_of_lines() {
        let id = EventId::read("a/1~e");
        let event = write(EventKind::Put, &id, &Json::from("x\ny"));
        assert_eq!(event, "id: a/1~e\nevent: put\ndata: \"x\\ny\"\n\n");
        assert_eq!(beat(&id), ":\nid: a/1~e\n\n");
    }
}
