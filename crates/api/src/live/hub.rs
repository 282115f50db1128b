//! The thread that follows the change feeds of a design's tables.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use singlet_derive::Positions;
use singlet_design::Json;
use singlet_run::{Runner, Wait};
use singlet_store::{FeedStart, ItemChange, Store};
use tokio::sync::{mpsc, oneshot};

use super::dependency::{Dependency, Tables};
use super::event::{self, EventId, EventKind};
use super::group::{Group, Kind, Opening, Reads, Touch, touch};
use super::resume::{Replay, replay};
use super::{LiveRead, Refused, busy};
use crate::feed::{FeedReader, Following};
use crate::metered::Metered;
use crate::problem::{Problem, ProblemKind};
use crate::refusal;

/// The events that wait for a subscriber at most. One that is slower is cut off.
const EVENTS_MAX: usize = 256;
/// How long the thread waits for a change before it looks for new subscribers.
const WAIT: Duration = Duration::from_millis(5);
/// The same for each of several tables.
const TURN: Duration = Duration::from_millis(2);
/// The time between signs of life.
const BEAT: Duration = Duration::from_secs(15);
/// How often an answer is read again because it changed meanwhile.
const OPENINGS_MAX: usize = 10;
/// The pages of a feed that are read at once at most, before anything else.
const PAGES_MAX: usize = 100;

/// A new subscriber.
pub(super) struct Command {
    pub(super) view: LiveRead,
    /// The id of the last event that it has.
    pub(super) last: Option<String>,
    pub(super) reply: oneshot::Sender<Result<mpsc::Receiver<Bytes>, Refused>>,
}

/// The feed of one table.
pub(super) struct Feed {
    label: String,
    name: String,
    reader: Box<dyn FeedReader>,
}

/// Changes that were read: the number of the feed, and the change.
struct Fetched {
    changes: Vec<(usize, ItemChange)>,
    /// The positions after them.
    positions: Positions,
}

/// The groups of a design and the feeds that they follow.
pub(super) struct Hub<S> {
    runner: Arc<Runner<Metered<S>>>,
    following: Arc<Following>,
    tables: Tables,
    commands: Receiver<Command>,
    /// Empty while nobody has subscribed.
    feeds: Vec<Feed>,
    /// The positions after the changes that all groups have.
    positions: Positions,
    groups: HashMap<u64, Group>,
    /// The groups by their view.
    keys: HashMap<String, u64>,
    /// The groups by the partitions that they depend on.
    places: HashMap<u64, BTreeSet<u64>>,
    next_group: u64,
    beaten: Instant,
}

impl<S: Store> Hub<S> {
    pub(super) fn new(
        runner: Arc<Runner<Metered<S>>>,
        following: Arc<Following>,
        commands: Receiver<Command>,
    ) -> Self {
        let tables = Tables::new(runner.design(), runner.environment());
        Self {
            runner,
            following,
            tables,
            commands,
            feeds: Vec::new(),
            positions: Positions::new(),
            groups: HashMap::new(),
            keys: HashMap::new(),
            places: HashMap::new(),
            next_group: 0,
            beaten: Instant::now(),
        }
    }

    /// Works until nobody can subscribe any more.
    pub(super) fn run(mut self) {
        loop {
            let command = if self.groups.is_empty() {
                self.feeds.clear();
                match self.commands.recv() {
                    Ok(command) => Some(command),
                    Err(_) => return,
                }
            } else {
                match self.commands.try_recv() {
                    Ok(command) => Some(command),
                    Err(TryRecvError::Empty) => None,
                    Err(TryRecvError::Disconnected) => return,
                }
            };
            match command {
                Some(Command { view, last, reply }) => {
                    let joined = self.join(view, last).wait();
                    // A caller that is gone needs no answer.
                    let _ = reply.send(joined);
                }
                None => self.follow().wait(),
            }
            self.beat();
        }
    }

    async fn follow(&mut self) {
        let wait = if self.feeds.len() > 1 { TURN } else { WAIT };
        match self.fetch(wait).await {
            Ok(fetched) => self.deliver(fetched).await,
            // Subscribers come back, and begin where they were, if the feed is there again.
            Err(_) => self.end(),
        }
    }

    /// Ends all streams.
    fn end(&mut self) {
        self.groups.clear();
        self.keys.clear();
        self.places.clear();
        self.feeds.clear();
    }

