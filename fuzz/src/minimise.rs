//! Makes an input that fails as small as it gets.

/// The smallest input found that still fails, by taking pieces away and by writing plain bytes. `attempts_max`
/// bounds how often `fails` is asked.
pub fn minimise(input: &[u8], attempts_max: usize, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut attempts = 0;
    let mut piece_bytes = best.len().div_ceil(2);
    while piece_bytes > 0 && attempts < attempts_max {
        let mut at = 0;
        while at < best.len() && attempts < attempts_max {
            let mut shorter = best.clone();
            shorter.drain(at..(at + piece_bytes).min(best.len()));
            attempts += 1;
            if fails(&shorter) {
                best = shorter;
            } else {
                at += piece_bytes;
            }
        }
        piece_bytes /= 2;
    }
    for at in 0..best.len() {
        if attempts >= attempts_max {
            break;
        }
        let mut plainer = best.clone();
        plainer[at] = b'0';
        attempts += 1;
        if plainer != best && fails(&plainer) {
            best = plainer;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_taken_away() {
        let fails = |input: &[u8]| input.windows(2).any(|pair| pair == b"XY") && input.contains(&b'Z');
        let smallest = minimise(b"aaaaaaaaXYbbbbbbbbbbbbbbbbZccccc", 10_000, fails);
        assert_eq!(smallest, b"XYZ");
    }
}
