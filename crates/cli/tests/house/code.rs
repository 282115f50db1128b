//! The files of the repository and their parts, found by the layout that rustfmt gives them.

use std::path::Path;

use crate::tree;

/// A file with its path from the root of the repository.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_test(&self) -> bool {
        let is_test =
            |part: &str| matches!(part, "tests" | "tests.rs" | "benches") || part.ends_with("_tests.rs");
        self.path.split('/').any(is_test)
    }

    /// The folder of the file's crate, without `crates/`.
    pub(crate) fn krate(&self) -> &str {
        let folder = self.path.split("/src/").next().unwrap_or_default();
        folder.strip_prefix("crates/").unwrap_or(folder)
    }
}

/// Reads all files of the repository with an extension.
pub(crate) fn files(extension: &str) -> Vec<File> {
    let mut found = Vec::new();
    collect(&tree::root(), "", extension, &mut found);
    found
}

fn collect(folder: &Path, name: &str, extension: &str, found: &mut Vec<File>) {
    for path in tree::entries(folder) {
        let last = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Neither built files and downloads nor git's own.
        if matches!(last.as_str(), "target" | "corpus" | "node_modules") || last.starts_with('.') {
            continue;
        }
        let name = if name.is_empty() { last } else { format!("{name}/{last}") };
        if path.is_dir() {
            collect(&path, &name, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(File { text: tree::read(&path), path: name });
        }
    }
}

/// A function with its length from `fn` to the closing brace.
pub(crate) struct Function {
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) lines: usize,
}

/// Finds functions, and methods, that aren't within another function.
pub(crate) fn functions(file: &File) -> Vec<Function> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str, &str)> = None;
    for (number, line) in (1..).zip(tree::without_tests(&file.text).lines()) {
        let code = line.trim_start();
        let indent = line.strip_suffix(code).unwrap_or_default();
        match open {
            None => open = function_name(code).map(|name| (number, indent, name)),
            Some((first, outer, name)) if indent == outer && code.trim_end() == "}" => {
                let place = format!("{}:{first}", file.path);
                found.push(Function { place, name: name.to_owned(), lines: number + 1 - first });
                open = None;
            }
            // A declaration in a trait.
            Some((_, outer, _)) if indent == outer && code.ends_with(';') => open = None,
            Some(_) => {}
        }
    }
    found
}

/// The name of the function whose body begins on this line or later.
fn function_name(code: &str) -> Option<&str> {
    let (before, after) = code.split_once("fn ")?;
    let is_qualifier = |word: &str| {
        matches!(word, "const" | "async" | "unsafe" | "extern" | "\"C\"") || word.starts_with("pub")
    };
    let is_whole = code.ends_with('}') || code.ends_with(';');
    if !before.split_whitespace().all(is_qualifier) || is_whole {
        return None;
    }
    after.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// Finds the types that a file defines at its top level, with their lines.
pub(crate) fn types(file: &File) -> Vec<(usize, &str)> {
    (1..)
        .zip(tree::without_tests(&file.text).lines())
        .filter_map(|(number, line)| Some((number, type_name(line)?)))
        .collect()
}

fn type_name(line: &str) -> Option<&str> {
    let mut words = line.split(' ').skip_while(|word| word.starts_with("pub") || *word == "unsafe");
    match words.next() {
        Some("struct" | "enum" | "trait" | "type" | "union") => {}
        _ => return None,
    }
    words.next()?.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[test]
fn functions_are_measured_from_their_name_to_their_brace() {
    let text = "impl A {\n    pub(crate) async fn b(\n        c: u8,\n    ) {\n        fn d() {\n        }\n    }\n}\n\
                trait E {\n    fn f(\n        g: u8,\n    ) -> u8;\n    fn h() {}\n}\nfn i() {\n}\n\
                #[cfg(test)]\nmod tests {\n    fn j() {\n    }\n}\n";
    let file = File { path: "a.rs".to_owned(), text: text.to_owned() };
    let found: Vec<_> = functions(&file)
        .into_iter()
        .map(|function| (function.place, function.name, function.lines))
        .collect();
    let expected = [("a.rs:2", "b", 6), ("a.rs:15", "i", 2)];
    assert_eq!(found, expected.map(|(place, name, lines)| (place.to_owned(), name.to_owned(), lines)));
}

#[test]
fn types_are_found_by_their_names() {
    let text = "pub struct A<B>(B);\nenum C {\n    D,\n}\npub(crate) trait E: F {\n    type G;\n}\ntype H = u8;\n\
                // struct I\nlet j = struct_k;\n#[cfg(test)]\nmod tests {\n    struct L;\n}\n";
    let file = File { path: "crates/engine/src/a.rs".to_owned(), text: text.to_owned() };
    assert_eq!(types(&file), [(1, "A"), (2, "C"), (5, "E"), (8, "H")]);
    assert_eq!(file.krate(), "engine");
    assert!(!file.is_test());
}
