//! Arguments of the commands to start with: `singlet demo` and `singlet new`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

pub(super) const DEMO_NOTES: &str = "\
The demo has a social network, a shop, a recipe application, a household's groceries and a store of
sensor readings. Each is one design file with sample data.

The patterns are served as an HTTP API, too: http://127.0.0.1:8000/social/docs shows the operations of a design.

Without --path, everything is in a temporary folder that is deleted when the demo stops. With --path,
the folder is kept: its designs can be edited, and the next `singlet demo --path DIR` goes on with it.

Ctrl-C finishes the running requests and stops the demo.

Examples:
  singlet demo
  singlet demo --path ./demo --port 9000";

pub(super) const NEW_NOTES: &str = "\
The file is a small design with comments that explain it. It is never overwritten.

Examples:
  singlet new tasks
  singlet new orders --from shop
  singlet new messages --from chat";

/// `singlet demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep the demo in this folder; it is created if it doesn't exist
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Option<PathBuf>,

    /// The folder for archived items [env: SINGLET_ARCHIVE] [default: in the demo's folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) archive: Option<PathBuf>,

    /// The port on 127.0.0.1 [default: 8000, or any free port if that is in use]
    #[arg(long)]
    pub(crate) port: Option<u16>,
}

/// `singlet new`.
#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The name of the design; NAME.toml is its file
    #[arg(value_name = "NAME")]
    pub(crate) name: String,

    /// The design to start from
    #[arg(long, value_enum, value_name = "TEMPLATE", default_value_t = Template::Todo)]
    pub(crate) from: Template,
}

/// A design to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// Lists with tasks: keys, an index and a condition
    Todo,
    /// Customers, orders and products: relations, a transaction and totals
    Shop,
    /// Rooms with messages: time order, bounded partitions and expiry
    Chat,
}
