//! Tags, streams and encryption.

use serde::Deserialize;
use singlet_engine::{StreamChange, StreamView, Tag};

use super::all;
use crate::constraint::Constraints;
use crate::read::{Element, Field, Flag, List, Structure, Text};
use crate::text::RequestError;

const TAG_KEY_CHARACTERS: (usize, usize) = (1, 128);
const TAG_VALUE_CHARACTERS: (usize, usize) = (0, 256);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct TagMember<'a> {
    #[serde(borrow)]
    key: Option<Text<'a>>,
    #[serde(borrow)]
    value: Option<Text<'a>>,
}

impl Structure for TagMember<'_> {
    const NAME: &'static str = "Tag";
}

/// Reads tags.
pub(in crate::operations) fn read_tags(
    constraints: &mut Constraints,
    members: List<Element<TagMember<'_>>>,
) -> Option<Vec<Tag>> {
    let tags = members.0.into_iter().enumerate().map(|(at, Element(member))| {
        let key_path = format_args!("tags.{}.member.key", at + 1);
        let key = constraints.required(key_path, member.key).map(Text::into_string);
        if let Some(key) = &key {
            constraints.length(key_path, key.as_str(), key.chars().count(), TAG_KEY_CHARACTERS);
        }
        let value_path = format_args!("tags.{}.member.value", at + 1);
        let value = constraints.required(value_path, member.value).map(Text::into_string);
        if let Some(value) = &value {
            constraints.length(value_path, value.as_str(), value.chars().count(), TAG_VALUE_CHARACTERS);
        }
        Some(Tag { key: key?, value: value? })
    });
    all(tags)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct StreamSpecification<'a> {
    stream_enabled: Option<Flag>,
    #[serde(borrow)]
    stream_view_type: Option<Text<'a>>,
}

impl Structure for StreamSpecification<'_> {
    const NAME: &'static str = "StreamSpecification";
}

/// A stream that is asked for, or asked to end; whether it has a view is not looked at yet.
#[derive(Debug, Clone, Copy)]
pub(in crate::operations) struct AskedStream {
    enabled: bool,
    view: Option<StreamView>,
}

/// Reads what is asked about the stream.
pub(in crate::operations) fn read_stream(
    constraints: &mut Constraints,
    member: Option<&Field<StreamSpecification<'_>>>,
) -> Option<AskedStream> {
    let Field(member) = member?;
    let enabled = constraints.required("streamSpecification.streamEnabled", member.stream_enabled);
    let view = constraints.choice("streamSpecification.streamViewType", member.stream_view_type.as_ref());
    Some(AskedStream { enabled: enabled?.0, view })
}

impl AskedStream {
    /// The view of a new table's stream, if it is to have one.
    pub(in crate::operations) fn of_new_table(self) -> Result<Option<StreamView>, RequestError> {
        match (self.enabled, self.view) {
            (true, Some(view)) => Ok(Some(view)),
            (true, None) => Err(RequestError::NoStreamView),
            (false, Some(_)) => Err(RequestError::ViewOfNoStream),
            (false, None) => Ok(None),
        }
    }

    /// What becomes of a table's stream.
    pub(in crate::operations) fn change(self) -> Result<StreamChange, RequestError> {
        match (self.enabled, self.view) {
            (true, Some(view)) => Ok(StreamChange::Enable(view)),
            (true, None) => Err(RequestError::NoStreamView),
            (false, Some(_)) => Err(RequestError::ViewOfEndingStream),
            (false, None) => Ok(StreamChange::Disable),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(in crate::operations) struct SseSpecification<'a> {
    pub(in crate::operations) enabled: Option<Flag>,
    #[serde(borrow, rename = "SSEType")]
    pub(in crate::operations) sse_type: Option<Text<'a>>,
    #[serde(borrow, rename = "KMSMasterKeyId")]
    pub(in crate::operations) kms_master_key_id: Option<Text<'a>>,
}

impl Structure for SseSpecification<'_> {
    const NAME: &'static str = "SSESpecification";
}

impl SseSpecification<'_> {
    /// Whether this asks for encryption with keys of the caller's.
    pub(in crate::operations) fn asks_for_keys(&self) -> bool {
        self.enabled.is_some_and(|flag| flag.0) || self.sse_type.is_some() || self.kms_master_key_id.is_some()
    }
}
