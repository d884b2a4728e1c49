//! The requests of the mix, some of which follow from the responses to others.

use std::collections::HashSet;

use anyhow::Context;

use super::check::{Expectation, is_new};
use super::encode;
use super::guests::{Guest, Queue};
use super::shares::{self, Call};
use super::step::{Item, Read, Step, Writer};
use crate::speed::calls::{Calls, lid};
use crate::speed::driver::{Response, Source};
use crate::speed::targets::{ListTarget, Targets};

/// A source of requests in the proportions of `shares`.
pub(crate) struct Shop<'a> {
    calls: Calls<'a>,
    is_checked: bool,
    connections: Vec<Connection<'a>>,
    /// Shoppers whose lists are being changed, until the change was read back. No other connection may change them in
    /// the meantime, so that a failed check can only mean a stale read.
    writing: HashSet<usize>,
    /// Guests without a list.
    visitors: Queue<Guest>,
    /// Guests with a list.
    guests: Queue<Guest>,
    /// Items that were added, to be removed.
    added: Queue<Item>,
}

#[derive(Default)]
struct Connection<'a> {
    /// The request under way, if its response is wanted.
    sent: Option<Step<'a>>,
    /// The request that must follow.
    next: Option<Step<'a>>,
}

impl<'a> Shop<'a> {
    pub(crate) fn new(targets: &'a Targets, seed: u64) -> Self {
        Self {
            calls: Calls::new(targets, false, seed),
            is_checked: true,
            connections: Vec::new(),
            writing: HashSet::new(),
            visitors: Queue::default(),
            guests: Queue::default(),
            added: Queue::default(),
        }
    }

    /// For recorded responses, which do not follow from the requests.
    pub(crate) fn unchecked(self) -> Self {
        Self { is_checked: false, ..self }
    }

