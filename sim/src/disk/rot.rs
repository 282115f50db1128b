//! Bits that turn while nobody looks.

use singlet_scheduler::note;

use super::SimulatedDisk;

/// How far behind the text a bit turns, at most.
const NEAR_BYTES: usize = 6;
/// Most of a file may be empty: so many places are tried.
const TRIES: usize = 32;

impl SimulatedDisk {
    /// Turns one bit of the file whose name begins with `prefix`: right behind one of the places where `text` stands, or
    /// anywhere if it stands nowhere. The file may be open.
    pub fn turn_bit(&self, prefix: &str, text: &[u8]) -> Option<String> {
        let mut state = self.state();
        let files: Vec<(String, usize)> = state
            .names
            .iter()
            .filter(|(name, _)| name.starts_with(prefix))
            .map(|(name, content)| (name.clone(), *content))
            .collect();
        let (name, content) = state.random.pick(&files)?;
        let bytes = &state.contents.get(content)?.current;
        let length = bytes.len();
        let behind: Vec<usize> = bytes
            .windows(text.len().max(1))
            .enumerate()
            .filter(|(_, window)| *window == text)
            .map(|(at, _)| at + text.len())
            .collect();
        for _ in 0..TRIES {
            let at = match state.random.pick(&behind) {
                Some(start) => start + state.random.index(NEAR_BYTES),
                None => state.random.index(length),
            };
            let bit = state.random.index(8);
            let content = state.contents.get_mut(content)?;
            let Some(byte) = content.current.get_mut(at).filter(|byte| **byte != 0) else { continue };
            *byte ^= 1 << bit;
            // The disk holds it so, whatever was synced.
            if let Some(byte) = content.durable.get_mut(at) {
                *byte ^= 1 << bit;
            }
            note(format_args!("disk: bit {bit} of byte {at} of {name} turns"));
            return Some(name);
        }
        None
    }
}
