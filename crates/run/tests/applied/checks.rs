//! Designs that change while their tables have items: the store remembers what was applied, and nothing is lost from
//! sight without a word.

use std::sync::Arc;

use singlet_design::{Design, Environment, Json, Removal, TableSettings};
use singlet_engine::values::Item;
use singlet_run::apply::{ApplyError, DESIGNS_TABLE, Plan, choose_environment, plan, plan_removal, warnings};
use singlet_run::{Arguments, Paging, Runner, Wait};
use singlet_store::{PutItem, ReturnItem, Scan, Store, TableChange};

const DESIGN: &str = r#"
design = "support"

[table]
name = "support-{environment}"
key  = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Agent]
key    = ["AGENT#{agent_id}", "AGENT"]
fields = { agent_id = "key", email = "string", team = { type = "string", optional = true } }

[entity.Ticket]
key    = ["TICKET#{ticket_id}", "TICKET"]
GSI1   = ["QUEUE#{queue}", "{priority}#{ticket_id}"]
fields = { ticket_id = "key", queue = "string", priority = { type = "int", min = 1, max = 99 } }

[pattern.save_agent]
put = "Agent"

[pattern.get_agent]
get = "Agent"

[pattern.save_ticket]
put = "Ticket"

[pattern.queue]
query = "Ticket"
on    = "GSI1"
"#;

pub(crate) fn load(source: &str) -> Arc<Design> {
    Arc::new(singlet_design::load("support.toml", source).unwrap_or_else(|report| panic!("{report}")))
}

/// The design with each text replaced by another, all of which must be there.
fn changed(changes: &[(&str, &str)]) -> Arc<Design> {
    let mut source = DESIGN.to_owned();
    for (old, new) in changes {
        assert!(source.contains(old), "{old}");
        source = source.replace(old, new);
    }
    load(&source)
}

fn environment(design: &Design) -> Environment {
    choose_environment(design, None).unwrap()
}

pub(crate) fn planned(store: &impl Store, design: &Design) -> Plan {
    plan(design, &environment(design), store).wait().unwrap()
}

/// Applies a design to which nothing objects.
#[track_caller]
pub(super) fn apply(store: &impl Store, design: &Design) {
    let plan = planned(store, design);
    assert!(plan.outdated.is_empty(), "{plan}");
    plan.run(store, &mut |_| {}).wait().unwrap();
    let again = planned(store, design);
    assert!(again.is_empty(), "{again}");
}

/// Applies a design and its outdated items with it.
pub(super) fn apply_outdated(store: &impl Store, design: &Design) {
    let mut plan = planned(store, design);
    plan.accept_outdated();
    plan.run(store, &mut |_| {}).wait().unwrap();
}

pub(super) fn run(store: &impl Store, design: &Arc<Design>, pattern: &str, values: &[(&str, Json)]) -> Json {
    let runner = Runner::new(Arc::clone(design), store, "dev");
    let values: Arguments = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    runner.run(pattern, &values, &Paging::default()).wait().unwrap().to_json()
}

fn save_agents(store: &impl Store, design: &Arc<Design>) {
    for number in ["1", "2", "3"] {
        let email = format!("{number}@example.com");
        let values = [("agent_id", Json::from(number)), ("email", Json::from(email))];
        run(store, design, "save_agent", &values);
    }
}

fn save_tickets(store: &impl Store, design: &Arc<Design>) {
    for (number, priority) in [("1", 2), ("2", 10)] {
        let values = [
            ("ticket_id", Json::from(number)),
            ("queue", Json::from("q")),
            ("priority", Json::from(priority)),
        ];
        run(store, design, "save_ticket", &values);
    }
}

