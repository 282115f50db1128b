//! The diagram is the same for the same design, and readable for a large one.

use std::fmt::Write;

use super::graph::Graph;
use super::layers::Layered;
use super::place::{Area, Plan};
use super::*;

/// A design with this many entities, each of which belongs to one or two before it.
fn chained(entities: usize) -> Design {
    let mut source = String::from("design = \"large\"\n[table]\nkey = [\"PK\", \"SK\"]\n");
    for number in 0..entities {
        let _ = write!(
            source,
            "[entity.E{number}]\nkey = [\"E{number}#{{id{number}}}\", \"E\"]\n[entity.E{number}.fields]\nid{number} = \"id\"\n"
        );
        for (name, parent) in [("a", number / 3), ("b", number / 2)] {
            if parent < number {
                let _ = writeln!(source, "{name} = {{ ref = \"E{parent}\" }}");
            }
        }
        let _ = write!(source, "[pattern.get{number}]\nget = \"E{number}\"\n");
    }
    singlet_design::load("large.toml", &source).expect("a design")
}

#[test]
fn the_same_design_gives_the_same_picture() {
    let design = chained(20);
    assert_eq!(drawing(&design).file().into_string(), drawing(&design).file().into_string());
}

#[test]
fn boxes_of_sixty_entities_do_not_overlap_and_lie_inside() {
    let graph = Graph::of(&chained(60));
    let Plan { boxes, courses, width, height } = Plan::of(&graph, &Layered::of(&graph));
    let overlap = |one: &Area, other: &Area| {
        one.x < other.x + other.width
            && other.x < one.x + one.width
            && one.y < other.y + other.height
            && other.y < one.y + one.height
    };
    assert_eq!(boxes.len(), 60);
    for (position, one) in boxes.iter().enumerate() {
        assert!(one.x >= 0.0 && one.y >= 0.0 && one.x + one.width <= width && one.y + one.height <= height);
        assert!(boxes.iter().skip(position + 1).all(|other| !overlap(one, other)), "box {position}");
    }
    let within = |box_: &Area, (x, y): (f64, f64)| {
        x > box_.x && x < box_.x + box_.width && y > box_.y && y < box_.y + box_.height
    };
    assert_eq!(courses.len(), 118);
    for point in courses.iter().flat_map(|course| &course.points) {
        assert!(!boxes.iter().any(|area| within(area, *point)), "a link crosses a box at {point:?}");
    }
}

#[test]
fn circles_and_entities_without_relations_are_drawn() {
    let source = r#"
design = "circle"
[table]
key = ["PK", "SK"]
[entity.A]
key = ["A#{a}", "A"]
fields = { a = "id", b = { ref = "B" }, parent = { ref = "A", optional = true } }
[entity.B]
key = ["B#{b}", "B"]
fields = { b = "id", a = { ref = "A" } }
[entity.Alone]
key = ["C#{c}", "C"]
fields = { c = "id" }
[pattern.get_a]
get = "A"
[pattern.get_b]
get = "B"
[pattern.get_alone]
get = "Alone"
"#;
    let design = singlet_design::load("circle.toml", source).expect("a design");
    let svg = drawing(&design).file().into_string();
    for name in ["A", "B", "Alone", "parent"] {
        assert!(svg.contains(&format!(">{name}<")), "{name}: {svg}");
    }
}
