//! Cursors: where a list goes on, encrypted.
//!
//! A cursor is base64url of a nonce of 24 bytes, the sealed text (XChaCha20-Poly1305) and its tag of 16 bytes. The text
//! is a version, what the bond holds, the length of the payload, the payload, and zeros up to one of few lengths: a
//! caller learns nothing of keys that the answer leaves out, and little from the length. It is bound to design,
//! environment, pattern and canonical arguments. The kind of list decides the content of the payload; see
//! [`super::read`].
//!
//! The nonce is a keyed hash of all that is sealed. So it can't repeat with another text, whatever the source of
//! randomness, and the same place of the same list is the same cursor.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use singlet_cipher::{Cipher, NONCE_BYTES, Nonce, TAG_BYTES, derive};
use singlet_design::{KeyAttribute, Pattern};
use singlet_values::{AttributeValue, EncodedItem, Item, ItemRef, KeyReader, Kind, ValueRef, write_key_part};

use crate::error::RunError;
use crate::given::{Given, canonical};

const VERSION: u8 = 3;
/// The least length of a text; up to `PADDING_STEP` it doubles, then it grows by steps.
const TEXT_BYTES_MIN: usize = 256;
const PADDING_STEP: usize = 4096;
/// Far above what a list over the most streams needs.
const CURSOR_BYTES_MAX: usize = 256 * 1024;

const MADE_UP: RunError = RunError::Cursor("is not one that this pattern gave");
const FOREIGN: RunError = RunError::Cursor(
    "was changed, or belongs to another pattern, other parameters, another environment or another key",
);
const OTHER_VERSION: RunError = RunError::Cursor("was made by another version: begin again without it");

/// Seals and opens the cursors of one design in one environment.
pub(crate) struct Seal {
    cipher: Cipher,
    /// Makes nonces.
    mac: Hmac<Sha256>,
    /// Design and environment, which every cursor is bound to.
    place: Vec<u8>,
}

/// Where the next page of a list starts.
///
/// It is encrypted when its text is asked for. Encrypting costs as much as reading a page, and a caller that needs one
/// page only doesn't pay for it.
#[derive(Clone)]
pub struct Cursor(Box<Unsealed>);

/// A cursor before its text is asked for.
#[derive(Clone)]
struct Unsealed {
    seal: Arc<Seal>,
    bond: Bond,
    payload: Payload,
}

impl Cursor {
    /// The cursor with this payload.
    pub(crate) fn new(seal: Arc<Seal>, bond: Bond, payload: Payload) -> Self {
        Cursor(Box::new(Unsealed { seal, bond, payload }))
    }
}

/// Writes the encrypted text, which [`crate::Paging::cursor`] takes.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unsealed { seal, bond, payload } = &*self.0;
        f.write_str(&seal.seal(bond, payload))
    }
}

/// Writes the encrypted text, so that logs don't show keys that the answer leaves out.
impl fmt::Debug for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The context of a cursor besides design and environment.
#[derive(Clone)]
pub(crate) struct Bond {
    /// The pattern.
    pub(crate) pattern: Arc<Pattern>,
    /// The values of its parameters, in their order.
    pub(crate) given: Vec<Given>,
    /// Parameters that the cursor holds for its caller.
    pub(crate) held: Held,
    /// The caller who may use the cursor; empty for the operator.
    pub(crate) caller: Vec<u8>,
}

/// Parameters whose values depend on the time of a list's first page: the further pages are read with the same values.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Held {
    /// The values, by parameter.
    pub(crate) values: Item,
}

impl Seal {
    /// For this design and environment.
    pub(crate) fn new(key: &[u8; 32], design: &str, environment: &str) -> Self {
        let mut place = Vec::new();
        extend(&mut place, design.as_bytes());
        extend(&mut place, environment.as_bytes());
        // HMAC itself fills a short key with zeros up to its block; a whole block can't be of the wrong length.
        let mut block = [0; 64];
        block.iter_mut().zip(derive(key, "singlet cursor nonces").iter()).for_each(|(to, from)| *to = *from);
        Seal {
            cipher: Cipher::new(&derive(key, "singlet cursors")),
            mac: Hmac::<Sha256>::new(&block.into()),
            place,
        }
    }

