//! Arguments of the commands that work with designs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::encryption::{KEY_OF_EXISTING, KeyArguments};
use super::loss::LossArguments;

pub(super) const APPLY_NOTES: &str = "\
If a table has something that no backend can change, nothing is done. Running it again does only
what is left.

The design is remembered in the table singlet-designs. If the next one makes other keys for items
that are there, apply names the entities with the number of their items, and does nothing unless
--accept-outdated is given.

Deleting a table or an index, turning off a stream, recovery or scheduled backups, and keeping a
shorter history ask on a terminal and need --yes elsewhere. Tables of an
environment with removal = \"keep\" are protected from deletion and are never deleted; that is the
default in every environment but dev.

Examples:
  singlet apply designs/shop.toml --dry-run
  singlet apply designs/shop.toml --environment prod --remote --region eu-west-1
  singlet apply designs/shop.toml --remove";

pub(super) const REVIEW_NOTES: &str = "\
Findings are errors (it will not work, or fails under the declared rates), warnings (it costs or risks something) and notes. A design allows
one where it occurs, with the reason:
  allow = { constant-partition = \"ten posts a week\" }

A fix with changed lines was tried: with it, the finding is gone and no other has come. --fix applies them. Fixes whose numbers are examples (a rate, a bound, a time to
live) are left to you, unless --examples is given. A design that doesn't load isn't changed.

Exit codes: 0 nothing that counts, 1 warnings (with --strict), 2 errors, or a design that doesn't load. With --fix they are about what is left; with --fix --dry-run the
code is at least 1 if there is something to fix.

Examples:
  singlet review designs/shop.toml
  singlet review designs/*.toml --strict --format github
  singlet review --explain hot-write
  singlet review designs/shop.toml --fix --dry-run
  singlet review designs/shop.toml --format sarif > review.sarif";

pub(super) const RUN_NOTES: &str = "\
`singlet run FILE` lists the patterns; `singlet run FILE PATTERN --help` shows the parameters of one, with an
example.

Values are read as the pattern's parameters say: strings, ids, dates and times as they are,
numbers and true or false as in JSON, lists with commas or as JSON.
  name=value      the value
  name=@FILE      the value is the content of a file; name=@- reads the standard input
  name=@@value    a value that begins with @
  name:=JSON      the value as JSON
  --input FILE    a JSON object with values; --input - reads it from the standard input. A value that is
                  also given as an argument is taken from the argument

The answer is JSON: over several lines on a terminal, on one otherwise. A list has a cursor if
there is more, and a previous one if there is a page before; --cursor takes both.

Examples:
  singlet run designs/shop.toml create_customer email=mai@example.com first_name=Mai
  singlet run designs/shop.toml customer_orders customer_id=123 --limit 5 --table
  singlet run designs/shop.toml create_order --input order.json customer_id=123
  jq -c .order event.json | singlet run designs/shop.toml create_order --input -";

pub(super) const PATTERNS_NOTES: &str = "\
Examples:
  singlet patterns designs/shop.toml
  singlet patterns designs/shop.toml create_order
  singlet patterns designs/shop.toml --format json";

pub(super) const EXPLAIN_NOTES: &str = "\
Reads are done, so that what they cost is known. Writes are not, unless --perform is given: what
they would do is worked out from the items that are there.

Capacity is predicted from the sizes of items before and after a write, and of the items that a
read evaluates. Where a filter or a projection hides some of them, explain reads them once more
without it. The used capacity is what the database reports.

Examples:
  singlet explain designs/shop.toml create_order customer_id=123 --in-memory
  singlet explain designs/shop.toml orders_by_status status=paid --json";

pub(super) const DESCRIBE_NOTES: &str = "\
Examples:
  singlet describe designs/shop.toml
  singlet describe designs/shop.toml --part diagram > shop.mmd
  singlet describe designs/shop.toml --markdown > shop.md";

pub(super) const SEED_NOTES: &str = "\
The same seed gives the same data on the same day (UTC): times lie in the months before it. Only
items that expire within two days are made shortly before the present.
References point to items that exist, and agree with each other. Texts fit: comments their posts, a
status the age of its order. Counters add up where a transaction of the design declares what they
count, or where their names say it (likeCount); others keep their defaults.
The tables must exist (singlet apply). At the end, seed prints commands that show the data.

Examples:
  singlet seed designs/shop.toml --items 1000
  singlet seed designs/shop.toml --items 200 --seed 7 --endpoint-url http://127.0.0.1:8000";

pub(super) const SCHEMA_NOTES: &str = "\
Example:
  singlet schema > singlet-design.schema.json
  and at the top of a design: #:schema ./singlet-design.schema.json";

/// Where the tables are.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where")]
pub(crate) struct StoreArguments {
    /// The folder with the data [default: ./singlet-data]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["in_memory", "remote", "endpoint_url", "region", "profile"])]
    pub(crate) data: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) key: KeyArguments,

    #[command(flatten)]
    pub(crate) loss: LossArguments,

    /// The folder for archived items [env: SINGLET_ARCHIVE] [default: beside the data, such as ./singlet-data-archive]
    #[arg(long, value_name = "DIR")]
    pub(crate) archive: Option<PathBuf>,

    /// An empty database in memory with the design's tables, gone at the end
    #[arg(long, conflicts_with_all = ["remote", "endpoint_url", "region", "profile"])]
    pub(crate) in_memory: bool,

    /// A DynamoDB endpoint: a Singlet server, DynamoDB Local, ScyllaDB Alternator
    /// [env: AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL]
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint_url: Option<String>,

    /// Amazon DynamoDB, or the endpoint that the AWS CLI would use
    #[arg(long)]
    pub(crate) remote: bool,

    /// The region of the endpoint; means --remote
    #[arg(long)]
    pub(crate) region: Option<String>,

    /// The profile in ~/.aws; means --remote
    #[arg(long)]
    pub(crate) profile: Option<String>,

    /// The environment of the design [default: the one that the design says, or dev]
    #[arg(long, value_name = "NAME")]
    pub(crate) environment: Option<String>,
}

/// `singlet check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The designs
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// How the answer is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// `singlet review`.
#[derive(Debug, Args)]
pub(crate) struct ReviewArguments {
    /// The designs
    #[arg(value_name = "FILE", required_unless_present_any = ["explain", "rules"])]
    pub(crate) files: Vec<PathBuf>,

    /// How the findings are written
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) format: ReviewFormat,

    /// Warnings count: the exit code is 1 if there are any
    #[arg(long)]
    pub(crate) strict: bool,

    /// Apply the fixes that are shown to the files, then show what is left
    #[arg(long)]
    pub(crate) fix: bool,

    /// With --fix: print the difference and change nothing
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,

    /// With --fix: also apply fixes whose numbers are examples, such as `max = 100`
    #[arg(long, requires = "fix")]
    pub(crate) examples: bool,

    /// Print the page of a rule: what it finds, why that matters, an example and a better one
    #[arg(long, value_name = "RULE", conflicts_with_all = ["files", "rules"])]
    pub(crate) explain: Option<String>,

    /// List the rules
    #[arg(long, conflicts_with = "files")]
    pub(crate) rules: bool,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ReviewFormat {
    /// For a terminal, with the changed lines
    Human,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, which code hosts show beside the lines
    Sarif,
    /// Annotations of GitHub workflows
    Github,
}

/// `singlet apply`.
#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Take the design away: delete its tables with their data where the environment has removal = "delete"
    #[arg(long)]
    pub(crate) remove: bool,

    /// Don't ask before tables, indexes, history, streams or backup schedules are deleted
    #[arg(long)]
    pub(crate) yes: bool,

    /// Go on although items that are there don't match the design: patterns may miss them until they are written again
    #[arg(long, conflicts_with = "remove")]
    pub(crate) accept_outdated: bool,

    /// How the plan is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}

/// `singlet run`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) call: CallArguments,

    /// Show the answer in columns, for people
    #[arg(long)]
    pub(crate) table: bool,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}

/// `singlet explain`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct ExplainArguments {
    #[command(flatten)]
    pub(crate) call: CallArguments,

    /// Do the writes too
    #[arg(long)]
    pub(crate) perform: bool,

    /// A JSON list of the requests instead of text
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}

/// A pattern with its values.
#[derive(Debug, Args)]
pub(crate) struct CallArguments {
    /// The design
    #[arg(value_name = "FILE", required_unless_present = "help")]
    pub(crate) file: Option<PathBuf>,

    /// The pattern; without it, the patterns are listed
    #[arg(value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,

    /// The values of its parameters
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) values: Vec<String>,

    /// Print help: of the command, or of the pattern if one is given
    #[arg(short, long)]
    pub(crate) help: bool,

    /// Take values from a JSON object in a file; - is the standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// Items on the page
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: Option<u32>,

    /// The cursor of another page: `cursor` or `previous` of an answer
    // A cursor is text of base64, and may begin with a hyphen.
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) cursor: Option<String>,
}

/// `singlet patterns`.
#[derive(Debug, Args)]
pub(crate) struct PatternsArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Only this pattern
    #[arg(value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,

    /// How the answer is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Text,
    /// JSON, for programs
    Json,
}

/// `singlet describe`.
#[derive(Debug, Args)]
pub(crate) struct DescribeArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Only this part
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) part: Option<DescribePart>,

    /// As Markdown
    #[arg(long, conflicts_with = "format")]
    pub(crate) markdown: bool,

    /// How the answer is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// A part of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DescribePart {
    /// Entities and the keys that they have in the table and its indexes
    Chart,
    /// Access patterns and how they read
    Patterns,
    /// Entities and relations as a Mermaid diagram
    Diagram,
}

/// `singlet seed`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct SeedArguments {
    /// The design
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// How many items, about
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub(crate) items: u64,

    /// Another number gives other data
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,

    /// How the answer is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,

    #[command(flatten)]
    pub(crate) store: StoreArguments,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Arguments, Command};

    #[test]
    fn a_place_is_said_in_one_way_only() {
        for place in [
            &["--in-memory", "--data", "x"][..],
            &["--data", "x", "--endpoint-url", "http://127.0.0.1:1"],
            &["--in-memory", "--region", "eu-west-1"],
        ] {
            let words = ["singlet", "run", "shop.toml", "get_customer"].iter().chain(place);
            assert!(Arguments::try_parse_from(words).is_err(), "{place:?}");
        }
    }

    #[test]
    fn values_follow_the_pattern() {
        let words =
            ["singlet", "run", "shop.toml", "get_customer", "customer_id=1", "--limit", "5", "a:=[1]"];
        let Command::Run(run) = Arguments::try_parse_from(words).unwrap().command else { panic!() };
        assert_eq!(run.call.values, ["customer_id=1", "a:=[1]"]);
        assert_eq!(run.call.limit, Some(5));
    }

    #[test]
    fn a_removal_leaves_no_items_to_accept() {
        let words = ["singlet", "apply", "shop.toml", "--remove", "--accept-outdated"];
        assert!(Arguments::try_parse_from(words).is_err());
    }
}
