//! Charts as SVG, written by hand: bars in panels and lines, readable on light and dark pages.
//!
//! A chart brings its own background, and colours that follow the reader's preference, so that it never depends on the
//! page.

use std::fmt::Write as _;

const WIDTH: f64 = 880.0;
const MARGIN: f64 = 24.0;
const GAP: f64 = 28.0;
const PANEL_WIDTH: f64 = (WIDTH - 2.0 * MARGIN - GAP) / 2.0;
const HEADER_HEIGHT: f64 = 74.0;
const ROW_HEIGHT: f64 = 19.0;
const TITLE_HEIGHT: f64 = 26.0;
const LABEL_WIDTH: f64 = 180.0;
const VALUE_WIDTH: f64 = 58.0;
const BAR_HEIGHT: f64 = 12.0;
const PLOT_HEIGHT: f64 = 210.0;

const STYLE: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:12px;fill:#1f2328}\
.page{fill:#ffffff;stroke:#d1d9e0}.title{font-size:17px;font-weight:600}.panel{font-size:13px;font-weight:600}\
.quiet{fill:#59636e}.grid{stroke:#d1d9e0}.ours{fill:#2563eb}.near{fill:#93b4f5}.peer{fill:#a8b1bb}\
.limit{fill:none;stroke:#8c959f;stroke-dasharray:3 2}.line0{stroke:#2563eb;fill:#2563eb}.line1{stroke:#d97706;fill:#d97706}\
.line2{stroke:#0d9488;fill:#0d9488}.line3{stroke:#9333ea;fill:#9333ea}polyline{fill:none!important;stroke-width:2}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117;stroke:#3d444d}.quiet{fill:#9198a1}.grid{stroke:#3d444d}\
.ours{fill:#5b93ff}.near{fill:#31539b}.peer{fill:#59636e}.limit{stroke:#7d8590}.line0{stroke:#5b93ff;fill:#5b93ff}\
.line1{stroke:#f0a13a;fill:#f0a13a}.line2{stroke:#2dd4bf;fill:#2dd4bf}.line3{stroke:#c084fc;fill:#c084fc}}";

/// How a bar is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// The subject of the chart.
    Ours,
    /// Ours in another mode.
    Near,
    /// Others.
    Peer,
    /// The highest possible value, drawn as an outline.
    Limit,
}

impl Paint {
    fn class(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Near => "near",
            Self::Peer => "peer",
            Self::Limit => "limit",
        }
    }
}

/// One bar: its label, its length, the text behind it.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    pub(crate) text: String,
    pub(crate) paint: Paint,
}

/// A panel of bars, which share a scale.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) bars: Vec<Bar>,
}

/// A panel of lines over the same places.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) title: String,
    /// The names of the places, from left to right.
    pub(crate) places: Vec<String>,
    /// Each line's name and its height at each place.
    pub(crate) lines: Vec<(String, Vec<f64>)>,
}

/// Panels of bars in two columns.
pub(crate) fn bars(title: &str, notes: &[String], panels: &[Panel]) -> String {
    let heights: Vec<f64> = panels
        .chunks(2)
        .map(|row| {
            let rows = row.iter().map(|panel| panel.bars.len()).max().unwrap_or(0);
            TITLE_HEIGHT + rows as f64 * ROW_HEIGHT + 16.0
        })
        .collect();
    let mut out = String::new();
    let mut top = HEADER_HEIGHT + notes_height(notes);
    for (row, height) in panels.chunks(2).zip(&heights) {
        for (column, panel) in row.iter().enumerate() {
            bar_panel(&mut out, MARGIN + column as f64 * (PANEL_WIDTH + GAP), top, panel);
        }
        top += height;
    }
    page(title, notes, top + 6.0, &out)
}

/// Panels of lines, two in a row; heights are shares of the first place's.
pub(crate) fn lines(title: &str, notes: &[String], plots: &[Plot]) -> String {
    let mut out = String::new();
    let mut top = HEADER_HEIGHT + notes_height(notes);
    for row in plots.chunks(2) {
        for (column, plot) in row.iter().enumerate() {
            plot_panel(&mut out, MARGIN + column as f64 * (PANEL_WIDTH + GAP), top, plot);
        }
        top += TITLE_HEIGHT + PLOT_HEIGHT + 56.0;
    }
    page(title, notes, top, &out)
}

fn notes_height(notes: &[String]) -> f64 {
    notes.len().saturating_sub(1) as f64 * 17.0
}

fn page(title: &str, notes: &[String], height: f64, content: &str) -> String {
    let mut out = String::new();
    // Writing into a string can't fail.
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0}" width="{WIDTH}" height="{height:.0}" role="img">"#
    );
    let _ = writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", escape(title));
    let _ = writeln!(
        out,
        r#"<rect class="page" x="0.5" y="0.5" width="{}" height="{:.0}" rx="8"/>"#,
        WIDTH - 1.0,
        height - 1.0
    );
    text(&mut out, "title", MARGIN, 32.0, "start", title);
    for (number, note) in notes.iter().enumerate() {
        text(&mut out, "quiet", MARGIN, 52.0 + number as f64 * 17.0, "start", note);
    }
    out + content + "</svg>\n"
}

