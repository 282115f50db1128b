//! One file per target, each with its promises at the top.

pub(crate) mod cursor;
pub(crate) mod design;
pub(crate) mod expression;
pub(crate) mod folder;
pub(crate) mod http;
pub(crate) mod item;
pub(crate) mod json;
pub(crate) mod number;
pub(crate) mod request;
