//! Finding bytes in bytes, in time that grows with their lengths and not with the product of them: both can be
//! hundreds of kilobytes of a client's choosing.

/// Whether `part` stands somewhere in `bytes` (Knuth, Morris and Pratt).
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

/// For each beginning of `part`, the length of its longest proper beginning that is also its end.
fn borders(part: &[u8]) -> Vec<usize> {
    let mut borders = Vec::with_capacity(part.len());
    let mut matched = 0;
    for (at, byte) in part.iter().enumerate() {
        matched = if at == 0 { 0 } else { extend(part, &borders, matched, *byte) };
        borders.push(matched);
    }
    borders
}

/// How much of `part` has been matched after one more byte.
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
