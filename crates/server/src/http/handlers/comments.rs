//! Comments on items.

use std::sync::Arc;

use axum::extract::State;
use serde_json::Value;
use uuid::Uuid;
use wishbone_core::catalog::fields::product_id;
use wishbone_core::error::Error;
use wishbone_core::json::write_records;
use wishbone_core::sharing::comments::{
    AddComment, Commented, DeleteComment, ListComments, MAX_COMMENT_LENGTH, MAX_NAME_LENGTH,
};

use crate::api::sharing::MAX_COMMENTS;
use crate::app::App;
use crate::http::request::authentication::ShopperCall;
use crate::http::request::form::Form;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::http::response::large_response::SMALL;

const DEFAULT_LIMIT: i64 = 100;
/// The most bytes of comments in one response. With the rest of it, it is still a small one.
const MAX_BYTES: usize = SMALL - (1 << 10);

pub(crate) async fn add(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.target(&app)?;
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let variant_id = variant(&form)?.ok_or_else(|| Error::missing("epi"))?;
    let text = form.text("text", MAX_COMMENT_LENGTH)?.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| Error::missing("text"))?;
    let name = form.text("fromname", MAX_NAME_LENGTH)?;
    let add = AddComment { by, list, variant_id, name, text, moment: app.environment.moment() };
    app.write(idempotency_key, add, answer).await
}

/// Deleting a comment that does not exist succeeds.
pub(crate) async fn delete(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.target(&app)?;
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let comment = form.required("id")?;
    let comment = Uuid::try_parse(comment).map_err(|_| Error::invalid("id", "must be the id of a comment"))?;
    app.write(idempotency_key, DeleteComment { by, list, comment, moment: app.environment.moment() }, answer).await
}

fn answer(Commented { comment, comment_count, list_version, .. }: Commented) -> Answer {
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

pub(crate) async fn list(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.list(&app)?;
    let ShopperCall { by, form, .. } = call;
    let variant_id = variant(&form)?;
    let limit = form.int("limit")?.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_COMMENTS).contains(&limit) {
        return Err(Error::invalid("limit", format!("must be between 1 and {MAX_COMMENTS}, got {limit}")).into());
    }
    let offset = form.count("offset")?.unwrap_or(0);
    let found = app.database.read(ListComments { by, list, variant_id, limit, offset, max_bytes: MAX_BYTES }).await?;
    let (mut records, mut bytes) = (Vec::new(), 0);
    for comment in &found.comments {
        let mut record = Vec::new();
        comment.write(&mut record);
        bytes += record.len() + 1;
        if bytes > MAX_BYTES {
            break;
        }
        records.push(record);
    }
    let is_cut = records.len() < found.comments.len();
    Ok(Answer::object(|answer| {
        answer.text("status", "success");
        answer.int("total", found.total);
        answer.int("limit", limit);
        answer.int("offset", offset);
        write_records(answer.key("comments"), records.iter().map(Vec::as_slice));
        if is_cut {
            answer.int("nextoffset", offset + records.len() as i64);
        }
    }))
}

fn variant(form: &Form) -> Result<Option<i64>> {
    Ok(form.get("epi").map(|text| product_id("epi", &Value::from(text))).transpose()?)
}