    /// The cursor with this payload.
    fn seal(&self, bond: &Bond, payload: &Payload) -> String {
        let context = self.context(bond);
        let mut text = Payload { bytes: vec![VERSION], key: None };
        bond.held.write(&mut text);
        text.sized(&payload.to_bytes());
        let mut text = text.bytes;
        text.resize(padded(text.len()), 0);
        let nonce = self.nonce(&context, &text);
        let tag = self.cipher.seal(&nonce, &context, &mut text);
        URL_SAFE_NO_PAD.encode([nonce.as_slice(), &text, &tag].concat())
    }

    /// The payload of a cursor that was sealed with the same bond, and what it holds.
    pub(crate) fn open(&self, bond: &Bond, cursor: &str) -> Result<(Held, Vec<u8>), RunError> {
        if cursor.len() > CURSOR_BYTES_MAX {
            return Err(MADE_UP);
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| MADE_UP)?;
        let (nonce, rest) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(MADE_UP)?;
        let (text, tag) = rest.split_last_chunk::<TAG_BYTES>().ok_or(MADE_UP)?;
        let mut text = text.to_vec();
        if !self.cipher.open(nonce, &self.context(bond), &mut text, tag) {
            return Err(FOREIGN);
        }
        let mut reader = PayloadReader::new(&text);
        if reader.byte()? != VERSION {
            return Err(OTHER_VERSION);
        }
        let held = Held::read(&mut reader)?;
        Ok((held, reader.sized()?.to_vec()))
    }

    /// The context that a cursor is bound to.
    fn context(&self, bond: &Bond) -> Vec<u8> {
        let mut context = self.place.clone();
        extend(&mut context, bond.pattern.name.as_bytes());
        let is_held = |name: &str| bond.held.values.contains(name);
        extend(&mut context, canonical(&bond.pattern, &bond.given, is_held).as_bytes());
        extend(&mut context, &bond.caller);
        context
    }

    fn nonce(&self, context: &[u8], text: &[u8]) -> Nonce {
        let mut mac = self.mac.clone();
        for bytes in [context, text] {
            mac.update(&(bytes.len() as u64).to_be_bytes());
            mac.update(bytes);
        }
        let mut nonce = [0; NONCE_BYTES];
        nonce.iter_mut().zip(mac.finalize().into_bytes()).for_each(|(to, from)| *to = from);
        nonce
    }
}

impl Held {
    fn write(&self, text: &mut Payload) {
        text.sized(EncodedItem::encode(&self.values).as_bytes());
    }

    fn read(reader: &mut PayloadReader<'_>) -> Result<Self, RunError> {
        let values = ItemRef::new(reader.sized()?).to_item().map_err(|_| OUTDATED)?;
        Ok(Held { values })
    }
}

/// The length goes in front, so that no two lists of texts are the same bytes.
fn extend(context: &mut Vec<u8>, bytes: &[u8]) {
    context.extend((bytes.len() as u64).to_be_bytes());
    context.extend(bytes);
}

/// The length that a text of so many bytes is filled up to.
fn padded(bytes: usize) -> usize {
    match bytes {
        0..=PADDING_STEP => bytes.next_power_of_two().max(TEXT_BYTES_MIN),
        _ => bytes.next_multiple_of(PADDING_STEP),
    }
}

/// Writes what a cursor says.
#[derive(Clone)]
pub(crate) struct Payload {
    bytes: Vec<u8>,
    /// The end of it, which is written when the rest is needed.
    key: Option<KeyOf>,
}

/// The key of an item: the values of these attributes.
#[derive(Clone)]
struct KeyOf {
    item: EncodedItem,
    attributes: Arc<[KeyAttribute]>,
}

impl KeyOf {
    /// Writes the values. A key that the store left out of its item ends the bytes, and the cursor is refused when it
    /// comes back.
    fn write(&self, bytes: &mut Vec<u8>) {
        for attribute in self.attributes.iter() {
            let value = self.item.view().get(&attribute.name);
            if value.is_none_or(|value| write_key_part(bytes, value).is_err()) {
                return;
            }
        }
    }
}

impl Payload {
    pub(crate) fn new() -> Self {
        Payload { bytes: Vec::with_capacity(16), key: None }
    }

