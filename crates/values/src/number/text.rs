//! Numbers as plain decimal text, the way DynamoDB prints them: no exponent, no superfluous zeros.

use std::fmt::{self, Write};

use super::NumberRef;

/// The text of every pair, one after the other.
const PAIRS: &str = "0001020304050607080910111213141516171819\
                     2021222324252627282930313233343536373839\
                     4041424344454647484950515253545556575859\
                     6061626364656667686970717273747576777879\
                     8081828384858687888990919293949596979899";

fn both_digits(pair: u8) -> &'static str {
    let at = usize::from(pair) * 2;
    PAIRS.get(at..at + 2).unwrap_or("00")
}

fn tens(pair: u8) -> &'static str {
    let at = usize::from(pair) * 2;
    PAIRS.get(at..at + 1).unwrap_or("0")
}

fn ones(pair: u8) -> &'static str {
    let at = usize::from(pair) * 2 + 1;
    PAIRS.get(at..at + 1).unwrap_or("0")
}

/// Writes the number, pair by pair, straight from its bytes.
pub(super) fn write(number: NumberRef<'_>, out: &mut impl Write) -> fmt::Result {
    if number.is_zero() {
        return out.write_str("0");
    }
    if number.is_negative() {
        out.write_str("-")?;
    }
    let exponent = number.exponent();
    let mut pairs = number.pairs();
    if exponent < 0 {
        out.write_str("0.")?;
        for _ in exponent + 1..0 {
            out.write_str("00")?;
        }
        return write_fraction(pairs, out);
    }
    let first = pairs.next().unwrap_or(0);
    out.write_str(if first < 10 { ones(first) } else { both_digits(first) })?;
    for _ in 0..exponent {
        out.write_str(both_digits(pairs.next().unwrap_or(0)))?;
    }
    if pairs.len() > 0 {
        out.write_str(".")?;
    }
    write_fraction(pairs, out)
}

/// The last pair may end in a zero, which is not printed.
fn write_fraction(mut pairs: impl ExactSizeIterator<Item = u8>, out: &mut impl Write) -> fmt::Result {
    while let Some(pair) = pairs.next() {
        let superfluous_zero = pairs.len() == 0 && pair.is_multiple_of(10);
        out.write_str(if superfluous_zero { tens(pair) } else { both_digits(pair) })?;
    }
    Ok(())
}

/// Appends the text of the number to a buffer of bytes.
pub(super) fn append(number: NumberRef<'_>, out: &mut Vec<u8>) {
    // Appending to a vector cannot fail, so neither can the write.
    let _ = write(number, &mut Appended(out));
}

struct Appended<'a>(&'a mut Vec<u8>);

impl Write for Appended<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
