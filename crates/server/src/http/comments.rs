//! Comments on items.

use std::sync::Arc;

use axum::extract::State;
use serde_json::Value;
use uuid::Uuid;
use wishbone_core::comments::{AddComment, Commented, DeleteComment, LONGEST_COMMENT, LONGEST_NAME, ListComments};
use wishbone_core::json::array;
use wishbone_core::{Error, product_id};

use super::answer::Answer;
use super::auth::ShopperCall;
use super::error::Result;
use super::form::Form;
use crate::app::App;

const DEFAULT_LIMIT: i64 = 100;
pub(crate) const MOST_RECORDS: i64 = 1_000;

pub(super) async fn add(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.target(&app)?;
    let ShopperCall { by, form, once, .. } = call;
    let variant_id = variant(&form)?.ok_or_else(|| Error::missing("epi"))?;
    let text = form.text("text", LONGEST_COMMENT)?.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| Error::missing("text"))?;
    let name = form.text("fromname", LONGEST_NAME)?;
    let add = AddComment { by, list, variant_id, name, text, moment: app.world.moment() };
    app.write(once, add, answer).await
}

/// What is not there is deleted already.
pub(super) async fn delete(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.target(&app)?;
    let ShopperCall { by, form, once, .. } = call;
    let comment = form.required("id")?;
    let comment = Uuid::try_parse(comment).map_err(|_| Error::invalid("id", "must be the id of a comment"))?;
    app.write(once, DeleteComment { by, list, comment, moment: app.world.moment() }, answer).await
}

fn answer(Commented { comment, comment_count, list_version }: Commented) -> Answer {
    let answer = Answer::object(|answer| {
        answer.text("status", "success");
        match &comment {
            Some(comment) => comment.write(answer.key("comment")),
            None => answer.null("comment"),
        }
        answer.int("itemcmnts", comment_count);
    });
    answer.of_version(list_version)
}

pub(super) async fn list(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.list(&app)?;
    let ShopperCall { by, form, .. } = call;
    let variant_id = variant(&form)?;
    let limit = form.int("limit")?.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MOST_RECORDS).contains(&limit) {
        return Err(Error::invalid("limit", format!("must be between 1 and {MOST_RECORDS}, got {limit}")).into());
    }
    let offset = form.count("offset")?.unwrap_or(0);
    let found = app.store.read(ListComments { by, list, variant_id, limit, offset }).await?;
    Ok(Answer::object(|answer| {
        answer.text("status", "success");
        answer.int("total", found.total);
        answer.int("limit", limit);
        answer.int("offset", offset);
        array(answer.key("comments"), &found.comments, |out, comment| comment.write(out));
    }))
}

fn variant(form: &Form) -> Result<Option<i64>> {
    Ok(form.get("epi").map(|text| product_id("epi", &Value::from(text))).transpose()?)
}
