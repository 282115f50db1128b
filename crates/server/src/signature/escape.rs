//! URL escapes, and hexadecimal digits.

use std::borrow::Cow;

/// Writes the bytes with all characters as `%XX`, except RFC 3986's unreserved ones.
pub(super) fn write_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte),
            _ => out.extend_from_slice(&[b'%', to_hex_digit(byte >> 4, b'A'), to_hex_digit(byte & 15, b'A')]),
        }
    }
}

/// Writes the bytes as lower-case hexadecimal digits.
pub(super) fn write_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.extend_from_slice(&[to_hex_digit(byte >> 4, b'a'), to_hex_digit(byte & 15, b'a')]);
    }
}

/// The digit for a value below 16; `ten` is the letter for 10.
fn to_hex_digit(value: u8, ten: u8) -> u8 {
    if value < 10 { b'0' + value } else { ten + value - 10 }
}

/// Undoes `%XX` and `+`. Incomplete escapes stay as they are.
pub(super) fn unescape(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'%') && !text.contains(&b'+') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    loop {
        match rest {
            [] => return Cow::Owned(out),
            [b'%', high, low, tail @ ..] if hex_digit(*high).is_some() && hex_digit(*low).is_some() => {
                out.push(hex_digit(*high).unwrap_or(0) << 4 | hex_digit(*low).unwrap_or(0));
                rest = tail;
            }
            [b'+', tail @ ..] => {
                out.push(b' ');
                rest = tail;
            }
            [byte, tail @ ..] => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
}

/// The value of a hexadecimal digit.
pub(super) fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
