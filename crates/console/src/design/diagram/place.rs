//! Sizes and places of the boxes and links of a diagram, in pixels.

use super::graph::{EntityBox, Graph};
use super::layers::{Layered, Stop};

pub(super) const HEAD: f64 = 30.0;
pub(super) const LINE: f64 = 19.0;
const CHARACTER: f64 = 7.4;
const WIDTH_MIN: f64 = 120.0;
/// Height of a bend, and the distance of stops in a column.
const BEND: f64 = 10.0;
const APART: f64 = 24.0;
/// The least distance of the ends of two links on a box.
const PORT: f64 = 17.0;
const MARGIN: f64 = 16.0;
/// Room between columns beside the labels of links.
const GAP: f64 = 84.0;
const ROUNDS: usize = 16;
/// The width to which boxes without links are laid in rows.
const ROW_WIDTH: f64 = 900.0;

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The course of a link: points from left to right.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// The position of the link in the graph.
    pub(super) link: usize,
    pub(super) points: Vec<(f64, f64)>,
    pub(super) is_reversed: bool,
}

/// Where everything is drawn.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The place of each box.
    pub(super) boxes: Vec<Area>,
    pub(super) courses: Vec<Course>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Plan {
    pub(super) fn of(graph: &Graph, layered: &Layered) -> Plan {
        let mut areas: Vec<Area> = layered.stops.iter().map(|stop| size(graph, layered, *stop)).collect();
        let straights = set_columns(graph, layered, &mut areas);
        set_rows(layered, &mut areas);
        let bottom = |areas: &[Area]| areas.iter().map(|area| area.y + area.height).fold(MARGIN, f64::max);
        let top = if layered.columns.is_empty() { MARGIN } else { bottom(&areas) + 2.0 * APART };
        set_alone(layered, &mut areas, top);
        let courses = courses(layered, &areas, &straights);
        let right = areas.iter().map(|area| area.x + area.width).fold(MARGIN, f64::max);
        let has_loop = graph.edges.iter().any(|link| link.one == link.many);
        Plan {
            width: right + MARGIN + if has_loop { 60.0 } else { 0.0 },
            height: bottom(&areas) + MARGIN,
            boxes: areas.into_iter().take(graph.boxes.len()).collect(),
            courses,
        }
    }
}

/// Returns the width of a text, a little more than the widest usual font needs.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

fn size(graph: &Graph, layered: &Layered, stop: Stop) -> Area {
    let Stop::Box(node) = stop else { return Area { height: BEND, ..Area::default() } };
    let Some(EntityBox { entity, lines, left_out }) = graph.boxes.get(node) else { return Area::default() };
    let widest = lines
        .iter()
        .map(|line| text_width(&line.field) + 70.0)
        .fold(text_width(entity) * 1.1 + 30.0, f64::max);
    let ports = |node: usize, last: bool| {
        let end = |stops: &Vec<usize>| {
            if last { stops.last() == Some(&node) } else { stops.first() == Some(&node) }
        };
        layered.routes.iter().filter(|route| end(&route.stops)).count()
    };
    let rows = lines.len() + usize::from(*left_out > 0);
    let ends = ports(node, true).max(ports(node, false)) as f64;
    Area {
        width: widest.max(WIDTH_MIN).ceil(),
        height: (HEAD + rows as f64 * LINE + 6.0).max((ends + 1.0) * PORT),
        ..Area::default()
    }
}

/// Sets columns beside each other, with room for the labels of the links that leave them. Returns the place in each
/// column to which links run straight, so that their labels can be read.
fn set_columns(graph: &Graph, layered: &Layered, areas: &mut [Area]) -> Vec<f64> {
    let mut x = MARGIN;
    let mut straights = Vec::new();
    for column in &layered.columns {
        let width =
            column.iter().filter_map(|stop| areas.get(*stop)).map(|area| area.width).fold(0.0, f64::max);
        for stop in column {
            let is_bend = matches!(layered.stops.get(*stop), Some(Stop::Bend(_)));
            if let Some(area) = areas.get_mut(*stop) {
                area.x = x;
                // A bend is as wide as its column, so that a link passes it on one height.
                area.width = if is_bend { width } else { area.width };
            }
        }
        let leaving = layered
            .routes
            .iter()
            .filter(|route| route.stops.first().is_some_and(|stop| column.contains(stop)));
        let labels = leaving.filter_map(|route| graph.edges.get(route.link));
        let label = labels.map(|link| text_width(&link.label) + text_width(&link.count)).fold(0.0, f64::max);
        straights.push(x + width + label);
        x += width + label + GAP;
    }
    straights
}