/// The refusal of a design that leaves items behind: entities with their counts, and all of the text.
#[track_caller]
pub(super) fn refused(store: &impl Store, design: &Design) -> (Vec<(String, u64)>, String) {
    let plan = planned(store, design);
    assert!(!plan.is_empty() && !plan.to_string().contains("nothing to do"), "{plan}");
    let indexes = || store.describe_table("support-dev").wait().unwrap().unwrap().shape.indexes;
    let before = indexes();
    let error = plan.run(store, &mut |_| {}).wait().unwrap_err();
    assert_eq!(indexes(), before, "nothing is done");
    match &error {
        ApplyError::Outdated(outdated) => {
            let text = error.to_string();
            for reason in outdated.iter().flat_map(|one| &one.reasons) {
                assert!(
                    text.contains(reason.as_str()) && plan.to_string().contains(reason.as_str()),
                    "{text}"
                );
            }
            (outdated.iter().map(|one| (one.entity.clone(), one.items)).collect(), text)
        }
        other => panic!("{other}"),
    }
}

pub(super) fn warned(store: &impl Store, design: &Design, pattern: &str) -> String {
    warnings(design, "dev", store, &design.pattern(pattern).unwrap().entities()).wait().join("\n")
}

const WITH_EMAILS: [(&str, &str); 3] = [
    ("[entity.Agent]\n", "[entity.Agent]\nGSI4 = [\"EMAIL#{email}\", \"AGENT\"]\n"),
    (
        "GSI1 = [\"GSI1PK\", \"GSI1SK\"]\n",
        "GSI1 = [\"GSI1PK\", \"GSI1SK\"]\nGSI4 = [\"GSI4PK\", \"GSI4SK\"]\n",
    ),
    ("[pattern.queue]", "[pattern.agent_by_email]\nquery = \"Agent\"\non = \"GSI4\"\n\n[pattern.queue]"),
];

pub(crate) fn a_new_index_entry_names_the_items_that_lack_it(store: &impl Store) {
    let (old, new) = (load(DESIGN), changed(&WITH_EMAILS));
    apply(store, &old);
    save_agents(store, &old);
    save_tickets(store, &old);
    let (entities, text) = refused(store, &new);
    assert_eq!(entities, [("Agent".to_owned(), 3)]);
    assert!(text.contains("3 items of Agent in support-dev are outdated"), "{text}");
    assert!(text.contains("GSI4: `GSI4PK` = `EMAIL#{email}`, `GSI4SK` = `AGENT`"), "{text}");
    assert!(text.contains("--accept-outdated"), "{text}");
    assert!(warned(store, &new, "agent_by_email").contains("apply this one first"));

    apply_outdated(store, &new);
    let again = planned(store, &new);
    assert!(again.steps.is_empty() && again.to_string().contains("outdated, and accepted"), "{again}");
    again.run(store, &mut |_| {}).wait().unwrap();
    let warning = warned(store, &new, "get_agent");
    assert!(warning.contains("3 items of Agent"), "still outdated");
    assert!(warning.contains("Until they are written again, patterns may miss them"), "{warning}");
    assert_eq!(warned(store, &new, "queue"), "");

    save_agents(store, &new);
    apply(store, &new);
    assert_eq!(warned(store, &new, "get_agent"), "");
    let found = run(store, &new, "agent_by_email", &[("email", Json::from("2@example.com"))]);
    assert!(found.to_string().contains("\"agent_id\":\"2\""), "{found}");
}

pub(crate) fn a_changed_template_is_refused_with_both_templates(store: &impl Store) {
    let (old, new) = (load(DESIGN), changed(&[("{priority}#", "{priority:02}#")]));
    apply(store, &old);
    save_tickets(store, &old);
    let (entities, text) = refused(store, &new);
    // The key of the ticket with priority 10 is the same in both.
    assert_eq!(entities, [("Ticket".to_owned(), 1)]);
    assert!(text.contains("1 item of Ticket in support-dev is outdated"), "{text}");
    let reason = "`GSI1SK` in the index GSI1: `{priority}#{ticket_id}` -> `{priority:02}#{ticket_id}`";
    assert!(text.contains(reason), "{text}");
}

pub(crate) fn another_key_template_is_refused_while_there_are_items(store: &impl Store) {
    let (old, new) = (load(DESIGN), changed(&[("TICKET#{ticket_id}", "T#{ticket_id}")]));
    apply(store, &old);
    apply(store, &new);
    apply(store, &old);
    save_tickets(store, &old);
    let (entities, text) = refused(store, &new);
    assert_eq!(entities, [("Ticket".to_owned(), 2)]);
    assert!(text.contains("`PK`: `TICKET#{ticket_id}` -> `T#{ticket_id}`"), "{text}");
}