fn bar_panel(out: &mut String, left: f64, top: f64, panel: &Panel) {
    text(out, "panel", left, top + 10.0, "start", &panel.title);
    let longest = panel.bars.iter().map(|bar| bar.value).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let room = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH;
    for (number, bar) in panel.bars.iter().enumerate() {
        let y = top + TITLE_HEIGHT + number as f64 * ROW_HEIGHT;
        // A bar that is too short to see is still a bar.
        let width = (bar.value / longest * room).max(1.0);
        let start = left + LABEL_WIDTH;
        let label = if bar.paint == Paint::Ours { "" } else { "quiet" };
        text(out, label, start - 8.0, y + 5.0, "end", &bar.label);
        let _ = writeln!(
            out,
            r#"<rect class="{}" x="{start:.1}" y="{:.1}" width="{width:.1}" height="{BAR_HEIGHT}" rx="2"/>"#,
            bar.paint.class(),
            y - BAR_HEIGHT / 2.0,
        );
        text(out, label, start + width + 6.0, y + 5.0, "start", &bar.text);
    }
}

fn plot_panel(out: &mut String, left: f64, top: f64, plot: &Plot) {
    text(out, "panel", left, top + 10.0, "start", &plot.title);
    let (start, end) = (left + 40.0, left + PANEL_WIDTH - 20.0);
    let base = top + TITLE_HEIGHT + PLOT_HEIGHT;
    let highest = plot.lines.iter().flat_map(|(_, values)| values).copied().fold(1.0, f64::max);
    let steps = (highest / 0.25).ceil().max(1.0);
    let height_of = |value: f64| base - value / (steps * 0.25) * (PLOT_HEIGHT - 10.0);
    for step in 0..=steps as u32 {
        let (value, y) = (f64::from(step) * 0.25, height_of(f64::from(step) * 0.25));
        let _ =
            writeln!(out, r#"<line class="grid" x1="{start:.1}" y1="{y:.1}" x2="{end:.1}" y2="{y:.1}"/>"#);
        text(out, "quiet", start - 8.0, y + 4.0, "end", &format!("{value}"));
    }
    let gaps = plot.places.len().saturating_sub(1).max(1) as f64;
    let place_of = |number: usize| start + 14.0 + (end - start - 28.0) * number as f64 / gaps;
    for (number, place) in plot.places.iter().enumerate() {
        text(out, "quiet", place_of(number), base + 18.0, "middle", place);
    }
    for (number, (name, values)) in plot.lines.iter().enumerate() {
        let class = format!("line{}", number % 4);
        let points: Vec<(f64, f64)> =
            values.iter().enumerate().map(|(place, value)| (place_of(place), height_of(*value))).collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(out, r#"<polyline class="{class}" points="{}"/>"#, path.join(" "));
        for (x, y) in points {
            let _ = writeln!(out, r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="3.5"/>"#);
        }
        let x = start + number as f64 * 90.0;
        let _ =
            writeln!(out, r#"<circle class="{class}" cx="{:.1}" cy="{:.1}" r="4"/>"#, x + 4.0, base + 38.0);
        text(out, "", x + 13.0, base + 42.0, "start", name);
    }
}

fn text(out: &mut String, class: &str, x: f64, y: f64, anchor: &str, content: &str) {
    let class = if class.is_empty() { String::new() } else { format!(r#" class="{class}""#) };
    let _ = writeln!(
        out,
        r#"<text{class} x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{}</text>"#,
        escape(content)
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Bar, Paint, Panel, Plot, bars, lines};

    fn bar(label: &str, value: f64) -> Bar {
        Bar { label: label.to_owned(), value, text: value.to_string(), paint: Paint::Peer }
    }

    /// The numbers in all places of an attribute.
    fn attribute(svg: &str, element: &str, name: &str) -> Vec<f64> {
        let elements = svg.split('<').filter(|part| part.starts_with(element));
        elements
            .filter_map(|part| part.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.parse().ok())
            .collect()
    }

    #[test]
    fn bars_are_as_long_as_their_values_in_each_panel() {
        let panels = [
            Panel { title: "get".to_owned(), bars: vec![bar("a", 100.0), bar("b", 25.0), bar("c", 0.0)] },
            Panel { title: "put".to_owned(), bars: vec![bar("a", 3.0)] },
        ];
        let svg = bars("speed", &[], &panels);
        let widths = attribute(&svg, "rect class=\"peer\"", "width");
        assert_eq!(widths.len(), 4);
        assert!((widths[1] / widths[0] - 0.25).abs() < 1e-2);
        assert!((widths[2] - 1.0).abs() < 1e-9, "nothing is still visible");
        assert!((widths[3] - widths[0]).abs() < 1e-9, "each panel has a scale of its own");
    }

    #[test]
    fn everything_lies_within_the_page() {
        let panels: Vec<Panel> = (0..5)
            .map(|_| Panel {
                title: "x".to_owned(),
                bars: (0..9).map(|one| bar("y", f64::from(one))).collect(),
            })
            .collect();
        let svg = bars("speed", &["a note".to_owned(), "another".to_owned()], &panels);
        let height: f64 = attribute(&svg, "svg", "height")[0];
        for (element, name) in [("text", "y"), ("rect", "y")] {
            assert!(attribute(&svg, element, name).iter().all(|y| *y > 0.0 && *y < height - 4.0));
        }
    }

    #[test]
    fn lines_go_through_their_points_and_a_scale_begins_at_nothing() {
        let plot = Plot {
            title: "items".to_owned(),
            places: vec!["10,000".to_owned(), "1,000,000".to_owned()],
            lines: vec![("get".to_owned(), vec![1.0, 0.5])],
        };
        let svg = lines("scaling", &[], &[plot]);
        let heights = attribute(&svg, "circle", "cy");
        let grid = attribute(&svg, "line class=\"grid\"", "y1");
        let (base, whole) = (grid[0], grid[4]);
        assert!((heights[0] - whole).abs() < 0.2);
        assert!((heights[1] - f64::midpoint(base, whole)).abs() < 0.2);
    }

    #[test]
    fn text_is_escaped() {
        let svg = bars("a < b & c", &[], &[]);
        assert!(svg.contains("a &lt; b &amp; c"));
    }
}
