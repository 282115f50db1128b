//! References that must exist, on every store.

use std::sync::Arc;

use singlet_design::Json;
use singlet_run::apply::{choose_environment, plan};
use singlet_run::{Arguments, Paging, RunError, Runner, Wait};
use singlet_store::Store;

const DESIGN: &str = r##"
design = "ratings"

[table]
key = ["PK", "SK"]

[entity.Product]
key = ["PRODUCT#{product_id}", "PRODUCT"]
[entity.Product.fields]
product_id = "id"

[entity.Rating]
key = ["RATING#{rating_id}", "RATING"]
[entity.Rating.fields]
rating_id  = "id"
product_id = { type = "key", ref = "Product", must_exist = true }

[pattern.offer]
create = "Product"
[pattern.withdraw]
delete = "Product"
[pattern.rate]
create = "Rating"
[pattern.rate_other]
update = "Rating"
set    = ["product_id"]
[pattern.rating]
get        = "Rating"
consistent = true
"##;

/// The answer of a pattern to these texts.
fn run(runner: &Runner<&impl Store>, pattern: &str, values: &[(&str, &str)]) -> Result<Json, RunError> {
    let values: Arguments =
        values.iter().map(|(name, text)| ((*name).to_owned(), Json::from(*text))).collect();
    runner.run(pattern, &values, &Paging::default()).wait().map(|outcome| outcome.to_json())
}

pub(crate) fn a_reference_is_checked_in_the_transaction_that_writes_it(store: &impl Store) {
    let design = singlet_design::load("ratings.toml", DESIGN).unwrap_or_else(|report| panic!("{report}"));
    let environment = choose_environment(&design, None).unwrap();
    plan(&design, &environment, store).wait().unwrap().run(store, &mut |_| {}).wait().unwrap();
    let runner = Runner::new(Arc::new(design), store, "dev");
    run(&runner, "offer", &[("product_id", "tea")]).unwrap();
    let said = |product: &str| format!("`product_id`: there is no Product `{product}`");
    let rate =
        |rating: &str, product: &str| run(&runner, "rate", &[("rating_id", rating), ("product_id", product)]);
    assert_eq!(rate("1", "rum").unwrap_err().to_string(), said("rum"));
    assert_eq!(run(&runner, "rating", &[("rating_id", "1")]).unwrap(), Json::Null);
    rate("1", "tea").unwrap();
    let other = [("rating_id", "1"), ("product_id", "rum")];
    assert_eq!(run(&runner, "rate_other", &other).unwrap_err().to_string(), said("rum"));
    run(&runner, "withdraw", &[("product_id", "tea")]).unwrap();
    assert_eq!(rate("2", "tea").unwrap_err().to_string(), said("tea"));
}
