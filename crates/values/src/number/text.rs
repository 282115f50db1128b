//! Numbers as plain decimal text, the way DynamoDB prints them: no exponent, no superfluous zeros.

use std::fmt::{self, Write};

use super::{Number, NumberRef};

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self.view(), f)
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self.view(), f)
    }
}

impl fmt::Display for NumberRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(*self, f)
    }
}

impl fmt::Debug for NumberRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(*self, f)
    }
}

impl NumberRef<'_> {
    /// Appends the number in plain decimal.
    pub fn write_text(self, out: &mut Vec<u8>) {
        // Appending to a vector can't fail, so neither can the write.
        let _ = write(self, &mut Appended(out));
    }
}

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
fn write(number: NumberRef<'_>, out: &mut impl Write) -> fmt::Result {
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

/// A buffer of bytes that takes text.
struct Appended<'a>(&'a mut Vec<u8>);

impl Write for Appended<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