    /// Reads the next changes of every table.
    async fn fetch(&mut self, wait: Duration) -> Result<Fetched, Refused> {
        let mut fetched = Fetched { changes: Vec::new(), positions: Positions::new() };
        for (at, feed) in self.feeds.iter_mut().enumerate() {
            match feed.reader.next(wait).await {
                Ok(Some(changes)) => fetched.changes.extend(changes.into_iter().map(|change| (at, change))),
                Ok(None) => return Err(Refused::Problem(busy())),
                Err(error) => {
                    tracing::debug!(%error, "a change feed can't be read");
                    return Err(Refused::Problem(busy()));
                }
            }
            fetched.positions.insert(feed.label.clone(), feed.reader.position());
        }
        Ok(fetched)
    }

    /// Gives all groups the changes that they see.
    async fn deliver(&mut self, fetched: Fetched) {
        for (at, change) in &fetched.changes {
            let Some(feed) = self.feeds.get(*at) else { continue };
            let name = feed.name.clone();
            self.positions.insert(feed.label.clone(), change.position.clone());
            self.take(&name, change).await;
        }
        self.positions = fetched.positions;
        self.refresh().await;
    }

    /// Gives the groups that a change touches their events.
    async fn take(&mut self, table: &str, change: &ItemChange) {
        let places = self.tables.places(table, change);
        let ids: BTreeSet<u64> =
            places.iter().filter_map(|place| self.places.get(place)).flatten().copied().collect();
        let reads = Reads { runner: &self.runner, tables: &self.tables };
        for id in ids {
            let Some(group) = self.groups.get_mut(&id).filter(|group| !group.is_dirty) else { continue };
            match group.touch(table, change) {
                Touch::None => {}
                Touch::Whole => group.is_dirty = true,
                Touch::Item => match reads.event(&group.view, &group.kind, change).await {
                    Ok(None) => {}
                    Ok(Some((kind, data))) => {
                        let id = event_id(&self.following, &self.positions, &group.kind);
                        group.send(&event::write(kind, &id, &data));
                    }
                    // Reading everything again shows why.
                    Err(_) => group.is_dirty = true,
                },
            }
        }
    }

    /// Reads the answers of dirty groups again.
    async fn refresh(&mut self) {
        let dirty = self.groups.iter().filter(|(_, group)| group.is_dirty);
        for id in dirty.map(|(id, _)| *id).collect::<Vec<u64>>() {
            let Some(mut group) = self.remove(id) else { continue };
            group.is_dirty = false;
            let reads = Reads { runner: &self.runner, tables: &self.tables };
            match reads.open(&group.view).await {
                Ok(Opening { answer, kind, dependencies }) => {
                    let is_same = matches!(kind, Kind::Whole { .. }) && kind == group.kind;
                    (group.kind, group.dependencies) = (kind, dependencies);
                    if !is_same {
                        let id = event_id(&self.following, &self.positions, &group.kind);
                        group.send(&event::write(EventKind::Answer, &id, &answer));
                    }
                    self.add(group);
                }
                Err(error) => {
                    let problem = refusal::of_live(error);
                    group.send(&event::write_plain(EventKind::Problem, &problem.to_json()));
                }
            }
        }
    }

    /// Takes in a subscriber.
    async fn join(&mut self, view: LiveRead, last: Option<String>) -> Result<mpsc::Receiver<Bytes>, Refused> {
        self.open_feeds().await?;
        let (sender, receiver) = mpsc::channel(EVENTS_MAX);
        let mut first = event::hello().to_vec();
        let opening = self.opening(&view).await?;
        let last = last.map(|last| EventId::read(&last));
        let (kind, has_all) = match (&opening.kind, last) {
            (_, None) => (opening.kind.clone(), false),
            (Kind::Whole { .. }, Some(last)) => (opening.kind.clone(), last.rest == opening.kind.rest()),
            (Kind::Items { own, .. }, Some(last)) => {
                let kind = Kind::Items { own: own.clone(), end: last.rest.clone() };
                let reads = Reads { runner: &self.runner, tables: &self.tables };
                let reached = (&*self.following, &self.positions);
                match replay(&reads, reached, &view, &kind, &opening.dependencies, &last).await {
                    Replay::Events(events) => {
                        first.extend_from_slice(&events);
                        (kind, true)
                    }
                    Replay::Forgotten(reason) => {
                        let data = [("reason", Json::from(reason))].into();
                        first.extend_from_slice(&event::write_plain(EventKind::Reset, &data));
                        (opening.kind.clone(), false)
                    }
                }
            }
        };
        if !has_all {
            let id = event_id(&self.following, &self.positions, &kind);
            first.extend_from_slice(&event::write(EventKind::Answer, &id, &opening.answer));
        }
        // The channel is new, so there is room.
        let _ = sender.try_send(first.into());
        let id = self.keys.get(&kind.key(&view)).copied();
        match id.and_then(|id| self.groups.get_mut(&id)) {
            Some(group) => group.subscribers.push(sender),
            None => {
                let mut group = Group::new(view, kind, opening.dependencies);
                group.subscribers.push(sender);
                self.add(group);
            }
        }
        Ok(receiver)
    }

