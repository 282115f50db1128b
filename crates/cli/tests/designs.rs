//! Designs as a user of the command sees them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use support::{Serving, singlet};

const DESIGN: &str = r#"
design = "shop"

[environment.dev]
removal = "delete"
default = true
[environment.prod]
removal = "keep"

[table]
name = "shop-{environment}"
key  = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Order]
key  = ["CUSTOMER#{customer_id}", "ORDER#{order_id}"]
GSI1 = ["STATUS#{status}", "{order_id}"]

[entity.Order.fields]
customer_id = "key"
order_id    = "key"
status      = { type = "string", enum = ["new", "paid"], default = "new" }
total       = { type = "number", min = 0 }

[pattern.create_order]
create = "Order"

[pattern.get_order]
get = "Order"

[pattern.customer_orders]
query = "Order"
limit = 2

[pattern.orders_by_status]
query = "Order"
on    = "GSI1"
"#;

/// A folder with a design and room for data.
struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    fn new() -> Workplace {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("shop.toml"), DESIGN).unwrap();
        Workplace { folder }
    }

    /// With the tables made.
    fn applied() -> Workplace {
        let place = Workplace::new();
        place.fine(&["apply", "shop.toml"]);
        place
    }

    /// Runs a command here, without settings from outside.
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = singlet(arguments);
        for variable in [
            "AWS_ENDPOINT_URL",
            "AWS_ENDPOINT_URL_DYNAMODB",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_PROFILE",
            "AWS_REGION",
            "AWS_DEFAULT_REGION",
            "SINGLET_CURSOR_KEY",
        ] {
            command.env_remove(variable);
        }
        command.current_dir(self.folder.path()).env("HOME", self.folder.path()).output().unwrap()
    }

    /// The output of a command that must succeed with this standard input.
    #[track_caller]
    fn piped(&self, input: &str, arguments: &[&str]) -> String {
        let mut process = singlet(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}\n{}", text(&output.stderr));
        text(&output.stdout)
    }

    /// The output of a command that must succeed.
    #[track_caller]
    fn fine(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, error) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{arguments:?}\n{out}\n{error}");
        out
    }

    /// The output of a command that must fail with this exit code.
    #[track_caller]
    fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}\n{error}", text(&output.stdout));
        assert!(error.starts_with("error: ") && !error.contains("panicked"), "{error}");
        error
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_order(&self, order: &str) {
        let order_id = format!("order_id={order}");
        self.fine(&["run", "shop.toml", "create_order", "customer_id=7", &order_id, "total=9.50"]);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_well_formed_design_is_counted_and_a_wrong_one_is_shown_with_its_line() {
    let place = Workplace::new();
    let said = place.fine(&["check", "shop.toml"]);
    assert_eq!(said, "shop.toml: shop is well-formed: 1 table, 1 entity, 4 patterns\n");

    std::fs::write(
        place.path("wrong.toml"),
        DESIGN.replace("query = \"Order\"\nlimit", "query = \"Ordre\"\nlimit"),
    )
    .unwrap();
    let output = place.run(&["check", "shop.toml", "wrong.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("shop.toml: shop is well-formed"));
    let error = text(&output.stderr);
    assert!(error.contains("wrong.toml") && error.contains("Ordre") && error.contains("Order"), "{error}");
    assert_eq!(place.run(&["check", "missing.toml"]).status.code(), Some(2));
}

#[test]
fn a_design_is_formatted_and_upgraded_and_its_comments_stay() {
    let place = Workplace::new();
    let source = "\
# A list.
design = \"list\"
about = \"Things\" # for people
[table]
key = \"id\"
[entity.Thing.fields]
id = \"key\"
owner = {ref=\"Thing\",type=\"key\"}
";
    let write = |text: &str| std::fs::write(place.path("list.toml"), text).unwrap();
    let read = || std::fs::read_to_string(place.path("list.toml")).unwrap();
    write(source);
    let error = place.fails(1, &["fmt", "list.toml", "--check"]);
    assert!(error.contains("1 of 1 designs would change"), "{error}");
    assert_eq!(read(), source);
    assert_eq!(place.fine(&["fmt", "list.toml"]), "list.toml: formatted\n");
    let formatted = "\
# A list.
design = \"list\"
about  = \"Things\" # for people
[table]
key = \"id\"
[entity.Thing.fields]
id    = \"key\"
owner = { type = \"key\", ref = \"Thing\" }
";
    assert_eq!(read(), formatted);
    assert_eq!(place.fine(&["fmt", "list.toml"]), "");

    let note = text(&place.run(&["check", "list.toml"]).stderr);
    assert!(note.contains("list.toml: `type = \"key\"` isn't needed beside `ref` (once)"), "{note}");
    assert_eq!(place.fine(&["fmt", "--upgrade", "list.toml"]), "list.toml: formatted; 1 old word replaced\n");
    assert_eq!(read(), formatted.replace("type = \"key\", ref", "ref"));
    assert_eq!(text(&place.run(&["check", "list.toml"]).stderr), "");

    write("design = list\n");
    assert!(place.fails(2, &["fmt", "list.toml"]).contains("invalid TOML"));
}

#[test]
fn applying_says_what_it_does_and_does_it_once() {
    let place = Workplace::new();
    let said = place.fine(&["apply", "shop.toml", "--dry-run"]);
    assert!(said.contains("+ create the table shop-dev: key PK, SK"), "{said}");
    assert!(said.contains("index GSI1: key GSI1PK, GSI1SK") && !said.contains("done"), "{said}");
    assert!(place.fine(&["apply", "shop.toml"]).ends_with("done\n"));
    assert!(place.fine(&["apply", "shop.toml"]).contains("nothing to do"));

    std::fs::write(place.path("shop.toml"), DESIGN.replace("key  = [\"PK\"", "key  = [\"pk\"")).unwrap();
    let error = place.fails(1, &["apply", "shop.toml"]);
    assert!(error.contains("can't be changed"), "{error}");
}

#[test]
fn tables_go_only_where_the_environment_lets_them_and_after_a_yes() {
    let place = Workplace::applied();
    place.fine(&["apply", "shop.toml", "--environment", "prod"]);
    let kept = place.fine(&["apply", "shop.toml", "--environment", "prod", "--remove", "--yes"]);
    assert!(kept.contains("shop-prod stays"), "{kept}");
    let error = place.fails(1, &["apply", "shop.toml", "--remove"]);
    assert!(error.contains("--yes"), "{error}");
    assert!(place.fine(&["apply", "shop.toml", "--remove", "--yes"]).contains("- delete the table shop-dev"));
    let error = place.fails(1, &["run", "shop.toml", "get_order", "customer_id=7", "order_id=1"]);
    assert!(error.contains("there is no table shop-dev"), "{error}");
    let error = place.fails(2, &["apply", "shop.toml", "--environment", "test"]);
    assert!(error.contains("dev, prod"), "{error}");
}

#[test]
fn a_demo_in_dev_can_be_thrown_away() {
    let place = Workplace::new();
    let (head, tail) = DESIGN.split_once("[environment.dev]").unwrap();
    let tail = tail.split_once("[table]").unwrap().1;
    std::fs::write(place.path("shop.toml"), format!("{head}[table]{tail}")).unwrap();
    assert!(!place.fine(&["apply", "shop.toml"]).contains("protected"));
    place.write_order("1");
    assert!(place.fails(1, &["apply", "shop.toml", "--remove"]).contains("--yes"));
    assert!(place.fine(&["apply", "shop.toml", "--remove", "--yes"]).contains("- delete the table shop-dev"));
    place.fine(&["apply", "shop.toml", "--environment", "prod"]);
    let kept = place.fine(&["apply", "shop.toml", "--environment", "prod", "--remove", "--yes"]);
    assert!(kept.contains("shop-prod stays") && kept.contains("[environment.prod]"), "{kept}");
}

#[test]
fn an_index_is_deleted_only_after_a_yes() {
    let place = Workplace::applied();
    let design = DESIGN
        .replace("[index]\nGSI1 = [\"GSI1PK\", \"GSI1SK\"]", "")
        .replace("GSI1 = [\"STATUS#{status}\", \"{order_id}\"]", "");
    let (design, _) = design.split_once("[pattern.orders_by_status]").unwrap();
    std::fs::write(place.path("shop.toml"), design).unwrap();
    let output = place.run(&["apply", "shop.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let (said, error) = (text(&output.stdout), text(&output.stderr));
    assert!(said.contains("- delete the index GSI1 of shop-dev"), "{said}");
    assert!(error.contains("nothing was done") && error.contains("--yes"), "{error}");
    let error = place.fails(1, &["serve", "--address", "127.0.0.1:0", "shop.toml"]);
    assert!(error.contains("delete the index GSI1 of shop-dev"), "{error}");
    assert!(place.fine(&["apply", "shop.toml", "--dry-run"]).contains("- delete the index GSI1"));
    assert!(place.fine(&["apply", "shop.toml", "--yes"]).ends_with("done\n"));
}

#[test]
fn items_that_a_design_would_not_find_stop_it_until_they_are_accepted() {
    let place = Workplace::applied();
    place.write_order("1");
    std::fs::write(place.path("shop.toml"), DESIGN.replace("STATUS#{status}", "ST#{status}")).unwrap();
    let run = ["run", "shop.toml", "orders_by_status", "status=new"];
    assert!(text(&place.run(&run).stderr).contains("apply this one first"));
    for arguments in
        [&["apply", "shop.toml"][..], &["serve", "--address", "127.0.0.1:0", "--log", "off", "shop.toml"]]
    {
        let error = place.fails(1, arguments);
        assert!(error.contains("1 item of Order in shop-dev is outdated"), "{error}");
        assert!(error.contains("`STATUS#{status}` -> `ST#{status}`"), "{error}");
        assert!(error.contains("--accept-outdated"), "{error}");
    }
    let dry = place.run(&["apply", "shop.toml", "--dry-run"]);
    assert_eq!(dry.status.code(), Some(1), "a dry run of a plan that is refused fails too");
    assert!(text(&dry.stdout).contains("1 item of Order") && text(&dry.stderr).contains("--accept-outdated"));
    place.fine(&["apply", "shop.toml", "--dry-run", "--accept-outdated"]);
    place.fine(&["apply", "shop.toml", "--accept-outdated"]);
    assert!(place.fine(&["apply", "shop.toml"]).contains("outdated, and accepted"));
    let warned = text(&place.run(&run).stderr);
    assert!(warned.starts_with("warning: 1 item of Order in shop-dev is outdated"), "{warned}");
    let server = Serving::start(&[
        "--data",
        place.path("singlet-data").to_str().unwrap(),
        place.path("shop.toml").to_str().unwrap(),
    ]);
    let address = format!("http://{}", server.address);
    let there = ["apply", "shop.toml", "--endpoint-url", &address];
    assert!(place.fine(&there).contains("outdated, and accepted"), "the server has the same memory");
}

#[test]
fn patterns_run_and_pages_go_on_from_command_to_command() {
    let place = Workplace::applied();
    for order in ["1", "2", "3"] {
        place.write_order(order);
    }
    let order = place.fine(&["run", "shop.toml", "get_order", "customer_id=7", "order_id=2"]);
    assert_eq!(order, "{\"customer_id\":\"7\",\"order_id\":\"2\",\"status\":\"new\",\"total\":9.5}\n");

    let first = place.fine(&["run", "shop.toml", "customer_orders", "customer_id=7", "--table"]);
    assert!(
        first.starts_with("customer_id  order_id  status  total\n7            1         new     9.5\n"),
        "{first}"
    );
    let cursor = first.lines().last().unwrap().strip_prefix("more: --cursor ").unwrap();
    let page = ["run", "shop.toml", "customer_orders", "customer_id=7", "--cursor", cursor];
    let second = place.fine(&page);
    assert!(second.contains("\"order_id\":\"3\"") && !second.contains("cursor"), "{second}");
    let error = place.fails(2, &["run", "shop.toml", "customer_orders", "customer_id=8", "--cursor", cursor]);
    assert!(error.contains("cursor"), "{error}");
}

#[test]
fn refusals_and_wrong_arguments_have_their_own_exit_codes() {
    let place = Workplace::applied();
    place.write_order("1");
    let again = ["run", "shop.toml", "create_order", "customer_id=7", "order_id=1", "total=1"];
    assert!(place.fails(1, &again).contains("is there already"));
    for (arguments, hint) in [
        (&["get_ordr", "customer_id=7"][..], "did you mean `get_order`"),
        (&["nope"], "`singlet patterns shop.toml` lists all of them"),
        (&["get_order", "customer_id=7"], "`order_id` is missing: an id"),
        (&["get_order", "customer_id=7", "order_id=1", "x=1"], "`x` isn't a parameter of get_order"),
        (&["get_order", "x=1"], "`singlet run shop.toml get_order --help` shows its parameters"),
        (&["get_order", "customer_id"], "NAME=VALUE"),
        (
            &["create_order", "customer_id=7", "order_id=2", "total=much"],
            "`total` must be a number of at least 0, not `much`",
        ),
        (&["get_order", "customer_id=7", "customer_id=8", "order_id=1"], "twice"),
        (&["get_order", "customer_id=@nowhere.txt", "order_id=1"], "nowhere.txt"),
    ] {
        let arguments: Vec<&str> = ["run", "shop.toml"].iter().chain(arguments).copied().collect();
        let error = place.fails(2, &arguments);
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn all_wrong_parameters_are_reported_before_anything_is_opened() {
    let place = Workplace::new();
    let error = place.fails(
        2,
        &["run", "shop.toml", "create_order", "customer=7", "order_id:={", "total=abc", "status=lost"],
    );
    for part in [
        "4 parameters of create_order are wrong:\n",
        "`customer` isn't a parameter of create_order; did you mean `customer_id`?\n",
        "`order_id` must be JSON after `:=`: expected a name in double quotes at column 2, where the text ends\n",
        "`total` must be a number of at least 0, not `abc`\n",
        "`status` must be one of `new`, `paid`, not `lost`\n",
    ] {
        assert!(error.contains(part), "{part}{error}");
    }
}

#[test]
fn values_come_from_a_json_object_and_arguments_win() {
    let place = Workplace::applied();
    let input = r#"{"customer_id": "7", "order_id": "1", "total": 5}"#;
    std::fs::write(place.path("order.json"), input).unwrap();
    let create = ["run", "shop.toml", "create_order", "--input", "order.json", "order_id=2", "status=@@x"];
    assert!(place.fails(2, &create).contains("not `@x`"));
    let order = place.fine(&create[..6]);
    assert_eq!(order, "{\"customer_id\":\"7\",\"order_id\":\"2\",\"status\":\"new\",\"total\":5}\n");
    let order = place.piped(input, &["run", "shop.toml", "create_order", "--input", "-"]);
    assert!(order.contains("\"order_id\":\"1\""), "{order}");
    let order =
        place.piped("3", &["run", "shop.toml", "create_order", "customer_id=7", "total=1", "order_id=@-"]);
    assert!(order.contains("\"order_id\":\"3\""), "{order}");
    let twice = ["run", "shop.toml", "create_order", "customer_id=@-", "order_id=@-"];
    assert!(place.fails(2, &twice).contains("for both `customer_id` and `order_id`"));
}

#[test]
fn input_that_is_not_a_json_object_is_refused_with_its_place() {
    let place = Workplace::new();
    for (text, said) in [
        (
            "{\n  \"customer_id\": \"7\",\n  total: 5\n}",
            "order.json, line 3, column 3: expected a name in double quotes",
        ),
        ("[1]", "order.json must hold a JSON object such as {\"name\": \"value\"}, not a list"),
        ("{\"customer_id\": \"7\", \"order_id\": 1, \"total\": 5}", "`order_id` must be an id, not `1`"),
    ] {
        std::fs::write(place.path("order.json"), text).unwrap();
        let error = place.fails(2, &["run", "shop.toml", "create_order", "--input", "order.json"]);
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn patterns_are_listed_with_their_parameters() {
    let place = Workplace::new();
    let all = place.fine(&["patterns", "shop.toml"]);
    for part in [
        "create_order\n",
        "    customer_id  required  an id\n",
        "    total        required  a number of at least 0\n",
        "    status       optional  one of `new`, `paid`; default `new`\n",
        "  request    Query by PK = CUSTOMER#{customer_id} and begins_with(SK, ORDER#)\n",
        "  page       2 items; --limit 1 to 1000, --cursor for another page\n",
        "  returns    one Order, or null if it isn't there\n",
        "  example    singlet run shop.toml get_order customer_id=1 order_id=1\n",
    ] {
        assert!(all.contains(part), "{part}{all}");
    }
    assert!(all.lines().all(|line| line.chars().count() <= 100), "{all}");
    let one = place.fine(&["run", "shop.toml", "get_order", "--help"]);
    assert_eq!(one, place.fine(&["patterns", "shop.toml", "get_order"]));
    let short = place.fine(&["run", "shop.toml"]);
    assert!(short.contains("  create_order customer_id order_id [status] total\n"), "{short}");
    let json = place.fine(&["patterns", "shop.toml", "create_order", "--format", "json"]);
    assert!(
        json.contains(r#"{"name":"status","type":"string","accepts":"one of `new`, `paid`","required":false,"default":"new","choices":["new","paid"]}"#),
        "{json}"
    );
    let help = place.fine(&["run", "--help"]);
    assert!(help.contains("Usage: singlet run") && help.contains("--input <FILE>"), "{help}");
}

#[test]
fn values_come_from_words_files_and_json() {
    let place = Workplace::applied();
    std::fs::write(place.path("id.txt"), "from a file").unwrap();
    place.fine(&["run", "shop.toml", "create_order", "customer_id=7", "order_id=@id.txt", "total:=12"]);
    let order = place.fine(&["run", "shop.toml", "get_order", "customer_id=7", "order_id:=\"from a file\""]);
    assert!(order.contains("\"total\":12"), "{order}");
}

#[test]
fn an_explanation_shows_requests_and_costs_and_writes_nothing() {
    let place = Workplace::new();
    let call = ["customer_id=7", "order_id=1", "total=1", "--in-memory"];
    let arguments: Vec<&str> =
        ["explain", "shop.toml", "create_order"].iter().chain(&call).copied().collect();
    let said = place.fine(&arguments);
    assert!(said.starts_with("1. PutItem: predicted 2 write units (1 of GSI1), not done\n"), "{said}");
    assert!(said.contains("attribute_not_exists") && said.contains("\"S\": \"CUSTOMER#7\""), "{said}");
    assert!(!place.path("singlet-data").exists());

    let said =
        place.fine(&["explain", "shop.toml", "orders_by_status", "status=new", "--in-memory", "--json"]);
    assert!(said.starts_with("[{\"operation\":\"Query\",\"request\":{\"TableName\":\"shop-dev\""), "{said}");
    assert!(said.contains("\"IndexName\":\"GSI1\"") && said.contains("\"used\":{\"read\":0.5"), "{said}");
}

#[test]
fn a_folder_without_data_is_not_made_by_reading() {
    let place = Workplace::new();
    let error = place.fails(1, &["run", "shop.toml", "get_order", "customer_id=7", "order_id=1"]);
    assert!(error.contains("singlet apply FILE"), "{error}");
    assert!(place.fine(&["apply", "shop.toml", "--dry-run"]).contains("create the table shop-dev"));
    assert!(!place.path("singlet-data").exists());
}

#[test]
fn a_folder_that_a_server_holds_is_named_with_the_way_out() {
    let place = Workplace::applied();
    let server = Serving::on(&place.path("singlet-data"));
    let address = format!("http://{}", server.address);
    let error = place.fails(1, &["run", "shop.toml", "get_order", "customer_id=7", "order_id=1"]);
    assert!(error.contains("singlet-data"), "{error}");
    assert!(error.contains(&format!("`--endpoint-url {address}`")), "{error}");
    let error = place.fails(1, &["backups"]);
    assert!(error.contains(&format!("aws dynamodb list-backups --endpoint-url {address}")), "{error}");
    let error = place.fails(1, &["serve", "--address", "127.0.0.1:0"]);
    assert!(error.contains(&format!("use its address {address}")), "{error}");

    // The printed command works as it is, without credentials or a region from outside.
    place.fine(&["seed", "shop.toml", "--items", "20", "--endpoint-url", &address]);
    assert!(server.terminate().success());
    assert!(!place.path("singlet-data").join("endpoint").exists());
}

#[test]
fn every_command_works_through_a_server() {
    let place = Workplace::new();
    let server = Serving::on(&place.path("singlet-data"));
    let address = format!("http://{}", server.address);
    let there = ["--endpoint-url", &address];
    let at = |arguments: &[&'static str]| arguments.iter().copied().chain(there).collect::<Vec<_>>();
    place.fine(&["check", "shop.toml"]);
    assert!(place.fine(&["describe", "shop.toml"]).contains("Order"));
    assert!(place.fine(&at(&["apply", "shop.toml", "--dry-run"])).contains("create the table shop-dev"));
    assert!(place.fine(&at(&["apply", "shop.toml"])).ends_with("done\n"));
    assert!(place.fine(&at(&["apply", "shop.toml"])).contains("nothing to do"));
    assert!(place.fine(&at(&["seed", "shop.toml", "--items", "20"])).contains("20 items written"));
    place.fine(&at(&["run", "shop.toml", "create_order", "customer_id=7", "order_id=1", "total=9.50"]));
    let said = place.fine(&at(&["explain", "shop.toml", "get_order", "customer_id=7", "order_id=1"]));
    assert!(said.contains("GetItem") && said.contains("used 0.5 read units"), "{said}");
    assert!(place.fine(&at(&["apply", "shop.toml", "--remove", "--yes"])).contains("delete the table"));
}

#[test]
fn a_server_makes_the_tables_of_its_designs_before_it_answers() {
    let place = Workplace::new();
    let design = place.path("shop.toml");
    let server = Serving::start(&["--in-memory", design.to_str().unwrap()]);
    assert!(server.call("DescribeTable", r#"{"TableName":"shop-dev"}"#).contains("GSI1"));

    let wrong: &Path = &place.path("wrong.toml");
    std::fs::write(wrong, "design = 1").unwrap();
    let output = place.run(&["serve", "--in-memory", "--address", "127.0.0.1:0", "wrong.toml"]);
    assert_eq!(output.status.code(), Some(2));
}

/// The answer to a GET as a browser sends it.
fn visit(server: &Serving, path: &str) -> String {
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    answer
}

#[test]
fn a_server_has_the_console_and_the_api_of_its_designs() {
    let place = Workplace::new();
    let design = place.path("shop.toml");
    let design = design.to_str().unwrap();
    let server = Serving::start(&["--in-memory", design]);
    assert!(visit(&server, "/").contains("location: /console/"));
    for page in [
        "/console/",
        "/console/shop/",
        "/console/shop/patterns/get_order/",
        "/console/shop/data/entity/Order/",
    ] {
        let answer = visit(&server, page);
        assert!(answer.starts_with("HTTP/1.1 200"), "{page}: {answer}");
    }
    let page = visit(&server, "/console/");
    let style =
        page.split("href=\"").find(|rest| rest.contains(".css\"")).unwrap().split('"').next().unwrap();
    assert!(visit(&server, style).starts_with("HTTP/1.1 200"), "{style}");
    assert!(visit(&server, "/console/nothing/").starts_with("HTTP/1.1 404"));
    assert!(visit(&server, "/shop").starts_with("HTTP/1.1 200"));

    let without = Serving::start(&["--in-memory", "--console", "off", design]);
    assert!(visit(&without, "/console/").starts_with("HTTP/1.1 404"));
    assert!(visit(&without, "/").contains("healthy"));
}

#[test]
fn derived_data_is_filled_by_apply_and_not_by_commands_that_read() {
    let place = Workplace::new();
    let customers = "[entity.Customer]\nkey = [\"CUSTOMER#{customer_id}\", \"PROFILE\"]\n[entity.Customer.fields]\ncustomer_id = \"key\"\norders = { type = \"int\", count = \"Order\" }\n[pattern.create_customer]\ncreate = \"Customer\"\n[pattern.get_customer]\nget = \"Customer\"\n";
    std::fs::write(place.path("shop.toml"), format!("{DESIGN}{customers}")).unwrap();
    let run = |words: &[&str]| {
        let output = place.run(words);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert!(run(&["apply", "shop.toml"]).0.contains("derive from the items that are there: Customer.orders"));
    run(&["run", "shop.toml", "create_customer", "customer_id=a"]);
    run(&["run", "shop.toml", "create_order", "customer_id=a", "order_id=1", "total=1"]);
    let get = ["run", "shop.toml", "get_customer", "customer_id=a"];
    assert!(run(&get).0.contains("\"orders\":1"));

    // An edited rule changes nothing before it is applied.
    let paid = customers.replace("count = \"Order\"", "count = \"Order\", filter = \"status = 'paid'\"");
    std::fs::write(place.path("shop.toml"), format!("{DESIGN}{paid}")).unwrap();
    let (answer, warning) = run(&get);
    assert!(
        answer.contains("\"orders\":1") && warning.contains("apply the design first"),
        "{answer} {warning}"
    );
    assert!(run(&["apply", "shop.toml", "--dry-run"]).0.contains("Customer.orders"));
    assert!(run(&get).0.contains("\"orders\":1"));
    run(&["apply", "shop.toml"]);
    assert!(run(&get).0.contains("\"orders\":0"));
    assert!(run(&["audit", "shop.toml"]).0.contains("nothing differs"));
}

#[test]
fn the_same_file_runs_on_a_server() {
    let place = Workplace::new();
    let server = Serving::start(&["--in-memory"]);
    let address = format!("http://{}", server.address);
    let there = ["--endpoint-url", &address];
    let at = |arguments: &[&'static str]| arguments.iter().copied().chain(there).collect::<Vec<_>>();
    assert!(place.fine(&at(&["apply", "shop.toml"])).contains(&address));
    for order_id in ["order_id=1", "order_id=2", "order_id=3"] {
        place.fine(&at(&["run", "shop.toml", "create_order", "customer_id=7", order_id, "total=9.50"]));
    }
    let page = place.fine(&at(&["run", "shop.toml", "customer_orders", "customer_id=7", "--table"]));
    let cursor = page.lines().last().unwrap().strip_prefix("more: --cursor ").unwrap();
    let mut next = at(&["run", "shop.toml", "customer_orders", "customer_id=7", "--cursor"]);
    next.insert(5, cursor);
    assert!(place.fine(&next).contains("\"order_id\":\"3\""));
    let said = place.fine(&at(&["explain", "shop.toml", "orders_by_status", "status=new"]));
    assert!(
        said.contains("predicted 0.5 read units (0.5 of GSI1), used 0.5 read units (0.5 of GSI1)"),
        "{said}"
    );
    drop(server);
    let error = place.fails(1, &at(&["run", "shop.toml", "customer_orders", "customer_id=7"]));
    assert!(error.contains(&address) && error.contains("Check"), "{error}");
}

/// Patterns that write the elements of lists.
const WALKS: &str = r#"
[pattern.pay_order]
update = "Order"
set    = { status = "paid" }
if     = "status = 'new'"

[pattern.delete_order]
delete = "Order"

[pattern.pay_first]
claim = { each = "order in orders_by_status", run = "pay_order" }

[pattern.create_orders]
bulk = { each = "order in orders", run = "create_order", with = { order_id = "{order.id}", total = "{order.total}" } }

[pattern.delete_orders]
bulk = { each = "order in customer_orders", run = "delete_order" }
"#;

#[test]
fn bulk_writes_run_to_the_end_and_claims_take_items_here_and_through_a_server() {
    let place = Workplace::new();
    std::fs::write(place.path("shop.toml"), format!("{DESIGN}{WALKS}")).unwrap();
    let orders: Vec<String> = (0..130).map(|id| format!("{{\"id\":\"{id:03}\",\"total\":1}}")).collect();
    std::fs::write(place.path("orders.json"), format!("[{}]", orders.join(","))).unwrap();
    let server = Serving::start(&["--in-memory"]);
    let address = format!("http://{}", server.address);
    for there in [vec![], vec!["--endpoint-url", &address]] {
        let at =
            |arguments: &[&'static str]| arguments.iter().copied().chain(there.clone()).collect::<Vec<_>>();
        place.fine(&at(&["apply", "shop.toml"]));
        let create = at(&["run", "shop.toml", "create_orders", "customer_id=7", "orders=@orders.json"]);
        assert_eq!(place.fine(&create), "{\"done\":130,\"failed\":[]}\n");
        // All of them are there already.
        let output = place.run(&create);
        assert_eq!(output.status.code(), Some(1));
        let (answer, error) = (text(&output.stdout), text(&output.stderr));
        assert!(answer.starts_with("{\"done\":0,\"failed\":[{\"element\":{\"id\":\"000\""), "{answer}");
        assert!(error.contains("error: 130 elements could not be written"), "{error}");

        let paid = place.fine(&at(&["run", "shop.toml", "pay_first", "status=new"]));
        assert!(paid.contains("\"order_id\":\"000\",\"status\":\"paid\""), "{paid}");
        let said = place.fine(&at(&["explain", "shop.toml", "pay_first", "status=new"]));
        assert!(said.contains("Query") && said.contains("UpdateItem") && said.contains("\"001\""), "{said}");
        let delete = at(&["run", "shop.toml", "delete_orders", "customer_id=7", "--limit", "40"]);
        assert_eq!(place.fine(&delete), "{\"done\":130,\"failed\":[]}\n");
        assert_eq!(place.fine(&at(&["run", "shop.toml", "pay_first", "status=new"])), "null\n");
    }
}
