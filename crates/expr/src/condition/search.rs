//! Substring search in linear time. Both inputs come from the client and can be hundreds of kilobytes long.

/// Whether `bytes` contains `part` (Knuth, Morris and Pratt).
pub(super) fn contains_bytes(bytes: &[u8], part: &[u8]) -> bool {
    if part.len() > bytes.len() {
        return false;
    }
    let borders = borders(part);
    let mut matched = 0;
    for byte in bytes {
        matched = extend(part, &borders, matched, *byte);
        if matched == part.len() {
            return true;
        }
    }
    part.is_empty()
}

/// For each prefix of `part`, the length of its longest proper prefix that is a suffix of it as well.
fn borders(part: &[u8]) -> Vec<usize> {
    let mut borders = Vec::with_capacity(part.len());
    let mut matched = 0;
    for (at, byte) in part.iter().enumerate() {
        matched = if at == 0 { 0 } else { extend(part, &borders, matched, *byte) };
        borders.push(matched);
    }
    borders
}

/// The length of the match after one more byte.
fn extend(part: &[u8], borders: &[usize], mut matched: usize, byte: u8) -> usize {
    loop {
        if part.get(matched) == Some(&byte) {
            return matched + 1;
        }
        match matched.checked_sub(1).and_then(|last| borders.get(last)) {
            Some(border) => matched = *border,
            None => return 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_looking_at_every_place(
            bytes in proptest::collection::vec(0_u8..3, 0..40),
            part in proptest::collection::vec(0_u8..3, 0..6),
        ) {
            let naive = (0..=bytes.len()).any(|at| bytes[at..].starts_with(&part));
            prop_assert_eq!(contains_bytes(&bytes, &part), naive);
        }
    }

    #[test]
    fn a_repetitive_needle_does_not_take_quadratic_time() {
        let bytes = vec![0; 400_000];
        let mut part = vec![0; 200_000];
        part.push(1);
        assert!(!contains_bytes(&bytes, &part));
    }
}
