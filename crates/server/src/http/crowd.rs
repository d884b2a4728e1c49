//! How many connections there may be, in all and from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use super::address::subscriber;

pub(super) struct Crowd {
    most: usize,
    most_of_one: usize,
    here: Mutex<Here>,
}

#[derive(Default)]
struct Here {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A connection's place, free again when it is dropped.
pub(super) struct Place {
    crowd: Arc<Crowd>,
    /// None where an address stands for many clients.
    address: Option<IpAddr>,
}

impl Crowd {
    pub(super) fn new(most: usize, most_of_one: usize) -> Arc<Self> {
        Arc::new(Self { most, most_of_one, here: Mutex::default() })
    }

    /// `is_proxy`: only the whole counts, since all its clients have this address.
    pub(super) fn let_in(self: &Arc<Self>, address: IpAddr, is_proxy: bool) -> Option<Place> {
        let address = (!is_proxy).then(|| subscriber(address));
        let mut here = self.here.lock().unwrap_or_else(PoisonError::into_inner);
        if here.all >= self.most {
            return None;
        }
        if let Some(address) = address {
            let of_this = here.by_address.entry(address).or_insert(0);
            if *of_this >= self.most_of_one {
                return None;
            }
            *of_this += 1;
        }
        here.all += 1;
        metrics::gauge!("wishbone_connections").set(here.all as f64);
        Some(Place { crowd: Arc::clone(self), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut here = self.crowd.here.lock().unwrap_or_else(PoisonError::into_inner);
        here.all -= 1;
        metrics::gauge!("wishbone_connections").set(here.all as f64);
        let Some(address) = self.address else { return };
        if let Some(of_this) = here.by_address.get_mut(&address) {
            *of_this -= 1;
            if *of_this == 0 {
                here.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn one_address_cannot_take_all_places_and_a_proxy_can() {
        let crowd = Crowd::new(4, 2);
        let come = |from: &str, is_proxy| crowd.let_in(address(from), is_proxy);
        let first = come("2001:db8::1", false).unwrap();
        let _second = come("2001:db8::2", false).unwrap();
        assert!(come("2001:db8::3", false).is_none());
        let _other = come("1.2.3.4", false).unwrap();
        let proxied = come("10.0.0.1", true).unwrap();
        assert!(come("1.2.3.4", false).is_none(), "the house is full");
        drop(first);
        let again = come("2001:db8::3", false).unwrap();
        assert!(come("10.0.0.1", true).is_none());
        drop(again);
        let _three = [come("10.0.0.1", true).unwrap()];
        drop(proxied);
        assert!(come("1.2.3.4", false).is_some());
    }

    #[test]
    fn addresses_that_have_left_are_forgotten() {
        let crowd = Crowd::new(10, 10);
        for number in 0..100 {
            drop(crowd.let_in(IpAddr::from([10, 0, 0, number]), false).unwrap());
        }
        let here = crowd.here.lock().unwrap();
        assert_eq!((here.all, here.by_address.len()), (0, 0));
    }
}
