//! The log: structured lines on the standard error.

use std::io::stderr;

use anstream::{AutoStream, ColorChoice};
use tracing_subscriber::filter::LevelFilter;

use crate::arguments::{LogFormat, LogLevel};

/// Starts logging; to be called once.
pub(crate) fn start(level: LogLevel, format: LogFormat) {
    let filter = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let log = tracing_subscriber::fmt().with_max_level(filter).with_writer(stderr);
    let colours = AutoStream::choice(&stderr()) != ColorChoice::Never;
    match format {
        LogFormat::Text => log.with_ansi(colours).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}
