//! Random bytes: the operating system's, except in the simulation (`sim/`), where they come from the seed, so that an
//! encrypted folder has the same bytes again. Keys, salts and nonces of the engine are made of nothing else.

#[cfg(not(simulated))]
pub(crate) use singlet_cipher::random;

/// Random bytes of the seed.
#[cfg(simulated)]
pub(crate) fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    singlet_scheduler::fill(&mut bytes);
    Ok(bytes)
}
