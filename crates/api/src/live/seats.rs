//! How many subscriptions there may be.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::problem::{Problem, ProblemKind};

/// The subscriptions to one design at most.
const TOTAL_MAX: usize = 20_000;
/// The subscriptions from one address at most. Programs and proxies on this machine have no limit of their own.
const ADDRESS_MAX: usize = 200;

/// The seats of subscribers.
#[derive(Debug, Default)]
pub(super) struct Seats {
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    addresses: HashMap<IpAddr, usize>,
}

/// The seat of one subscriber, until it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    network: Option<IpAddr>,
}

impl Seats {
    /// Takes a seat for a caller at this address.
    pub(super) fn take(self: &Arc<Self>, address: Option<IpAddr>) -> Result<Seat, Problem> {
        let network = address.map(network).filter(|network| !network.is_loopback());
        let mut taken = self.taken();
        if taken.total >= TOTAL_MAX {
            return Err(Problem::new(ProblemKind::Busy, "too many callers follow this API: try again later"));
        }
        if let Some(network) = network {
            let count = taken.addresses.entry(network).or_default();
            if *count >= ADDRESS_MAX {
                let detail =
                    format!("an address can have {ADDRESS_MAX} live answers at once: end another one");
                return Err(Problem::new(ProblemKind::Throttled, detail));
            }
            *count += 1;
        }
        taken.total += 1;
        Ok(Seat { seats: Arc::clone(self), network })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.taken();
        taken.total = taken.total.saturating_sub(1);
        if let Some(network) = self.network
            && let Some(count) = taken.addresses.get_mut(&network)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                taken.addresses.remove(&network);
            }
        }
    }
}

/// The network that counts as one address. With IPv6, the owner of an address has its whole /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_can_not_take_all_seats_and_gives_them_back() {
        let seats = Arc::new(Seats::default());
        let take = |address: &str| seats.take(address.parse().ok());
        let mut held: Vec<_> = (0..ADDRESS_MAX).map(|_| take("2001:db8::1").unwrap()).collect();
        assert_eq!(take("2001:db8::2").unwrap_err().kind, ProblemKind::Throttled);
        let others: Vec<_> = (ADDRESS_MAX..TOTAL_MAX).map(|_| take("127.0.0.1").unwrap()).collect();
        assert_eq!(take("10.0.0.1").unwrap_err().kind, ProblemKind::Busy);
        drop(others);
        held.pop();
        assert!(take("2001:db8::2").is_ok());
        drop(held);
        assert!(seats.taken().addresses.is_empty() && seats.taken().total == 0);
    }
}
