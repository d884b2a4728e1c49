//! A request of the mix, with what its response is needed for.

use super::check::Expectation;
use super::encode;
use super::guests::Guest;
use crate::speed::calls::{Caller, Calls};
use crate::speed::targets::{ListTarget, Targets};

#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) list: ListTarget,
    pub(super) variant: i64,
}

pub(super) enum Step<'a> {
    /// A call on whose response nothing depends.
    Call(fn(&mut Calls<'a>, &mut Vec<u8>)),
    Add(Item),
    Remove(Item),
    Register {
        store: usize,
    },
    CreateList(Guest),
    FirstItem(Guest),
    LogIn {
        guest: Guest,
        shopper: usize,
    },
    ReadBack {
        by: Writer,
        read: Read,
        expectation: Expectation,
    },
}

/// Who made the change that is read back.
pub(super) enum Writer {
    Shopper(usize),
    Guest(Guest),
}

pub(super) enum Read {
    Page(ListTarget),
    Contains,
}

impl<'a> Step<'a> {
    pub(super) fn write(&self, calls: &mut Calls<'a>, out: &mut Vec<u8>) {
        let targets = calls.targets;
        match self {
            Self::Call(write) => write(calls, out),
            Self::Add(Item { list, variant }) => {
                calls.add(out, (&targets.shoppers[list.shopper]).into(), &list.id, &[*variant]);
            }
            Self::Remove(Item { list, variant }) => {
                calls.remove(out, (&targets.shoppers[list.shopper]).into(), &list.id, *variant);
            }
            Self::Register { store } => encode::register(calls, out, *store),
            Self::CreateList(guest) => encode::create_list(calls, out, guest),
            Self::FirstItem(guest) => calls.add(out, guest.caller(), &guest.list, &[guest.variant]),
            Self::LogIn { guest, shopper } => encode::log_in(calls, out, guest, *shopper),
            Self::ReadBack { read: Read::Page(list), .. } => calls.page(out, list, None),
            Self::ReadBack { by, read: Read::Contains, expectation } => {
                calls.contains(out, by.caller(targets), Some(expectation.variant));
            }
        }
    }
}

impl Writer {
    fn caller<'w>(&'w self, targets: &'w Targets) -> Caller<'w> {
        match self {
            Self::Shopper(shopper) => (&targets.shoppers[*shopper]).into(),
            Self::Guest(guest) => guest.caller(),
        }
    }
}