pub(crate) fn changes_that_touch_no_item_are_applied(store: &impl Store) {
    let old = load(DESIGN);
    apply(store, &old);
    save_agents(store, &old);
    save_tickets(store, &old);
    for change in [
        ("design = ", "# A comment.\ndesign = "),
        ("email = \"string\"", "email = \"string\", phone = { type = \"string\", optional = true }"),
        ("[pattern.get_agent]", "[pattern.delete_agent]\ndelete = \"Agent\"\n\n[pattern.get_agent]"),
        (
            "[entity.Agent]",
            "[entity.Note]\nkey = [\"NOTE#{id}\", \"NOTE\"]\nfields = { id = \"key\" }\n\n[entity.Agent]",
        ),
    ] {
        apply(store, &changed(&[change]));
        apply(store, &old);
    }
}

pub(crate) fn a_design_that_goes_back_finds_its_items_again(store: &impl Store) {
    let (old, new) = (load(DESIGN), changed(&[("{priority}#", "{priority:02}#")]));
    apply(store, &old);
    save_tickets(store, &old);
    apply_outdated(store, &new);
    apply(store, &old);
    assert_eq!(warned(store, &old, "queue"), "");
}

pub(crate) fn a_new_unique_field_names_the_items_that_reserved_nothing(store: &impl Store) {
    let (old, new) =
        (load(DESIGN), changed(&[("[entity.Agent]\n", "[entity.Agent]\nunique = [\"email\"]\n")]));
    apply(store, &old);
    save_agents(store, &old);
    let (entities, text) = refused(store, &new);
    assert_eq!(entities, [("Agent".to_owned(), 3)]);
    assert!(text.contains("`email` must be unique now"), "{text}");
    apply_outdated(store, &new);
    // Written again, with the same values, they reserve them.
    save_agents(store, &new);
    apply(store, &new);
    let runner = Runner::new(Arc::clone(&new), store, "dev");
    let taken: Arguments = [("agent_id", "4"), ("email", "1@example.com")]
        .map(|(name, value)| (name.to_owned(), value.into()))
        .into();
    let refusal = runner.run("save_agent", &taken, &Paging::default()).wait().unwrap_err().to_string();
    assert!(refusal.contains("email"), "{refusal}");
}

const DELETE_AGENT: (&str, &str) =
    ("[pattern.get_agent]", "[pattern.delete_agent]\ndelete = \"Agent\"\n\n[pattern.get_agent]");
const UNIQUE_EMAIL: (&str, &str) = ("[entity.Agent]\n", "[entity.Agent]\nunique = [\"email\"]\n");

/// Saves an agent, or says why not.
fn try_agent(store: &impl Store, design: &Arc<Design>, id: &str, email: &str) -> Result<(), String> {
    let values: Arguments =
        [("agent_id", id), ("email", email)].map(|(name, value)| (name.to_owned(), value.into())).into();
    let runner = Runner::new(Arc::clone(design), store, "dev");
    let saved = runner.run("save_agent", &values, &Paging::default()).wait();
    saved.map(|_| ()).map_err(|error| error.to_string())
}

/// Applies a design that frees reserved values, and returns the step that does so.
#[track_caller]
fn freed(store: &impl Store, design: &Design) -> String {
    let plan = planned(store, design);
    let step = plan.steps.iter().map(ToString::to_string).find(|step| step.starts_with("free "));
    assert!(plan.outdated.is_empty(), "{plan}");
    plan.run(store, &mut |_| {}).wait().unwrap();
    assert!(planned(store, design).is_empty());
    step.unwrap_or_else(|| panic!("{plan}"))
}

