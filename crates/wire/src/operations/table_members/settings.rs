//! Tags, streams and encryption.

use serde::Deserialize;
use singlet_engine::{EncryptionRequest, StreamChange, StreamView, Tag};

use super::all;
use crate::choice::SseType;
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

/// Checks the characters of tags.
pub(in crate::operations) fn check_tags(tags: &[Tag]) -> Result<(), RequestError> {
    for tag in tags {
        if tag.key.to_ascii_lowercase().starts_with("aws:") {
            return Err(RequestError::ReservedTagKey(tag.key.clone()));
        }
        if !tag.key.chars().all(is_in_tags) {
            return Err(RequestError::TagKey(tag.key.clone()));
        }
        if !tag.value.chars().all(is_in_tags) {
            return Err(RequestError::TagValue(tag.value.clone()));
        }
    }
    Ok(())
}

fn is_in_tags(character: char) -> bool {
    character.is_alphanumeric() || character.is_whitespace() || "+-=._:/@".contains(character)
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

/// A request to turn a stream on or off. Its view isn't checked yet.
#[derive(Debug, Clone, Copy)]
pub(in crate::operations) struct AskedStream {
    enabled: bool,
    view: Option<StreamView>,
}

/// Reads the specification of a stream.
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
    /// The view of a new table's stream, if it has one.
    pub(in crate::operations) fn of_new_table(self) -> Result<Option<StreamView>, RequestError> {
        match (self.enabled, self.view) {
            (true, Some(view)) => Ok(Some(view)),
            (true, None) => Err(RequestError::NoStreamView),
            (false, Some(_)) => Err(RequestError::ViewOfNoStream),
            (false, None) => Ok(None),
        }
    }

    /// The change of a table's stream.
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
    enabled: Option<Flag>,
    #[serde(borrow, rename = "SSEType")]
    sse_type: Option<Text<'a>>,
    #[serde(borrow, rename = "KMSMasterKeyId")]
    kms_master_key_id: Option<Text<'a>>,
}

impl SseSpecification<'_> {
    /// Whether this is a kind of encryption that DynamoDB names but doesn't have.
    pub(in crate::operations) fn asks_for_aes(&self) -> bool {
        self.sse_type.as_ref().is_some_and(|kind| kind.0 == "AES256")
    }
}

impl Structure for SseSpecification<'_> {
    const NAME: &'static str = "SSESpecification";
}

/// The encryption that the request asks for. A type or a key without `Enabled` counts as a request for it.
pub(in crate::operations) fn read_encryption(
    constraints: &mut Constraints,
    member: Option<Field<SseSpecification<'_>>>,
) -> Option<EncryptionRequest> {
    let Field(member) = member?;
    let kind: Option<SseType> = constraints.choice("sSESpecification.sSEType", member.sse_type.as_ref());
    let key = member.kms_master_key_id.map(Text::into_string);
    let asked = member.enabled.map_or(kind.is_some() || key.is_some(), |flag| flag.0);
    Some(if asked { EncryptionRequest::On { key } } else { EncryptionRequest::Off })
}
