//! The HTTP status of each error code.

use axum::http::StatusCode;
use wishbone_core::error::Code;

pub(crate) fn status(code: Code) -> StatusCode {
    match code {
        Code::UserNotLoggedIn | Code::BadRegid | Code::BadApiKey | Code::NotGranted | Code::UnknownStore => {
            StatusCode::UNAUTHORIZED
        }
        Code::Forbidden | Code::FeatureNotEnabled => StatusCode::FORBIDDEN,
        Code::ListNotFound | Code::NotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Overloaded | Code::Maintenance => StatusCode::SERVICE_UNAVAILABLE,
        // Not 503, which invites a retry without a check.
        Code::OutcomeUnknown | Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::MinItemsLimitNotMet
        | Code::MaxItemsLimitExceeded
        | Code::SortFilterDisabled
        | Code::MissingParameter
        | Code::InvalidParameter
        | Code::InvalidNextToken
        | Code::InvalidContentType
        | Code::BodyTooLarge
        | Code::NotSaveForLater
        | Code::LimitReached
        | Code::VersionConflict
        | Code::ItemNotFound
        | Code::UnknownProduct
        | Code::TooManyLabels
        | Code::InvalidItem => StatusCode::BAD_REQUEST,
    }
}
