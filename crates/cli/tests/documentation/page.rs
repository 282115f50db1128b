//! The commands of a page, in the order in which a reader types them.

use std::path::Path;

/// A page with commands.
pub(crate) struct Page {
    /// Its path in the repository.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
}

/// A block of commands.
pub(crate) struct Block {
    /// The line of its fence, counted from 1.
    pub(crate) line: usize,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    /// A `toml` block that begins with the comment `# NAME.toml`: a file that the reader saves under this name.
    File { name: String, text: String },
    /// An `sh` block: a script.
    Script(String),
    /// A `console` block: commands after `$ `, each with what it prints.
    Console(Vec<Shown>),
}

/// A command and what the page shows of its output.
pub(crate) struct Shown {
    pub(crate) command: String,
    pub(crate) output: String,
}

impl Page {
    pub(crate) fn read(root: &Path, name: &str) -> Page {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        let blocks = blocks(&text);
        Page { name: name.to_owned(), text, blocks }
    }

    /// Where a block stands.
    pub(crate) fn place(&self, block: &Block) -> String {
        format!("{}:{}", self.name, block.line)
    }
}

impl Block {
    /// The commands, one in each line; continued lines are joined.
    pub(crate) fn commands(&self) -> Vec<String> {
        let text = match &self.content {
            Content::File { .. } => String::new(),
            Content::Script(script) => script.clone(),
            Content::Console(shown) => {
                shown.iter().map(|shown| format!("{}\n", shown.command)).collect::<String>()
            }
        };
        text.replace("\\\n", " ").lines().map(|line| line.trim().to_owned()).collect()
    }

    /// Whether one of the commands is this program.
    pub(crate) fn calls(&self, program: &str) -> bool {
        let starts = |part: &str| part.trim_start().starts_with(&format!("{program} "));
        self.commands().iter().any(|line| line.split(['|', ';', '(']).any(starts))
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.trim().strip_prefix("```") else { continue };
        let inside: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```").collect();
        let content = match language {
            "sh" => Content::Script(inside.join("\n")),
            "console" => Content::Console(shown(&inside)),
            "toml" => match file_name(&inside) {
                Some(name) => Content::File { name: name.to_owned(), text: inside.join("\n") },
                None => continue,
            },
            _ => continue,
        };
        blocks.push(Block { line: number + 1, content });
    }
    blocks
}

/// The name in the first line, if it is `# NAME.toml`.
fn file_name<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let name = lines.first()?.strip_prefix("# ")?;
    (name.ends_with(".toml") && !name.contains([' ', '/'])).then_some(name)
}

fn shown(lines: &[&str]) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push(Shown { command: command.to_owned(), output: String::new() }),
            (None, Some(last)) if last.command.ends_with('\\') => {
                last.command.push('\n');
                last.command.push_str(line);
            }
            (None, Some(last)) => {
                last.output.push_str(line);
                last.output.push('\n');
            }
            (None, None) => panic!("a console block begins with `$ `, not with {line:?}"),
        }
    }
    all
}
