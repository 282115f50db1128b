//! Icons, drawn on a grid of 16 by 16 with lines of one width. They take the colour of the text and mean nothing without
//! the words beside them.

use maud::{Markup, Render, html};

/// An icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Icon {
    Overview,
    Design,
    Diagram,
    File,
    Pattern,
    Data,
    Search,
    Fine,
    Note,
    Warning,
    Error,
    Copy,
    Forward,
    Back,
    Download,
    Write,
    Delete,
    Add,
    Time,
    Changes,
}

impl Icon {
    /// The lines of the icon.
    fn path(self) -> &'static str {
        match self {
            Icon::Overview => "M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z",
            Icon::Design => "M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6",
            Icon::Diagram => "M1.5 6h4v4h-4zM10.5 2h4v4h-4zM10.5 10h4v4h-4zM5.5 8h2.5M8 4v8M8 4h2.5M8 12h2.5",
            Icon::File => "M4 1.5h5l3.5 3.5v9.5H4zM9 1.5V5h3.5M6 8.5h4.5M6 11h4.5",
            Icon::Pattern => "M2 8h3l2-5 3 10 2-5h2",
            Icon::Data => {
                "M2.5 4c0-1.1 2.5-2 5.5-2s5.5.9 5.5 2-2.5 2-5.5 2-5.5-.9-5.5-2zM2.5 4v8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V4M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2"
            }
            Icon::Search => "M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM10.3 10.3 14 14",
            Icon::Fine => "M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM5 8.2l2.2 2.2L11 6",
            Icon::Note => "M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM8 7.5V11.5M8 4.6v.4",
            Icon::Warning => "M8 2 1.5 13.5h13zM8 6.5v3.5M8 11.8v.3",
            Icon::Error => "M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM8 4.5v4.5M8 11v.4",
            Icon::Copy => "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
            Icon::Forward => "M3 8h10M9 4l4 4-4 4",
            Icon::Back => "M13 8H3M7 4 3 8l4 4",
            Icon::Download => "M8 2v8M4.5 6.5 8 10l3.5-3.5M2.5 13.5h11",
            Icon::Write => "M2.5 13.5l.7-3.2L10.8 2.7l2.5 2.5-7.6 7.6zM9.3 4.2l2.5 2.5",
            Icon::Delete => "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4",
            Icon::Time => "M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0zM8 4v4l2.7 1.8",
            Icon::Changes => "M2 4.5h9.5M9 2l2.5 2.5L9 7M14 11.5H4.5M7 9l-2.5 2.5L7 14",
            Icon::Add => "M8 3v10M3 8h10",
        }
    }
}

impl Render for Icon {
    fn render(&self) -> Markup {
        html! {
            svg.icon viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false" {
                path d=(self.path()) {}
            }
        }
    }
}
