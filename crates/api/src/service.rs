//! One design behind its endpoints.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::{HeaderName, Method};
use axum::response::Response;
use singlet_design::{Json, Operation, Route};
use singlet_run::{Caller, Outcome, RunError, Runner};
use singlet_store::Store;

use crate::answer::{self, Asked};
use crate::conditional::{Conditions, Ledger, Tagger};
use crate::endpoint::{Endpoint, endpoints};
use crate::feed::Following;
use crate::figures::Figures;
use crate::input::Input;
use crate::live::{Live, LiveRead, Refused};
use crate::metered::{Metered, measured};
use crate::negotiate;
use crate::position::{self, Wish};
use crate::problem::{Fault, Problem, ProblemKind};
use crate::served::Served;
use crate::{openapi, page, refusal};

/// The id of the last event that a subscriber has.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// A design with the runner of its patterns.
pub(crate) struct Service<S> {
    pub(crate) runner: Arc<Runner<Metered<S>>>,
    pub(crate) figures: Arc<Figures>,
    pub(crate) tagger: Tagger,
    /// The records of calls with a key.
    pub(crate) ledger: Ledger,
    following: Option<Arc<Following>>,
    live: Option<Live<S>>,
    pub(crate) endpoints: Vec<Endpoint>,
    /// `GET /<design>`.
    pub(crate) listing: String,
    /// `GET /<design>/openapi.json`.
    pub(crate) openapi: String,
    /// `GET /<design>/docs`.
    pub(crate) page: String,
}

/// A request, read from its connection.
pub(crate) struct Incoming {
    pub(crate) method: Method,
    pub(crate) uri: axum::http::Uri,
    pub(crate) headers: axum::http::HeaderMap,
    /// The values in the path, in order.
    pub(crate) path: Vec<String>,
    pub(crate) body: bytes::Bytes,
    /// The caller's address.
    pub(crate) address: Option<IpAddr>,
    /// The one who calls.
    pub(crate) caller: Caller,
}

