//! List and item records as one caller may see them.

use crate::catalog::shown_product::ShownProduct;
use crate::identity::caller::Shopper;
use crate::json::Object;
use crate::lists::access::Access;
use crate::lists::item_members;
use crate::lists::row::{Editor, ListRow};
use crate::tokens::hash;

/// How one caller sees one list.
pub struct View<'a> {
    by: &'a Shopper,
    access: Access,
    /// The owner's name, for visitors, if the store shows it.
    owner: Option<OwnerName>,
}

/// First and last name of a list's owner.
#[derive(Clone, Debug)]
pub struct OwnerName(pub(crate) String, pub(crate) String);

impl<'a> View<'a> {
    /// The view of the caller's own lists.
    pub fn own(by: &'a Shopper) -> Self {
        Self::new(by, Access::of_owner())
    }

    pub fn new(by: &'a Shopper, access: Access) -> Self {
        Self { by, access, owner: None }
    }

    /// Adds the owner's name, for visitors.
    #[must_use]
    pub fn with_owner_name(self, owner: Option<OwnerName>) -> Self {
        Self { owner, ..self }
    }

    /// The address of the owner, which only the owner may see, and those of editors.
    fn owner_email(&self) -> Option<&str> {
        self.by.email().filter(|_| self.access.is_owner())
    }

    /// True if the address of the last editor of the list, or of an editor of its items, is shown.
    pub(crate) fn shows_editors(&self, list: &ListRow, items_have_editor: bool) -> bool {
        (items_have_editor || list.changed_by > Some(Editor::ANONYMOUS)) && self.owner_email().is_some()
    }

    /// The address of an editor; `None` is the owner.
    fn person<'s>(&'s self, list: &'s ListRow, number: Option<i64>) -> Option<&'s str> {
        let owner = self.owner_email()?;
        let Some(number) = number else { return Some(owner) };
        list.editors.iter().find(|editor| editor.number == number)?.email.as_deref()
    }

    pub(crate) fn low_stock(&self) -> i64 {
        self.by.store().settings.alerts.low_stock
    }

    fn write_lid(&self, object: &mut Object<'_>, list: &ListRow) {
        match self.access.key() {
            Some(key) => object.text("lid", key),
            None => object.uuid("lid", &list.list_id),
        }
    }

    /// Encodes what the items of a list have in common.
    pub(crate) fn item_frame(&self, list: &ListRow) -> ItemFrame {
        ItemFrame {
            lid: members(|object| self.write_lid(object, list)),
            end: members(|object| self.write_item_end(object, list, [None, None], None)),
        }
    }

    /// Appends an item.
    pub(crate) fn write_item(
        &self,
        out: &mut Vec<u8>,
        list: &ListRow,
        item: &ItemRecord<'_>,
        product: &ShownProduct<'_>,
    ) {
        let write_product = |object: &mut Object<'_>, saved_price: Option<&str>| product.write(object, saved_price);
        self.write_framed_item(out, list, &self.item_frame(list), item, write_product);
    }

