//! The style sheet, the scripts and the icon. Their address contains a hash of all of them, so that a browser may keep
//! them for ever and never mixes two versions.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::link::BASE;

struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

static ASSETS: [Asset; 8] = [
    Asset { name: "console.css", kind: CSS, text: include_str!("../assets/console.css") },
    Asset { name: "console.js", kind: SCRIPT, text: include_str!("../assets/console.js") },
    Asset { name: "copy.js", kind: SCRIPT, text: include_str!("../assets/copy.js") },
    Asset { name: "keyboard.js", kind: SCRIPT, text: include_str!("../assets/keyboard.js") },
    Asset { name: "moment.js", kind: SCRIPT, text: include_str!("../assets/moment.js") },
    Asset { name: "tail.js", kind: SCRIPT, text: include_str!("../assets/tail.js") },
    Asset { name: "search.js", kind: SCRIPT, text: include_str!("../assets/search.js") },
    Asset { name: "icon.svg", kind: "image/svg+xml", text: include_str!("../assets/icon.svg") },
];

static HASH: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    ASSETS.iter().for_each(|asset| hash.update(asset.text));
    URL_SAFE_NO_PAD.encode(hash.finalize().get(..9).unwrap_or_default())
});

/// The address of an asset.
pub(crate) fn address(name: &str) -> String {
    format!("{BASE}-/assets/{}/{name}", *HASH)
}

/// Answers with an asset.
pub(crate) async fn asset(Path((hash, name)): Path<(String, String)>) -> Result<Response, StatusCode> {
    let found = ASSETS.iter().find(|asset| asset.name == name && hash == *HASH);
    let asset = found.ok_or(StatusCode::NOT_FOUND)?;
    let headers = [(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    Ok((headers, asset.text).into_response())
}