impl<S: Store + 'static> Service<S> {
    pub(crate) fn new(Served { runner, following, figures }: Served<S>) -> Self {
        let endpoints = endpoints(runner.design());
        let listing = listing(&runner, &endpoints).to_string();
        let openapi = openapi::document(runner.design(), &endpoints).to_string();
        let page = page::page(runner.design(), &endpoints);
        let (runner, following) = (Arc::new(runner), following.map(Arc::new));
        let live = following.as_ref().map(|following| Live::new(Arc::clone(&runner), Arc::clone(following)));
        let (tagger, ledger) = (Tagger::new(), Ledger::default());
        Self { runner, figures, tagger, ledger, following, live, endpoints, listing, openapi, page }
    }

    /// The name of the design.
    pub(crate) fn name(&self) -> &str {
        &self.runner.design().name
    }

    /// Answers a call of an endpoint.
    pub(crate) async fn call(&self, endpoint: &Endpoint, request: &Incoming) -> Result<Response, Problem> {
        let is_read = endpoint.pattern.reads();
        negotiate::check_head(&request.headers, is_read)?;
        if endpoint.has_body() && !request.body.is_empty() {
            negotiate::check_body(&request.headers)?;
        }
        let wish = Wish::read(&request.headers)?;
        let conditions = Conditions::read(&request.headers, endpoint)?;
        let path = request.path.iter().map(String::as_str);
        let query = request.uri.query().unwrap_or_default();
        let input = crate::input::read(endpoint, path, query, &request.body)?;
        if !input.faults.is_empty() {
            return Err(Problem::of(self.all_faults(endpoint, &request.caller, input)));
        }
        let following = self.following.as_deref();
        let applied = wish.before(following, is_read).await?;
        if is_read && request.method != Method::HEAD && negotiate::accepts_events(&request.headers) {
            return self.follow(endpoint, request, input).await;
        }
        let (outcome, units) = if conditions.is_empty() {
            let (pattern, caller) = (&endpoint.pattern.name, &request.caller);
            let run = self.runner.run_as(caller, pattern, &input.arguments, &input.paging);
            let (outcome, units) = measured(run).await;
            (outcome.map(|outcome| (outcome, false)), units)
        } else {
            // Boxed, so that the future of other calls stays small.
            let run = Box::pin(self.run_once(endpoint, &conditions, request, &input));
            let (outcome, units) = measured(run).await;
            (outcome?, units)
        };
        let (outcome, is_repeated) =
            outcome.map_err(|error| self.problem_of(endpoint, request, input, error))?;
        let created_at = self.location(endpoint, &outcome);
        let asked = Asked {
            endpoint,
            uri: &request.uri,
            headers: &request.headers,
            created_at: created_at.as_deref(),
            tagger: &self.tagger,
            is_repeated,
        };
        let mut response = answer::answer(&asked, &outcome, units);
        position::note(&mut response, applied);
        if !is_read {
            wish.after(following, &mut response).await;
        }
        Ok(response)
    }

    /// Answers with the answer of a read and its changes.
    async fn follow(
        &self,
        endpoint: &Endpoint,
        request: &Incoming,
        input: Input,
    ) -> Result<Response, Problem> {
        let Some(live) = &self.live else {
            let detail = "the tables of this design have no change feed here, so there are no live updates";
            return Err(Problem::new(ProblemKind::Unsupported, detail));
        };
        let last = request.headers.get(&LAST_EVENT_ID).and_then(|id| id.to_str().ok());
        let last = last.filter(|id| !id.is_empty()).map(str::to_owned);
        let view = LiveRead {
            pattern: Arc::clone(&endpoint.pattern),
            arguments: input.arguments.clone(),
            paging: input.paging.clone(),
            caller: request.caller.clone(),
        };
        live.subscribe(view, last, request.address).await.map_err(|refused| match refused {
            Refused::Run(error) => self.problem_of(endpoint, request, input, error),
            Refused::Problem(problem) => problem,
        })
    }

    /// The place where the item that a pattern created can be read.
    fn location(&self, endpoint: &Endpoint, outcome: &Outcome) -> Option<String> {
        let (Operation::Create(insert), Outcome::Written(record)) = (&endpoint.pattern.operation, outcome)
        else {
            return None;
        };
        let reads = |other: &&Endpoint| matches!(&other.pattern.operation, Operation::Get(get) if get.entity.name == insert.entity.name && get.on.is_none());
        let route: &Route = &self.endpoints.iter().find(reads)?.route;
        answer::path_of(self.name(), route, &record.to_json())
    }

    /// The problem that an error of a pattern is for its caller.
    fn problem_of(&self, endpoint: &Endpoint, request: &Incoming, input: Input, error: RunError) -> Problem {
        if !matches!(error, RunError::Parameter { .. } | RunError::Parameters { .. }) {
            return refusal::problem(endpoint, error);
        }
        // The first step that fails may not know the other wrong parameters.
        let faults = self.all_faults(endpoint, &request.caller, input);
        if faults.is_empty() { refusal::problem(endpoint, error) } else { Problem::of(faults) }
    }

    /// Everything that is wrong with a call: what was found while reading it, and values that don't fit.
    fn all_faults(&self, endpoint: &Endpoint, caller: &Caller, input: Input) -> Vec<Fault> {
        let mut faults = input.faults;
        let wrong = self.runner.check_as(caller, &endpoint.pattern.name, &input.arguments);
        let known = |fault: &Fault| faults.iter().any(|known| known.parameter == fault.parameter);
        let more: Vec<Fault> =
            refusal::faults(endpoint, wrong).into_iter().filter(|fault| !known(fault)).collect();
        faults.extend(more);
        faults
    }

    /// Whether the design says who calls.
    pub(crate) fn has_callers(&self) -> bool {
        self.runner.design().callers.is_some()
    }
}

/// The operations of a design, for people and programs that look around.
fn listing<S: Store>(runner: &Runner<Metered<S>>, endpoints: &[Endpoint]) -> Json {
    let design = runner.design();
    let base = format!("/{}", design.name);
    let about =
        |about: &Option<String>| about.as_ref().map(|text| ("about".to_owned(), Json::from(text.as_str())));
    let operation = |endpoint: &Endpoint| {
        let mut members = vec![
            ("name".to_owned(), Json::from(endpoint.pattern.name.as_str())),
            ("method".to_owned(), endpoint.method.as_str().into()),
            ("path".to_owned(), format!("{base}{}", endpoint.route.path_text()).into()),
        ];
        members.extend(about(&endpoint.pattern.about));
        Json::Object(members)
    };
    let mut members = vec![("design".to_owned(), Json::from(design.name.as_str()))];
    members.extend(about(&design.about));
    members.push(("openapi".to_owned(), format!("{base}/openapi.json").into()));
    members.push(("docs".to_owned(), format!("{base}/docs").into()));
    members.push(("operations".to_owned(), Json::List(endpoints.iter().map(operation).collect())));
    Json::Object(members)
}