    /// Appends one of many items of a list. `write_product` writes what it shows of its product, which depends on the price
    /// when it was saved.
    pub(crate) fn write_framed_item(
        &self,
        out: &mut Vec<u8>,
        list: &ListRow,
        frame: &ItemFrame,
        item: &ItemRecord<'_>,
        write_product: impl FnOnce(&mut Object<'_>, Option<&str>),
    ) {
        let mut object = Object::open(out);
        let members = item_members::shown(item.members);
        let (parts, saved_price) = item_members::split_saved_price(&members);
        for part in parts {
            object.fragment(part);
        }
        object.fragment(&frame.lid);
        write_product(&mut object, saved_price);
        match (item.added_by, item.changed_by, item.device) {
            (None, None, None) => _ = object.fragment(&frame.end),
            (added_by, changed_by, device) => self.write_item_end(&mut object, list, [added_by, changed_by], device),
        }
        object.close();
    }

    /// Writes the last members of an item: who added and changed it, and from which device.
    fn write_item_end(&self, object: &mut Object<'_>, list: &ListRow, by: [Option<i64>; 2], device: Option<&str>) {
        let [added_by, changed_by] = by.map(|number| self.person(list, number));
        object.opt_text("cby", added_by);
        object.opt_text("uby", changed_by);
        if self.access.is_owner() {
            write_device(object, device.unwrap_or(&list.device));
            object.text("uid", self.by.uid());
        }
        object.text("pid", &self.by.store().pid);
        object.int("_t", 2);
    }

    /// Appends the list's record with optional parts. Returns the offset in `out` where the contents end, so that more items
    /// can be inserted there.
    pub fn write_list(&self, out: &mut Vec<u8>, list: &ListRow, parts: &Parts<'_>) -> usize {
        let mut object = Object::open(out);
        self.write_lid(&mut object, list);
        object.text("lname", &list.name);
        object.opt_text("fromname", self.access.owner_name());
        object.text("lty", &list.list_type);
        object.opt_text("lnote", list.note.as_deref());
        object.opt_text("ldesc", list.description.as_deref());
        if let Some(properties) = &list.properties {
            object.raw("lprops", properties);
        }
        object.flag("anonRead", list.public);
        if list.copying {
            object.flag("_cp", true);
        }
        object.int("cts", list.created_at);
        object.int("uts", list.updated_at);
        match self.person(list, None) {
            Some(owner) => {
                object.text("cby", owner);
                object.opt_text("uby", self.person(list, list.changed_by));
                object.text("cfor", owner);
            }
            None if parts.people_as_null => ["cby", "uby", "cfor"].iter().for_each(|key| object.null(key)),
            None => {}
        }
        if self.access.is_owner() {
            write_device(&mut object, &list.device);
            object.text("uid", self.by.uid());
        }
        object.text("pid", &self.by.store().pid);
        object.uuid("id", &list.record_id);
        object.int("st", i64::from(!list.archived));
        object.int("_t", 1);
        object.text("lhash", &list_hash(list));
        object.int("cnt", list.item_count);
        object.int("version", list.version);
        if parts.with_rights {
            object.flag("canEdit", self.access.may_edit());
            object.int("itemcmnts", list.comment_count);
        }
        if let Some(contents) = parts.contents {
            let out = object.key("listcontents");
            out.push(b'[');
            out.extend_from_slice(contents);
        }
        let contents_end = out.len();
        if parts.contents.is_some() {
            out.push(b']');
        }
        if parts.with_userinfo {
            out.extend_from_slice(b",\"userinfo\":");
            self.write_userinfo(out);
        }
        out.push(b'}');
        contents_end
    }

    /// Appends the profile for the logged-in owner; for anyone else `null`, or the name if the store shows it.
    pub fn write_userinfo(&self, out: &mut Vec<u8>) {
        if let Some(OwnerName(first, last)) = self.owner.as_ref().filter(|_| !self.access.is_owner()) {
            let mut object = Object::open(out);
            object.text("fname", first);
            object.text("lname", last);
            object.close();
            return;
        }
        let profile = self.by.profile().filter(|_| self.access.is_owner());
        let Some((profile, email)) = profile.and_then(|profile| Some((profile, profile.email.as_deref()?))) else {
            out.extend_from_slice(b"null");
            return;
        };
        let mut object = Object::open(out);
        object.text("fname", &profile.first_name);
        object.text("lname", &profile.last_name);
        object.text("em", email);
        object.null("m");
        object.null("sw_mkt");
        object.null("ut");
        match profile.accepts_marketing {
            Some(accepts) => object.flag("acc_mkt", accepts),
            None => object.null("acc_mkt"),
        }
        object.text("uid", self.by.uid());
        object.text("pid", &self.by.store().pid);
        object.int("cts", profile.created_at);
        object.int("uts", profile.updated_at);
        let prefs = object.key("prefs");
        let mut prefs = Object::open(prefs);
        let mediums = prefs.key("Mediums");
        let mut mediums = Object::open(mediums);
        if let Some(accepts) = profile.accepts_marketing {
            let mut medium = Object::open(mediums.key("email"));
            medium.int("signuptime", profile.marketing_at.unwrap_or(profile.created_at));
            medium.flag("acceptmarketing", accepts);
            medium.text("acceptsource", "api");
            medium.close();
        }
        mediums.close();
        prefs.close();
        object.close();
    }
}

/// Encoded members that the items of a list have in common.
pub(crate) struct ItemFrame {
    lid: Vec<u8>,
    /// The last members of an item that only the owner has changed, from the device that created the list.
    end: Vec<u8>,
}

/// Encodes members for [`Object::fragment`].
fn members(write: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut Object::open(&mut out));
    out.drain(..1);
    out
}

/// The optional parts of a list's record.
#[derive(Default)]
pub struct Parts<'a> {
    /// Encoded items, with commas between them.
    pub contents: Option<&'a [u8]>,
    pub with_userinfo: bool,
    /// `canEdit` and `itemcmnts`.
    pub with_rights: bool,
    /// `cby uby cfor` are `null` instead of absent for a guest.
    pub people_as_null: bool,
}

/// A stored item.
pub(crate) struct ItemRecord<'a> {
    /// See [`crate::lists::item_members`].
    pub(crate) members: &'a [u8],
    /// `None`: the device that created the list.
    pub(crate) device: Option<&'a str>,
    /// Editor numbers; `None` is the owner.
    pub(crate) added_by: Option<i64>,
    pub(crate) changed_by: Option<i64>,
}

fn write_device(object: &mut Object<'_>, device: &str) {
    object.text("di", device);
    object.text("_pkey", device.get(..8).unwrap_or(device));
}

/// A stable short hash of shopper, type and name.
fn list_hash(list: &ListRow) -> String {
    let parts: [&[u8]; 3] = [&list.shopper_id, list.list_type.as_bytes(), list.name.as_bytes()];
    let [a, b, c, d, e, f, g, h, ..] = hash(b"list", &parts);
    format!("{:016x}", u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}
