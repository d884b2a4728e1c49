//! Fetching the lists of a shopper without their contents, part by part.

use wishbone_storage::{Query, Read};

use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::row::{ListRow, WISHLIST, collect_row, columns, with_editors};
use crate::lists::view::{Parts, View};
use crate::tokens::Keys;

/// Lists of one read: a bounded amount of work.
const MAX_LISTS: i64 = 250;

/// Which lists of the caller to read, in their order: storefronts take the first list as the default wishlist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    All = 0,
    Wishlists = 1,
    Others = 2,
    SaveForLater = 3,
}

impl Group {
    pub(crate) fn of(list: &ListRow) -> Self {
        match &*list.list_type {
            WISHLIST => Self::Wishlists,
            _ if list.is_save_for_later() => Self::SaveForLater,
            _ => Self::Others,
        }
    }
}

/// Where a part of the caller's lists begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartStart {
    pub(crate) group: Group,
    /// Lists with a higher ordinal are read.
    pub(crate) after: i64,
}

impl PartStart {
    pub const FIRST: Self = Self { group: Group::All, after: -1 };

    /// The start of the first part if the lists do not fit into one: wishlists come first.
    pub const FIRST_OF_SEVERAL: Self = Self { group: Group::Wishlists, after: -1 };

    /// The start of the part after this one, which ends with `last` or, without it, with the group. `None` if there is none.
    pub(crate) fn next(self, last: Option<&ListRow>) -> Option<Self> {
        match (last, self.group) {
            (Some(last), group) => Some(Self { group, after: last.ordinal }),
            (None, Group::Wishlists) => Some(Self { group: Group::Others, after: -1 }),
            (None, Group::Others) => Some(Self { group: Group::SaveForLater, after: -1 }),
            (None, Group::All | Group::SaveForLater) => None,
        }
    }

    /// The start as a token of the shopper.
    pub fn to_token(self, keys: &Keys, by: &Shopper) -> String {
        let mut body = vec![self.group as u8];
        body.extend_from_slice(&self.after.to_be_bytes());
        keys.seal(PURPOSE, &context(by), &body)
    }

    pub fn from_token(keys: &Keys, by: &Shopper, token: &str) -> Result<Self> {
        let body = keys.unseal(PURPOSE, &context(by), token).ok_or_else(|| {
            let message = "next is not a token of this call and shopper: omit it to start with the first list";
            Error::new(Code::InvalidNextToken, message)
        })?;
        let after = body.get(1..).and_then(|after| after.try_into().ok()).map(i64::from_be_bytes);
        let groups = [Group::Others, Group::SaveForLater];
        let group = groups.into_iter().find(|group| body.first() == Some(&(*group as u8))).unwrap_or(Group::Wishlists);
        let after = after.ok_or_else(|| Error::internal("a signed token could not be decoded"))?;
        Ok(Self { group, after })
    }
}

const PURPOSE: &[u8] = b"next lists";

fn context(by: &Shopper) -> [&[u8]; 2] {
    [by.store().pid.as_bytes(), &by.id().0]
}

/// A part of the caller's lists, wishlists first and save-for-later lists last, each oldest first, as encoded records without contents.
#[derive(Clone)]
pub struct FetchUserLists {
    pub by: Shopper,
    pub include_archived: bool,
    pub start: PartStart,
}

#[derive(Debug)]
pub struct UserLists {
    /// Each with the start of the part that would come after it.
    pub records: Vec<(Vec<u8>, PartStart)>,
    /// The start of the next part, if there may be one.
    pub next: Option<PartStart>,
}

impl Read for FetchUserLists {
    const NAME: &'static str = "fetch_user_lists";
    const SINGLE_STATEMENT: bool = true;
    type Out = UserLists;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<UserLists> {
        let PartStart { group, after } = self.start;
        let args = [
            self.by.store_id().into(),
            (&self.by.id().0).into(),
            after.into(),
            self.include_archived.into(),
            (group as i64).into(),
            MAX_LISTS.into(),
        ];
        let mut lists = Vec::new();
        query.query_all(&[PART.bind(&args)], &mut |_, row| collect_row(&mut lists, row)).await?;
        let next = self.start.next(lists.last().filter(|_| lists.len() as i64 == MAX_LISTS));
        lists.sort_by_key(Group::of);
        let view = View::own(&self.by);
        let parts = Parts { people_as_null: true, ..Parts::default() };
        let record = |list: &ListRow| {
            let mut out = Vec::new();
            view.write_list(&mut out, list, &parts);
            (out, PartStart { group, after: list.ordinal })
        };
        Ok(UserLists { records: lists.iter().map(record).collect(), next })
    }
}

/// Returns all lists of a shopper, including archived ones, oldest first.
pub(crate) async fn all_of<Q: Query>(query: &mut Q, by: &Shopper) -> Result<Vec<ListRow>> {
    let args = [by.store_id().into(), (&by.id().0).into(), true.into()];
    let mut lists = Vec::new();
    query.query_all(&[OF_SHOPPER.bind(&args)], &mut |_, row| collect_row(&mut lists, row)).await?;
    Ok(lists)
}

statements! {
    // The only editor that is shown is the one of the last change.
    PART = concat!("select ", columns!("l."), ", e.number, s.email
        from lists l left join editors e on e.store_id = $1 and e.list_id = l.list_id and e.number = l.changed_by
             left join shoppers s on s.store_id = $1 and s.shopper_id = e.shopper_id
        where l.store_id = $1 and l.shopper_id = $2 and l.ordinal > $3 and ($4 = 1 or l.archived = 0)
          and (($5 = 1 and l.type = 'wl') or ($5 = 2 and l.type <> 'wl' and l.type <> '_saveForLater' and l.type <> 'sfl')
               or ($5 = 3 and (l.type = '_saveForLater' or l.type = 'sfl')) or $5 = 0)
        order by l.ordinal limit $6");
    OF_SHOPPER = with_editors!("l.shopper_id = $2 and (l.archived = 0 or $3 = 1) order by l.ordinal");
}
