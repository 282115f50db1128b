//! The frame around every page: head, navigation, search and the help for the keyboard.

use axum::response::Html;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets::address;
use crate::icon::Icon;
use crate::link::Link;

/// The places that the navigation leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Overview,
    Entities,
    Diagram,
    File,
    Patterns,
    Data,
    Changes,
    Recovery,
    /// None of them, such as the page of an error.
    Elsewhere,
}

impl Section {
    /// The sections of a design: name, icon, and the key that follows `g`.
    const OF_DESIGN: [(Section, &'static str, Icon, &'static str); 7] = [
        (Section::Entities, "Entities", Icon::Design, "e"),
        (Section::Diagram, "Diagram", Icon::Diagram, "g"),
        (Section::File, "Review", Icon::File, "r"),
        (Section::Patterns, "Patterns", Icon::Pattern, "p"),
        (Section::Data, "Data", Icon::Data, "d"),
        (Section::Changes, "Changes", Icon::Changes, "c"),
        (Section::Recovery, "Recovery", Icon::Time, "t"),
    ];

    fn link(self, design: &str) -> Link {
        match self {
            Section::Entities => Link::design(design),
            Section::Diagram => Link::diagram(design),
            Section::File => Link::file(design),
            Section::Patterns => Link::patterns(design),
            Section::Data => Link::data(design),
            Section::Changes => Link::changes(design),
            Section::Recovery => Link::recovery(design),
            Section::Overview | Section::Elsewhere => Link::overview(),
        }
    }
}

/// The key that follows `g` to go to the overview.
const OVERVIEW_KEY: &str = "o";

/// The frame of one page.
#[derive(Debug, Clone)]
pub(crate) struct Frame<'a> {
    pub(crate) designs: Vec<&'a str>,
    pub(crate) design: Option<&'a str>,
    pub(crate) section: Section,
    pub(crate) title: String,
}

impl Frame<'_> {
    /// The whole page with this content.
    pub(crate) fn page(&self, content: Markup) -> Html<String> {
        let title = match self.design {
            Some(design) if design != self.title => format!("{} · {design} · Singlet", self.title),
            _ => format!("{} · Singlet", self.title),
        };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) }
                    link rel="icon" type="image/svg+xml" href=(address("icon.svg"));
                    link rel="stylesheet" href=(address("console.css"));
                    script type="module" src=(address("console.js")) {}
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    (header())
                    div.frame {
                        nav.side aria-label="Designs" { (self.navigation()) }
                        main id="content" tabindex="-1" { (content) }
                    }
                    (keyboard_help())
                }
            }
        };
        Html(page.into_string())
    }

    fn navigation(&self) -> Markup {
        html! {
            ul.places {
                @let is_here = self.section == Section::Overview;
                li { (place(&Link::overview(), Icon::Overview, "Overview", OVERVIEW_KEY, is_here)) }
            }
            @if !self.designs.is_empty() { p.label { "Designs" } }
            ul.designs {
                @for design in &self.designs {
                    @let open = self.design == Some(*design);
                    li.open[open] {
                        a.design href=(Link::design(design)) { (design) }
                        @if open { (self.sections(design)) }
                    }
                }
            }
        }
    }

    fn sections(&self, design: &str) -> Markup {
        html! {
            ul.places {
                @for (section, name, icon, key) in Section::OF_DESIGN {
                    li { (place(&section.link(design), icon, name, key, self.section == section)) }
                }
            }
        }
    }
}

fn place(link: &Link, icon: Icon, name: &str, key: &str, is_here: bool) -> Markup {
    html! {
        a href=(link) data-go=(key) aria-current=[is_here.then_some("page")] { (icon) span { (name) } }
    }
}

fn header() -> Markup {
    html! {
        header.top {
            a.brand href=(Link::overview()) { (brand()) span { "Singlet" } }
            form.search role="search" action=(Link::search()) method="get" {
                label.unseen for="search" { "Search entities, patterns and keys" }
                (Icon::Search)
                input #search type="search" name="q" placeholder="Search" autocomplete="off" spellcheck="false";
                kbd aria-hidden="true" { "/" }
            }
            button.quiet.scripted #keyboard type="button" aria-haspopup="dialog" {
                kbd aria-hidden="true" { "?" } span.unseen { "Keyboard shortcuts" }
            }
        }
    }
}

/// The mark: many rows that become one.
fn brand() -> PreEscaped<&'static str> {
    PreEscaped(
        "<svg class=\"brand-mark\" viewBox=\"0 0 24 24\" width=\"24\" height=\"24\" aria-hidden=\"true\" focusable=\"false\">\
         <rect width=\"24\" height=\"24\" rx=\"6\"/>\
         <path d=\"M5.5 7h4c4 0 2.5 5 6 5M5.5 17h4c4 0 2.5-5 6-5M5.5 12h10\"/><circle cx=\"17.5\" cy=\"12\" r=\"2.5\"/></svg>",
    )
}

/// The keys of the scripts. `g` and a letter go to a section of the design of the page.
fn keyboard_help() -> Markup {
    const GENERAL: [(&str, &str); 4] = [
        ("/", "Search entities, patterns and keys"),
        ("n", "Next page of a list"),
        ("?", "Show this help"),
        ("Esc", "Close"),
    ];
    html! {
        dialog #keyboard-help aria-labelledby="keyboard-title" {
            h2 #keyboard-title { "Keyboard" }
            dl.keys {
                @for (key, meaning) in GENERAL { div { dt { kbd { (key) } } dd { (meaning) } } }
                div { dt { kbd { "g" } " " kbd { (OVERVIEW_KEY) } } dd { "Overview" } }
                @for (_, name, _, key) in Section::OF_DESIGN {
                    div { dt { kbd { "g" } " " kbd { (key) } } dd { (name) } }
                }
            }
            form method="dialog" { button type="submit" { "Close" } }
        }
    }
}