    /// Reads an answer that has exactly the changes up to the positions.
    async fn opening(&mut self, view: &LiveRead) -> Result<Opening, Refused> {
        for _ in 0..OPENINGS_MAX {
            self.drain(None).await?;
            let opening = self.read(view).await?;
            if !self.drain(Some(&opening)).await? {
                return Ok(opening);
            }
        }
        // It changes all the time. It may have changes that follow once more as events, which do no harm.
        self.read(view).await
    }

    async fn read(&self, view: &LiveRead) -> Result<Opening, Refused> {
        let reads = Reads { runner: &self.runner, tables: &self.tables };
        reads.open(view).await.map_err(Refused::Run)
    }

    /// Takes in all changes so far. Returns whether one touches an answer.
    async fn drain(&mut self, answer: Option<&Opening>) -> Result<bool, Refused> {
        let mut is_touched = false;
        for _ in 0..PAGES_MAX {
            let fetched = match self.fetch(Duration::ZERO).await {
                Ok(fetched) => fetched,
                Err(refused) => {
                    self.end();
                    return Err(refused);
                }
            };
            let is_last = fetched.changes.is_empty();
            for (at, change) in &fetched.changes {
                let (Some(feed), Some(answer)) = (self.feeds.get(*at), answer) else { continue };
                let touched = touch(&answer.kind, &answer.dependencies, &feed.name, change);
                is_touched |= touched != Touch::None;
            }
            self.deliver(fetched).await;
            if is_last {
                break;
            }
        }
        Ok(is_touched)
    }

    /// Opens the feeds of all tables that have one, unless they are open.
    async fn open_feeds(&mut self) -> Result<(), Refused> {
        if !self.feeds.is_empty() {
            return Ok(());
        }
        let latest = self.following.latest().await.map_err(Refused::Problem)?;
        for (label, name) in self.following.tables() {
            if !latest.contains_key(label) {
                let detail = "live updates need a stream: set `stream = true` for the table of the design";
                return Err(Refused::Problem(Problem::new(ProblemKind::Unsupported, detail)));
            }
            let reader = self.following.changes(name, FeedStart::Now).await;
            let Ok(Some(reader)) = reader else { return Err(Refused::Problem(busy())) };
            self.positions.insert(label.clone(), reader.position());
            self.feeds.push(Feed { label: label.clone(), name: name.clone(), reader });
        }
        Ok(())
    }

    /// Sends signs of life, and forgets groups without subscribers.
    fn beat(&mut self) {
        if self.beaten.elapsed() < BEAT {
            return;
        }
        self.beaten = Instant::now();
        for group in self.groups.values_mut() {
            let id = event_id(&self.following, &self.positions, &group.kind);
            group.send(&event::beat(&id));
        }
        let empty = self.groups.iter().filter(|(_, group)| group.subscribers.is_empty());
        for id in empty.map(|(id, _)| *id).collect::<Vec<u64>>() {
            self.remove(id);
        }
    }

    fn add(&mut self, group: Group) {
        let id = self.next_group;
        self.next_group += 1;
        for place in group.dependencies.iter().map(|dependency: &Dependency| dependency.place(&self.tables)) {
            self.places.entry(place).or_default().insert(id);
        }
        self.keys.entry(group.kind.key(&group.view)).or_insert(id);
        self.groups.insert(id, group);
    }

    fn remove(&mut self, id: u64) -> Option<Group> {
        let group = self.groups.remove(&id)?;
        for place in group.dependencies.iter().map(|dependency: &Dependency| dependency.place(&self.tables)) {
            if let Some(ids) = self.places.get_mut(&place) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.places.remove(&place);
                }
            }
        }
        let key = group.kind.key(&group.view);
        if self.keys.get(&key) == Some(&id) {
            self.keys.remove(&key);
        }
        Some(group)
    }
}

/// The id of an event after which a subscriber has all changes up to these positions.
pub(super) fn event_id(following: &Following, positions: &Positions, kind: &Kind) -> EventId {
    EventId { positions: following.text(positions).unwrap_or_default(), rest: kind.rest() }
}
