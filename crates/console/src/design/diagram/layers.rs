//! Columns of the diagram: each entity stands to the right of those that it belongs to, and links that pass a column
//! have a place in it. So no link crosses a box.

use super::graph::Graph;

/// Rounds of ordering; more change nothing visible.
const ROUNDS: usize = 12;

/// A place in a column: a box, or a bend of a link that passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The box at this position in the graph.
    Box(usize),
    /// A bend of the link at this position in the graph.
    Bend(usize),
}

/// The way of a link through the columns, from left to right. Positions are those of the stops.
#[derive(Debug, Clone)]
pub(super) struct Route {
    /// The position of the link in the graph.
    pub(super) link: usize,
    pub(super) stops: Vec<usize>,
    /// Whether it starts at the end with many items.
    pub(super) is_reversed: bool,
}

/// The stops, column by column and in order, and the routes of the links.
#[derive(Debug, Clone)]
pub(super) struct Layered {
    pub(super) stops: Vec<Stop>,
    /// Positions of stops.
    pub(super) columns: Vec<Vec<usize>>,
    pub(super) routes: Vec<Route>,
    /// Boxes without a link to another box.
    pub(super) alone: Vec<usize>,
}

impl Layered {
    pub(super) fn of(graph: &Graph) -> Layered {
        let count = graph.boxes.len();
        let pairs: Vec<(usize, usize)> = graph.edges.iter().map(|link| (link.one, link.many)).collect();
        let column = columns(count, &pairs);
        let is_alone = |node: &usize| !pairs.iter().any(|(a, b)| a != b && (a == node || b == node));
        let alone: Vec<usize> = (0..count).filter(is_alone).collect();
        let mut layered = Layered {
            stops: (0..count).map(Stop::Box).collect(),
            columns: Vec::new(),
            routes: Vec::new(),
            alone,
        };
        for (node, column) in column.iter().enumerate() {
            if !layered.alone.contains(&node) {
                layered.put(*column, node);
            }
        }
        for (link, (one, many)) in pairs.iter().enumerate().filter(|(_, (one, many))| one != many) {
            let at = |node: usize| column.get(node).copied().unwrap_or_default();
            let is_reversed = at(*one) > at(*many);
            let (left, right) = if is_reversed { (*many, *one) } else { (*one, *many) };
            let mut stops = vec![left];
            for passed in at(left) + 1..at(right) {
                stops.push(layered.stops.len());
                layered.put(passed, layered.stops.len());
                layered.stops.push(Stop::Bend(link));
            }
            stops.push(right);
            layered.routes.push(Route { link, stops, is_reversed });
        }
        layered.order();
        layered
    }

    fn put(&mut self, column: usize, stop: usize) {
        if self.columns.len() <= column {
            self.columns.resize(column + 1, Vec::new());
        }
        if let Some(stops) = self.columns.get_mut(column) {
            stops.push(stop);
        }
    }

    /// The stops on one side of each stop.
    pub(super) fn neighbours(&self, on_the_left: bool) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.stops.len()];
        for (left, right) in
            self.routes.iter().flat_map(|route| route.stops.iter().zip(route.stops.iter().skip(1)))
        {
            let (of, neighbour) = if on_the_left { (right, left) } else { (left, right) };
            if let Some(known) = found.get_mut(*of) {
                known.push(*neighbour);
            }
        }
        found
    }

    /// Sorts each column by the average place of its neighbours, to and fro, so that few links cross.
    fn order(&mut self) {
        let sides = [self.neighbours(true), self.neighbours(false)];
        for round in 0..ROUNDS {
            let to_the_right = round % 2 == 0;
            let [left, right] = &sides;
            let neighbours = if to_the_right { left } else { right };
            let count = self.columns.len();
            for step in 1..count {
                let (column, next) =
                    if to_the_right { (step, step - 1) } else { (count - 1 - step, count - step) };
                let places = self.columns.get(next).cloned().unwrap_or_default();
                let place = |stop: usize| places.iter().position(|known| *known == stop);
                let Some(stops) = self.columns.get_mut(column) else { continue };
                let average = |(position, stop): (usize, &usize)| {
                    let known = neighbours.get(*stop).into_iter().flatten();
                    let found: Vec<usize> = known.filter_map(|one| place(*one)).collect();
                    match found.len() {
                        0 => position as f64,
                        count => found.iter().sum::<usize>() as f64 / count as f64,
                    }
                };
                let mut sorted: Vec<(f64, usize)> = stops
                    .iter()
                    .enumerate()
                    .map(|(position, stop)| (average((position, stop)), *stop))
                    .collect();
                // The sort is stable, so equal places keep their order.
                sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
                *stops = sorted.into_iter().map(|(_, stop)| stop).collect();
            }
        }
    }
}

/// The column of each box: right of everything that it belongs to. Links that close a circle don't count.
fn columns(count: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for (one, many) in pairs.iter().filter(|(one, many)| one != many) {
        if !reaches(&kept, *many, *one) {
            kept.push((*one, *many));
        }
    }
    let mut column = vec![0_usize; count];
    // Without circles, nothing moves any more after as many rounds as there are boxes.
    for _ in 0..count {
        for (one, many) in &kept {
            let least = column.get(*one).copied().unwrap_or_default() + 1;
            if let Some(own) = column.get_mut(*many) {
                *own = least.max(*own);
            }
        }
    }
    column
}

/// Whether one box leads to another one.
fn reaches(pairs: &[(usize, usize)], from: usize, to: usize) -> bool {
    let mut open = vec![from];
    let mut seen = vec![from];
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        for (_, next) in pairs.iter().filter(|(one, _)| *one == node) {
            if !seen.contains(next) {
                seen.push(*next);
                open.push(*next);
            }
        }
    }
    false
}