    /// A request for a drawn call. Without a guest or an item to use, it is the call that leads to one.
    fn step(&mut self, call: Call) -> Step<'a> {
        match call {
            Call::Add => match self.lock_list() {
                Some(list) => {
                    let variant = self.calls.variant(self.calls.targets.shoppers[list.shopper].store);
                    Step::Add(Item { list, variant })
                }
                None => Step::Call(Calls::any_page),
            },
            Call::Remove => match self.added.pop() {
                Some(item) if self.writing.insert(item.list.shopper) => Step::Remove(item),
                Some(item) => {
                    self.added.push(item);
                    self.step(Call::Add)
                }
                None => self.step(Call::Add),
            },
            Call::Register => Step::Register { store: self.calls.shopper().store },
            Call::CreateList => match self.visitors.pop() {
                Some(guest) => Step::CreateList(guest),
                None => self.step(Call::Register),
            },
            Call::LogIn => match self.guests.pop() {
                Some(guest) => match self.lock_shopper(guest.store) {
                    Some(shopper) => Step::LogIn { guest, shopper },
                    None => {
                        self.guests.push(guest);
                        Step::Call(Calls::any_page)
                    }
                },
                None => self.step(Call::CreateList),
            },
            Call::Hearts => Step::Call(Calls::hearts),
            Call::Page => Step::Call(Calls::any_page),
            Call::HotPage => Step::Call(Calls::hot_page),
            Call::FetchLists => Step::Call(Calls::fetch_lists),
            Call::Contents => Step::Call(Calls::contents),
            Call::SocialCount => Step::Call(encode::social_count),
            Call::FeedStock => Step::Call(encode::feed_stock),
            Call::FeedProduct => Step::Call(encode::feed_product),
            Call::Subscribe => Step::Call(encode::subscribe),
            Call::Share => Step::Call(encode::share),
        }
    }

    /// A random list that no other connection changes. A small database may have none.
    fn lock_list(&mut self) -> Option<ListTarget> {
        let lists = std::iter::repeat_with(|| *self.calls.rng.pick(&self.calls.targets.paged));
        lists.take(ATTEMPTS).find(|list| self.writing.insert(list.shopper))
    }

    fn lock_shopper(&mut self, store: usize) -> Option<usize> {
        let shoppers = self.calls.targets.stores[store].shoppers.clone();
        let random = || shoppers.start + self.calls.rng.below(shoppers.len() as u64) as usize;
        std::iter::repeat_with(random).take(ATTEMPTS).find(|shopper| self.writing.insert(*shopper))
    }

    /// The request that must follow a successful one.
    fn succeeded(&mut self, step: Step<'a>, body: &[u8]) -> anyhow::Result<Option<Step<'a>>> {
        match step {
            Step::Call(_) => {}
            Step::Add(item) => {
                self.added.push(item);
                // An item that was on the list before need not be on its first page.
                let is_new = !self.is_checked || is_new(body);
                return Ok(Some(self.read_back(item, true, is_new)));
            }
            Step::Remove(item) => return Ok(Some(self.read_back(item, false, true))),
            Step::Register { store } => self.visitors.push(Guest::registered(store, body)?),
            Step::CreateList(guest) => {
                let variant = self.calls.variant(guest.store);
                return Ok(Some(Step::FirstItem(guest.with_list(body, variant)?)));
            }
            Step::FirstItem(guest) => {
                let expectation = expectation(guest.variant, Some(&guest.list), true);
                return Ok(Some(Step::ReadBack { by: Writer::Guest(guest), read: Read::Contains, expectation }));
            }
            Step::LogIn { guest, shopper } => {
                // The guest's list may have become part of one of the shopper's.
                let expectation = expectation(guest.variant, None, true);
                return Ok(Some(Step::ReadBack { by: Writer::Shopper(shopper), read: Read::Contains, expectation }));
            }
            Step::ReadBack { by, read, expectation } => {
                match read {
                    Read::Page(_) if self.is_checked => expectation.check_page(body)?,
                    Read::Contains if self.is_checked => expectation.check_contains(body)?,
                    Read::Page(_) | Read::Contains => {}
                }
                match by {
                    Writer::Shopper(shopper) => {
                        self.writing.remove(&shopper);
                    }
                    Writer::Guest(guest) => self.guests.push(guest),
                }
            }
        }
        Ok(None)
    }

    fn read_back(&mut self, Item { list, variant }: Item, is_present: bool, is_on_page: bool) -> Step<'a> {
        let read = if is_on_page && self.calls.rng.below(2) == 0 { Read::Page(list) } else { Read::Contains };
        let expectation = expectation(variant, Some(&list.id), is_present);
        Step::ReadBack { by: Writer::Shopper(list.shopper), read, expectation }
    }

    /// A request was rejected, so there is nothing to read back.
    fn rejected(&mut self, step: &Step<'_>) {
        if let Step::Add(Item { list: ListTarget { shopper, .. }, .. })
        | Step::Remove(Item { list: ListTarget { shopper, .. }, .. })
        | Step::LogIn { shopper, .. }
        | Step::ReadBack { by: Writer::Shopper(shopper), .. } = step
        {
            self.writing.remove(shopper);
        }
    }
}

const ATTEMPTS: usize = 16;

fn expectation(variant: i64, list: Option<&[u8; 16]>, is_present: bool) -> Expectation {
    Expectation { variant, lid: list.map(lid), is_present }
}

impl Source for Shop<'_> {
    fn write_next(&mut self, connection: usize, out: &mut Vec<u8>) -> Response {
        if self.connections.len() <= connection {
            self.connections.resize_with(connection + 1, Connection::default);
        }
        let step = self.connections[connection].next.take().unwrap_or_else(|| {
            let call = shares::draw(&mut self.calls.rng);
            self.step(call)
        });
        step.write(&mut self.calls, out);
        if matches!(step, Step::Call(_)) {
            return Response::Counted;
        }
        self.connections[connection].sent = Some(step);
        Response::Wanted
    }

    fn receive(&mut self, connection: usize, status: u16, body: &[u8]) -> anyhow::Result<()> {
        let sent = self.connections.get_mut(connection).and_then(|connection| connection.sent.take());
        let step = sent.context("a response without a request")?;
        if status == 200 {
            self.connections[connection].next = self.succeeded(step, body)?;
        } else {
            self.rejected(&step);
        }
        Ok(())
    }
}