pub(crate) fn values_that_nobody_freed_are_free_when_the_field_is_unique_again(store: &impl Store) {
    let (unique, plain) = (changed(&[DELETE_AGENT, UNIQUE_EMAIL]), changed(&[DELETE_AGENT]));
    apply(store, &unique);
    save_agents(store, &unique);
    assert!(planned(store, &plain).to_string().contains("`email` of Agent is not unique any more"));
    apply(store, &plain);
    run(store, &plain, "delete_agent", &[("agent_id", Json::from("1"))]);
    // The values of two others change place: one is free, and the other one belongs to another agent.
    try_agent(store, &plain, "2", "new@example.com").unwrap();
    let plan = planned(store, &unique);
    assert_eq!(plan.outdated.iter().map(|one| one.items).collect::<Vec<_>>(), [1], "{plan}");
    try_agent(store, &plain, "2", "2@example.com").unwrap();
    try_agent(store, &plain, "4", "1@example.com").unwrap();
    run(store, &plain, "delete_agent", &[("agent_id", Json::from("4"))]);

    let step = freed(store, &unique);
    assert!(step.starts_with("free 1 value of `email` in support-dev"), "{step}");
    try_agent(store, &unique, "5", "1@example.com").unwrap();
    assert!(try_agent(store, &unique, "6", "2@example.com").unwrap_err().contains("email"));
    assert!(try_agent(store, &unique, "6", "3@example.com").unwrap_err().contains("email"));
}

pub(crate) fn an_entity_with_unique_values_that_comes_back_has_none_reserved_for_gone_items(
    store: &impl Store,
) {
    let (unique, without) = (changed(&[UNIQUE_EMAIL, DELETE_AGENT]), changed(&[DELETE_AGENT]));
    apply(store, &unique);
    save_agents(store, &unique);
    apply(store, &without);
    for id in ["1", "2", "3"] {
        run(store, &without, "delete_agent", &[("agent_id", Json::from(id))]);
    }
    let renamed = changed(&[("entity.Agent", "entity.Person"), ("\"Agent\"", "\"Person\"")]);
    apply(store, &renamed);
    let step = freed(store, &unique);
    assert!(step.starts_with("free 3 values"), "{step}");
    try_agent(store, &unique, "9", "1@example.com").unwrap();
}

pub(crate) fn an_entity_that_no_longer_expires_names_the_items_that_still_do(store: &impl Store) {
    let with_ttl = [
        ("key  = [\"PK\", \"SK\"]\n", "key  = [\"PK\", \"SK\"]\nttl  = \"gone_at\"\n"),
        ("[entity.Agent]\n", "[entity.Agent]\nttl = \"100 days after seen_at\"\n"),
        (
            "agent_id = \"key\"",
            "agent_id = \"key\", seen_at = { type = \"time\", default = \"2100-01-01T00:00:00Z\" }",
        ),
    ];
    let (old, new) = (changed(&with_ttl), changed(&[with_ttl[0], with_ttl[2]]));
    apply(store, &old);
    save_agents(store, &old);
    let (entities, text) = refused(store, &new);
    assert_eq!(entities, [("Agent".to_owned(), 3)]);
    assert!(text.contains("the time to live: `gone_at = seen_at + 8640000 s` -> `none`"), "{text}");

    // Items that have expired are as good as deleted.
    let past = with_ttl[2].1.replace("2100", "2000");
    let (old, new) = (
        changed(&[with_ttl[0], with_ttl[1], (with_ttl[2].0, &past)]),
        changed(&[with_ttl[0], (with_ttl[2].0, &past)]),
    );
    apply(store, &old);
    save_agents(store, &old);
    apply(store, &new);
}

pub(crate) fn an_entity_that_is_gone_or_renamed_keeps_its_items_in_sight(store: &impl Store) {
    let old = load(DESIGN);
    apply(store, &old);
    save_agents(store, &old);
    let renamed = changed(&[("entity.Agent", "entity.Person"), ("\"Agent\"", "\"Person\"")]);
    let (entities, text) = refused(store, &renamed);
    assert_eq!(entities, [("Agent".to_owned(), 3)]);
    assert!(text.contains("no longer has this entity"), "{text}");
    // With the type that its items have, it is the same entity under another name.
    let same_type = changed(&[
        ("entity.Agent]\n", "entity.Person]\ntype = \"Agent\"\n"),
        ("t = \"Agent\"", "t = \"Person\""),
    ]);
    apply(store, &same_type);
}

