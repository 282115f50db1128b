//! Random bytes of the operating system. In the simulation (`sim/`) they come from the seed, so that an encrypted
//! folder has the same bytes in every run. All keys, salts and nonces of the engine are made from them.

#[cfg(not(simulated))]
pub(crate) use singlet_cipher::random;

/// Returns random bytes from the seed.
#[cfg(simulated)]
pub(crate) fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    singlet_scheduler::fill(&mut bytes);
    Ok(bytes)
}