/// Sets the stops of each column near their neighbours, without changing their order.
fn set_rows(layered: &Layered, areas: &mut [Area]) {
    for column in &layered.columns {
        let mut y = MARGIN;
        for stop in column {
            if let Some(area) = areas.get_mut(*stop) {
                area.y = y;
                y += area.height + APART;
            }
        }
    }
    let sides = [layered.neighbours(true), layered.neighbours(false)];
    for round in 0..ROUNDS {
        let [left, right] = &sides;
        let neighbours = if round % 2 == 0 { left } else { right };
        for column in &layered.columns {
            let centre = |stop: &usize| areas.get(*stop).map(|area| area.y + area.height / 2.0);
            let wanted = |stop: &usize| {
                let known: Vec<f64> =
                    neighbours.get(*stop).into_iter().flatten().filter_map(centre).collect();
                let own = areas.get(*stop).copied().unwrap_or_default();
                match known.len() {
                    0 => own.y,
                    count => known.iter().sum::<f64>() / count as f64 - own.height / 2.0,
                }
            };
            let wanted: Vec<f64> = column.iter().map(wanted).collect();
            let heights: Vec<f64> =
                column.iter().filter_map(|stop| areas.get(*stop)).map(|area| area.height).collect();
            for (stop, y) in column.iter().zip(spread(&wanted, &heights)) {
                if let Some(area) = areas.get_mut(*stop) {
                    area.y = y;
                }
            }
        }
    }
    let linked = || layered.columns.iter().flatten().copied();
    let top = linked().filter_map(|stop| areas.get(stop)).map(|area| area.y).fold(f64::INFINITY, f64::min);
    for stop in linked() {
        if let Some(area) = areas.get_mut(stop) {
            area.y = (area.y - top + MARGIN).round();
        }
    }
}

/// The places nearest to the wanted ones at which nothing overlaps: the middle of the places that result from above and
/// from below.
fn spread(wanted: &[f64], heights: &[f64]) -> Vec<f64> {
    let mut down = Vec::with_capacity(wanted.len());
    let mut least = f64::NEG_INFINITY;
    for (wanted, height) in wanted.iter().zip(heights) {
        let y = wanted.max(least);
        least = y + height + APART;
        down.push(y);
    }
    let mut up = Vec::with_capacity(wanted.len());
    let mut most = f64::INFINITY;
    for (wanted, height) in wanted.iter().zip(heights).rev() {
        let y = wanted.min(most - height - APART);
        most = y;
        up.push(y);
    }
    down.into_iter().zip(up.into_iter().rev()).map(|(down, up)| (down + up) / 2.0).collect()
}

/// Sets the boxes without links below the others, in rows.
fn set_alone(layered: &Layered, areas: &mut [Area], top: f64) {
    let (mut x, mut y, mut height) = (MARGIN, top, 0.0_f64);
    for node in &layered.alone {
        let Some(area) = areas.get_mut(*node) else { continue };
        if x > MARGIN && x + area.width > ROW_WIDTH {
            (x, y, height) = (MARGIN, y + height + APART, 0.0);
        }
        (area.x, area.y) = (x, y);
        x += area.width + APART;
        height = height.max(area.height);
    }
}

/// The points of every link. The ends on a side of a box are in the order of the places that they lead to.
fn courses(layered: &Layered, areas: &[Area], straights: &[f64]) -> Vec<Course> {
    let centre = |stop: usize| areas.get(stop).map(|area| area.y + area.height / 2.0).unwrap_or_default();
    let port = |node: usize, own: usize, last: bool| {
        let end = |stops: &[usize]| {
            let mut inward: Vec<usize> = stops.to_vec();
            if last {
                inward.reverse();
            }
            (inward.first() == Some(&node)).then(|| inward.get(1).copied().map_or(0.0, centre))
        };
        let routes = layered.routes.iter().enumerate();
        let mut ends: Vec<(f64, usize)> =
            routes.filter_map(|(position, route)| Some((end(&route.stops)?, position))).collect();
        ends.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let place = ends.iter().position(|(_, route)| *route == own).unwrap_or_default();
        let area = areas.get(node).copied().unwrap_or_default();
        let x = if last { area.x } else { area.x + area.width };
        (x, area.y + area.height * (place as f64 + 1.0) / (ends.len() as f64 + 1.0))
    };
    let course = |(own, route): (usize, &super::layers::Route)| {
        let mut points = Vec::new();
        for (position, stop) in route.stops.iter().enumerate() {
            match layered.stops.get(*stop) {
                Some(Stop::Box(node)) => {
                    let (x, y) = port(*node, own, position > 0);
                    points.push((x, y));
                    let column = layered.columns.iter().position(|column| column.contains(stop));
                    let straight = column.filter(|_| position == 0).and_then(|column| straights.get(column));
                    points.extend(straight.map(|to| (*to, y)));
                }
                _ => {
                    let area = areas.get(*stop).copied().unwrap_or_default();
                    let y = area.y + area.height / 2.0;
                    points.extend([(area.x, y), (area.x + area.width, y)]);
                }
            }
        }
        Course { link: route.link, points, is_reversed: route.is_reversed }
    };
    layered.routes.iter().enumerate().map(course).collect()
}