    /// All bytes.
    fn to_bytes(&self) -> Cow<'_, [u8]> {
        let Some(key) = &self.key else { return Cow::Borrowed(&self.bytes) };
        let mut bytes = self.bytes.clone();
        key.write(&mut bytes);
        Cow::Owned(bytes)
    }

    /// Where the next bytes go.
    fn end(&mut self) -> &mut Vec<u8> {
        if let Some(key) = self.key.take() {
            key.write(&mut self.bytes);
        }
        &mut self.bytes
    }

    /// The bytes that were written.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.end();
        self.bytes
    }

    pub(crate) fn append(&mut self, part: Payload) {
        self.end().extend_from_slice(&part.to_bytes());
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.end().push(byte);
    }

    pub(crate) fn number(&mut self, number: u32) {
        self.end().extend_from_slice(&number.to_be_bytes());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.end().extend_from_slice(bytes);
    }

    /// The key values of an item. They are looked up when the bytes are asked for, which is never for most cursors.
    pub(crate) fn key_of(&mut self, item: EncodedItem, attributes: Arc<[KeyAttribute]>) {
        self.end();
        self.key = Some(KeyOf { item, attributes });
    }

    /// Bytes with their length in front.
    fn sized(&mut self, bytes: &[u8]) {
        self.number(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        self.raw(bytes);
    }

    /// A key value; `false` if it is none.
    pub(crate) fn key_part(&mut self, value: ValueRef<'_>) -> bool {
        write_key_part(self.end(), value).is_ok()
    }
}

/// Reads what a cursor says. The bytes are authentic, but may come from before the design was changed.
pub(crate) struct PayloadReader<'a> {
    rest: &'a [u8],
}

impl<'a> PayloadReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        PayloadReader { rest: bytes }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, RunError> {
        let (byte, rest) = self.rest.split_first().ok_or(OUTDATED)?;
        self.rest = rest;
        Ok(*byte)
    }

    pub(crate) fn number(&mut self) -> Result<u32, RunError> {
        let (bytes, rest) = self.rest.split_first_chunk::<4>().ok_or(OUTDATED)?;
        self.rest = rest;
        Ok(u32::from_be_bytes(*bytes))
    }

    pub(crate) fn raw(&mut self, length: usize) -> Result<&'a [u8], RunError> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(OUTDATED)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Bytes with their length in front.
    fn sized(&mut self) -> Result<&'a [u8], RunError> {
        let length = self.number()? as usize;
        self.raw(length)
    }

    pub(crate) fn key_part(&mut self, kind: Kind) -> Result<AttributeValue, RunError> {
        let mut reader = KeyReader::new(self.rest);
        let value = reader.read(kind).map_err(|_| OUTDATED)?;
        self.rest = reader.rest();
        Ok(value)
    }

    /// Everything that is left.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), RunError> {
        if self.rest.is_empty() { Ok(()) } else { Err(OUTDATED) }
    }
}

