//! `GET /<design>/docs`: the operations of a design for people, rendered here, without scripts and other resources.

use std::fmt::Write;

use singlet_design::Design;
use singlet_run::Usage;

use crate::cost::expected;
use crate::endpoint::{Endpoint, Place};

/// Colours follow the reader's system, and lines stay short enough to read.
const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:1rem/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}\
code,pre{font-family:ui-monospace,monospace;font-size:.95em}\
section{border-top:1px solid color-mix(in srgb,currentColor 25%,transparent);padding:1rem 0}\
h2{font-size:1.05rem;margin:0;overflow-wrap:anywhere}\
table{border-collapse:collapse;width:100%}\
th,td{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0}\
nav ul{columns:16rem;padding-left:1.2rem}\
pre{overflow-x:auto;padding:.5rem;border:1px solid color-mix(in srgb,currentColor 25%,transparent)}";

/// Writes the page of a design.
pub(crate) fn page(design: &Design, endpoints: &[Endpoint]) -> String {
    let name = escaped(&design.name);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{name}: API</title>\
         <style>{STYLE}</style></head><body><header><h1>{name}</h1>"
    );
    if let Some(about) = &design.about {
        page += &format!("<p>{}</p>", escaped(about));
    }
    page += &format!("<p><a href=\"/{name}/openapi.json\">OpenAPI document</a></p></header>");
    page += "<nav aria-label=\"Operations\"><ul>";
    for endpoint in endpoints {
        let pattern = escaped(&endpoint.pattern.name);
        page += &format!("<li><a href=\"#{pattern}\">{pattern}</a></li>");
    }
    page += "</ul></nav><main>";
    endpoints.iter().for_each(|endpoint| section(&mut page, &design.name, endpoint));
    page + "</main></body></html>\n"
}

fn section(page: &mut String, design: &str, endpoint: &Endpoint) {
    let usage = Usage::of(&endpoint.pattern);
    let (name, units) = (escaped(&endpoint.pattern.name), expected(&endpoint.pattern));
    let path = escaped(&format!("/{design}{}", endpoint.route.path_text()));
    let mut line = |text: &str| page.push_str(text);
    line(&format!("<section id=\"{name}\"><h2><code>{} {path}</code></h2>", endpoint.method));
    if let Some(about) = &usage.about {
        line(&format!("<p>{}</p>", escaped(about)));
    }
    line(&format!(
        "<p><code>{name}</code>: {}. Returns {}.</p>",
        escaped(&usage.does),
        // A call that finds nothing isn't answered with null, as a command is.
        escaped(&usage.returns.replacen(", or null if", "; 404 if", 1))
    ));
    line(&format!("<p>About {} read and {} write units a call.</p>", units.read, units.write));
    if !usage.parameters.is_empty() {
        line("<table><thead><tr><th scope=\"col\">Parameter</th><th scope=\"col\">In</th>");
        line("<th scope=\"col\">Value</th></tr></thead><tbody>");
        for parameter in &usage.parameters {
            let place = match endpoint.place(&parameter.name) {
                Place::Path => "path",
                Place::Query => "query",
                Place::Body => "body",
            };
            let need = if parameter.required { "required" } else { "optional" };
            let about = parameter.about.as_deref().map(|about| format!(". {about}")).unwrap_or_default();
            line(&format!(
                "<tr><td><code>{}</code></td><td>{place}</td><td>{need}: {}{}</td></tr>",
                escaped(&parameter.name),
                escaped(&parameter.accepts),
                escaped(&about)
            ));
        }
        line("</tbody></table>");
    }
    line("</section>");
}

/// Text in HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '<' | '>' | '"' | '\'' => _ = write!(escaped, "&#{};", u32::from(letter)),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[test]
fn text_of_a_design_is_no_markup() {
    assert_eq!(escaped("<a href=\"x\">&'"), "&#60;a href=&#34;x&#34;&#62;&#38;&#39;");
}
