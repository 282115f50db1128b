//! `NextToken`: where the next page of a statement begins.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::read::ContentHash;
use crate::text::RequestError;

/// The position after a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NextToken {
    /// The range that the next page begins in, counted from zero.
    pub(crate) range: u32,
    /// The last key of that range that was read. `None` is the beginning of the range.
    pub(crate) last_key: Option<Item>,
}

/// Identifies a statement and its parameters, so that a token isn't used for another.
pub(crate) fn fingerprint(statement: &str, parameters: &[AttributeValue]) -> u128 {
    let mut bytes = statement.as_bytes().to_vec();
    let parameters = parameters.iter().enumerate().map(|(at, value)| (format!("{at:02}"), value.clone()));
    bytes.extend_from_slice(EncodedItem::encode(&parameters.collect()).as_bytes());
    ContentHash::of_bytes(&bytes).0
}

impl NextToken {
    /// The token as text: the statement's fingerprint, the range and the stored form of the key.
    pub(crate) fn write(&self, fingerprint: u128) -> String {
        let mut bytes = fingerprint.to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.range.to_be_bytes());
        if let Some(key) = &self.last_key {
            bytes.extend_from_slice(EncodedItem::encode(key).as_bytes());
        }
        STANDARD.encode(bytes)
    }

    /// Reads a token.
    pub(crate) fn read(text: &str, fingerprint: u128) -> Result<NextToken, RequestError> {
        let bytes = STANDARD.decode(text).map_err(|_| RequestError::InvalidNextToken)?;
        let (statement, rest) = bytes.split_first_chunk().ok_or(RequestError::InvalidNextToken)?;
        let (range, key) = rest.split_first_chunk().ok_or(RequestError::InvalidNextToken)?;
        if u128::from_be_bytes(*statement) != fingerprint {
            return Err(RequestError::ForeignNextToken);
        }
        let last_key = match key.is_empty() {
            true => None,
            false => {
                let key = EncodedItem::from_bytes(key.to_vec().into());
                Some(key.decode().map_err(|_| RequestError::InvalidNextToken)?)
            }
        };
        Ok(NextToken { range: u32::from_be_bytes(*range), last_key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_only_for_its_statement() {
        let one = fingerprint("SELECT 1", &["a".into()]);
        let other = fingerprint("SELECT 1", &["b".into()]);
        for last_key in [None, Some(Item::from([("id", AttributeValue::from("x"))]))] {
            let token = NextToken { range: 7, last_key };
            assert_eq!(NextToken::read(&token.write(one), one), Ok(token.clone()));
            assert_eq!(NextToken::read(&token.write(one), other), Err(RequestError::ForeignNextToken));
        }
        for text in ["", "!", "AAAA"] {
            assert_eq!(NextToken::read(text, one), Err(RequestError::InvalidNextToken), "{text}");
        }
    }
}