/// The cursor is ours, but the design has changed since.
pub(crate) const OUTDATED: RunError =
    RunError::Cursor("was made before the design was changed: begin again without it");

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use singlet_design::KeyKind;

    use super::*;

    /// Of version 1: a payload that can be read, and 16 bytes of HMAC.
    #[test]
    fn a_cursor_of_the_time_before_encryption_is_refused() {
        let seal = Seal::new(&[1; 32], "design", "dev");
        for cursor in ["AXEAAAABAVVTRVIjMTIzAAAAAAAAAAAAAAAAAAAAAAAA", "AXEA", "", "not base64!"] {
            assert!(matches!(seal.open(&bond("tokens", "u1"), cursor), Err(RunError::Cursor(_))), "{cursor}");
        }
    }

    #[test]
    fn the_key_of_an_item_is_written_where_it_stands() {
        let item: singlet_values::Item = [("SK", "TOKEN#1"), ("PK", "USER#1")].into_iter().collect();
        let item = EncodedItem::encode(&item);
        let key = |name: &str| KeyAttribute { name: name.to_owned(), kind: KeyKind::Text };
        let mut late = Payload::new();
        late.byte(1);
        late.key_of(item.clone(), [key("PK"), key("SK")].into());
        let mut early = Payload::new();
        early.byte(1);
        for name in ["PK", "SK"] {
            assert!(early.key_part(item.view().get(name).unwrap()));
        }
        assert_eq!(late.to_bytes(), early.to_bytes());
        late.byte(2);
        early.byte(2);
        assert_eq!(late.to_bytes(), early.to_bytes());
    }

    fn payload(bytes: &[u8]) -> Payload {
        let mut payload = Payload::new();
        payload.raw(bytes);
        payload
    }

    /// A pattern with one parameter.
    static TOKENS: LazyLock<Pattern> = LazyLock::new(|| {
        let source = r##"
design = "tokens"
[table]
key = ["PK", "SK"]
[entity.Token]
key    = ["USER#{user_id}", "TOKEN#{token}"]
fields = { user_id = "key", token = "key" }
[pattern.tokens]
query = "Token"
"##;
        let design = singlet_design::load("tokens.toml", source).unwrap();
        Pattern::clone(design.pattern("tokens").unwrap())
    });

    fn bond(pattern: &str, argument: &str) -> Bond {
        let pattern = Arc::new(Pattern { name: pattern.to_owned(), ..TOKENS.clone() });
        Bond {
            pattern,
            given: vec![Given::Value(argument.into())],
            held: Held::default(),
            caller: Vec::new(),
        }
    }

    proptest! {
        #[test]
        fn a_cursor_opens_with_its_own_bond_only(
            bytes in prop::collection::vec(any::<u8>(), 0..9000),
            pattern in "[a-z]{0,3}",
            argument in "[a-z]{0,3}",
            other in ("[a-z]{0,3}", "[a-z]{0,3}"),
            names in prop::collection::vec("[a-z]{1,9}", 0..3),
            now_ms in any::<u64>(),
        ) {
            let seal = Seal::new(&[1; 32], "design", "dev");
            let held = Held { values: names.into_iter().map(|name| (name, AttributeValue::from(now_ms))).collect() };
            let bond = Bond { held: held.clone(), ..bond(&pattern, &argument) };
            let cursor = seal.seal(&bond, &payload(&bytes));
            prop_assert_eq!(seal.open(&bond, &cursor).unwrap(), (held, bytes));
            let foreign = self::bond(&other.0, &other.1);
            let same = (&other.0, &other.1) == (&pattern, &argument);
            prop_assert_eq!(seal.open(&foreign, &cursor).is_ok(), same);
            for elsewhere in [Seal::new(&[1; 32], "design", "prod"), Seal::new(&[1; 32], "desig", "ndev"), Seal::new(&[2; 32], "design", "dev")] {
                prop_assert!(elsewhere.open(&bond, &cursor).is_err());
            }
        }

        #[test]
        fn a_cursor_tells_neither_its_payload_nor_how_long_it_is(
            bytes in prop::collection::vec(any::<u8>(), 12..200),
            other in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let seal = Seal::new(&[1; 32], "design", "dev");
            let bond = bond("tokens", "u1");
            let cursor = seal.seal(&bond, &payload(&bytes));
            let shown = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
            prop_assert!(!shown.windows(bytes.len()).any(|window| window == bytes.as_slice()));
            prop_assert_eq!(cursor.len(), seal.seal(&bond, &payload(&other)).len());
        }

        #[test]
        fn whoever_changes_a_cursor_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..40), place in any::<prop::sample::Index>(), bit in 0_u8..8) {
            let seal = Seal::new(&[1; 32], "design", "dev");
            let bond = bond("tokens", "u1");
            let mut changed = URL_SAFE_NO_PAD.decode(seal.seal(&bond, &payload(&bytes))).unwrap();
            let place = place.index(changed.len());
            changed[place] ^= 1 << bit;
            let refused = seal.open(&bond, &URL_SAFE_NO_PAD.encode(changed));
            prop_assert!(matches!(refused, Err(RunError::Cursor(_))));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            for kind in [Kind::S, Kind::N, Kind::B] {
                let mut reader = PayloadReader::new(&bytes);
                let _ = reader.byte();
                let _ = reader.key_part(kind);
                let length = reader.number().unwrap_or(3) as usize;
                let _ = reader.raw(length);
                let _ = reader.finish();
            }
        }
    }
}
