//! Query strings of signed requests.

use std::borrow::Cow;

use super::escape::{unescape, write_escaped};

/// The parameter with a pre-signed request's signature, which is the only one that it doesn't cover.
const SIGNATURE: &[u8] = b"X-Amz-Signature";

/// The value of the first parameter with this name.
pub(super) fn parameter<'a>(query: &'a str, name: &str) -> Option<Cow<'a, str>> {
    pairs(query).find(|(key, _)| key.as_ref() == name.as_bytes()).map(|(_, value)| into_text(value))
}

/// Writes the parameters in canonical order and form.
pub(super) fn write_canonical(out: &mut Vec<u8>, query: &str) {
    let mut parameters: Vec<Vec<u8>> = pairs(query)
        .filter(|(key, _)| key.as_ref() != SIGNATURE)
        .map(|(key, value)| {
            let mut parameter = Vec::with_capacity(key.len() + value.len() + 1);
            write_escaped(&mut parameter, &key);
            parameter.push(b'=');
            write_escaped(&mut parameter, &value);
            parameter
        })
        .collect();
    parameters.sort_by(|a, b| key_and_value(a).cmp(&key_and_value(b)));
    for (position, parameter) in parameters.iter().enumerate() {
        if position > 0 {
            out.push(b'&');
        }
        out.extend_from_slice(parameter);
    }
}

/// The order is by name, then by value: `a=1` comes before `a-b=0`, although `=` sorts after `-`.
fn key_and_value(parameter: &[u8]) -> (&[u8], &[u8]) {
    split_at_equals(parameter)
}

fn pairs(query: &str) -> impl Iterator<Item = (Cow<'_, [u8]>, Cow<'_, [u8]>)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (key, value) = split_at_equals(pair.as_bytes());
        (unescape(key), unescape(value))
    })
}

fn split_at_equals(pair: &[u8]) -> (&[u8], &[u8]) {
    let mut halves = pair.splitn(2, |&byte| byte == b'=');
    (halves.next().unwrap_or_default(), halves.next().unwrap_or_default())
}

fn into_text(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(query: &str) -> String {
        let mut out = Vec::new();
        write_canonical(&mut out, query);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn parameters_are_sorted_by_name_then_value() {
        assert_eq!(canonical("b=2&a=2&a=1"), "a=1&a=2&b=2");
        assert_eq!(canonical("a-b=0&a=1"), "a=1&a-b=0");
    }

    #[test]
    fn spellings_of_one_value_are_one() {
        assert_eq!(canonical("k=a%2fb"), "k=a%2Fb");
        assert_eq!(canonical("k=a/b"), "k=a%2Fb");
        assert_eq!(canonical("k=a+b&k=a%20b"), "k=a%20b&k=a%20b");
        assert_eq!(canonical("flag"), "flag=");
        assert_eq!(canonical("k=100%&k=%zz"), "k=%25zz&k=100%25");
    }

    #[test]
    fn the_signature_does_not_sign_itself() {
        assert_eq!(canonical("X-Amz-Signature=ab&X-Amz-Date=1"), "X-Amz-Date=1");
    }
}