pub(crate) fn items_of_an_unknown_design_are_compared_with_what_the_design_makes(store: &impl Store) {
    let (old, new) = (load(DESIGN), changed(&WITH_EMAILS));
    apply(store, &old);
    save_agents(store, &old);
    save_tickets(store, &old);
    // As in a folder from before designs were remembered.
    store.change_table(&TableChange::Delete { table: DESIGNS_TABLE.to_owned() }).wait().unwrap();
    let (entities, text) = refused(store, &new);
    assert_eq!(entities, [("Agent".to_owned(), 3)]);
    assert!(text.contains("`GSI4PK`, `GSI4SK`: missing"), "{text}");
    apply(store, &old);
}

pub(crate) fn imported_items_without_a_type_are_counted(store: &impl Store) {
    let design = load(DESIGN);
    apply(store, &design);
    save_agents(store, &design);
    save_tickets(store, &design);
    let table = || "support-dev".to_owned();
    let scan =
        Scan { table: table(), index: None, filter: None, projection: None, limit: None, start_key: None };
    // As after an import: nothing is known about a design, and most items have no type.
    store.change_table(&TableChange::Delete { table: DESIGNS_TABLE.to_owned() }).wait().unwrap();
    let put = |item: Item| {
        let put = PutItem { table: table(), item, condition: None, returned: ReturnItem::None };
        store.put(put).wait().unwrap();
    };
    for item in store.scan(scan).wait().unwrap().items {
        let mut item = item.decode().unwrap();
        if item.get("agent_id") != Some(&"3".into()) {
            item.remove("type");
        }
        put(item);
    }
    put(Item::from([("PK", "CONFIG"), ("SK", "CONFIG")]));

    let (entities, text) = refused(store, &design);
    assert_eq!(entities, [("Agent".to_owned(), 2), ("Ticket".to_owned(), 2)]);
    let advice = "2 of them have no type attribute `type`, so `get` finds them, but lists and scans leave them out: set \
                  it to `Agent`, or put the items again";
    assert!(text.contains(advice) && !text.contains("missing, or not"), "{text}");
    let plan = planned(store, &design).to_string();
    assert!(plan.contains("1 item has no type attribute `type`, and no entity makes the same key"), "{plan}");
    apply_outdated(store, &design);
    save_agents(store, &design);
    save_tickets(store, &design);
    apply(store, &design);
}

pub(crate) fn of_two_applies_at_once_one_is_refused(store: &impl Store) {
    let (old, new) = (load(DESIGN), changed(&WITH_EMAILS));
    apply(store, &old);
    let (one, other) = (planned(store, &new), planned(store, &new));
    one.run(store, &mut |_| {}).wait().unwrap();
    let error = other.run(store, &mut |_| {}).wait().unwrap_err();
    assert!(matches!(&error, ApplyError::Concurrent { table, .. } if table == "support-dev"), "{error}");
    apply(store, &new);
}

pub(crate) fn a_deleted_table_is_forgotten(store: &impl Store) {
    let (old, new) = (load(DESIGN), changed(&[("{priority}#", "{priority:02}#")]));
    apply(store, &old);
    save_tickets(store, &old);
    let settings = TableSettings { removal: Some(Removal::Delete), ..TableSettings::default() };
    let environment = Environment { settings, ..environment(&old) };
    plan_removal(&old, &environment, store).wait().unwrap().run(store, &mut |_| {}).wait().unwrap();
    let table = DESIGNS_TABLE.to_owned();
    let scan = Scan { table, index: None, filter: None, projection: None, limit: None, start_key: None };
    assert!(store.scan(scan).wait().unwrap().items.is_empty());
    apply(store, &new);
}

pub(crate) fn a_table_of_the_same_name_as_singlets_own_is_refused(store: &impl Store) {
    let plan = planned(store, &changed(&[("support-{environment}", DESIGNS_TABLE)]));
    assert!(plan.obstacles.iter().any(|line| line.contains("choose another name")), "{plan}");
}
