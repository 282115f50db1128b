//! Ingredients of users, and the master list.

use singlet_design::Json;
use singlet_run::RunError;

use crate::arguments::{Look, args, column};
use crate::stage::Stage;

/// `Thịt gà` and `Phở bò` with each mark as a character of its own, as some keyboards and file systems write them.
const THIT_GA_DECOMPOSED: &str = "Thi\u{323}t ga\u{300}";
const PHO_BO_DECOMPOSED: &str = "Pho\u{31b}\u{309} bo\u{300}";

pub(crate) fn sc_05_a_users_ingredients_are_added_listed_and_removed(stage: &Stage) {
    for name in ["Thịt gà", "cà chua", "Hành tây"] {
        stage.run("add_user_ingredient", args!(user_id = "anna", ingredient_name = name));
    }
    stage.run("add_user_ingredient", args!(user_id = "binh", ingredient_name = "Muối"));
    let names = || column(&stage.list("user_ingredients", args!(user_id = "anna")), "ingredient_name");
    assert_eq!(names(), ["cà chua", "Hành tây", "Thịt gà"]);

    stage.run("add_user_ingredient", args!(user_id = "anna", ingredient_name = "thit ga"));
    assert_eq!(names(), ["cà chua", "Hành tây", "thit ga"]);

    stage.run("remove_user_ingredient", args!(user_id = "anna", ingredient_name = "HÀNH TÂY"));
    assert_eq!(names(), ["cà chua", "thit ga"]);
    stage.run("remove_user_ingredient", args!(user_id = "anna", ingredient_name = "never there"));
    assert_eq!(names(), ["cà chua", "thit ga"]);
}

pub(crate) fn sc_06_an_ingredient_is_had_however_it_is_written(stage: &Stage) {
    stage.run("add_user_ingredient", args!(user_id = "anna", ingredient_name = "Thịt gà"));
    for name in ["Thịt gà", "thit ga", "THỊT GÀ", THIT_GA_DECOMPOSED] {
        let there = stage.run("has_ingredient", args!(user_id = "anna", ingredient_name = name));
        assert_eq!(there, Json::Bool(true), "{name}");
    }
    for (user, name) in [("anna", "thịt"), ("anna", "thit ga ta"), ("binh", "thit ga")] {
        let there = stage.run("has_ingredient", args!(user_id = user, ingredient_name = name));
        assert_eq!(there, Json::Bool(false), "{user} {name}");
    }
}

/// A new ingredient.
#[track_caller]
fn ingredient(stage: &Stage, name: &str, category: &str, aliases: &[&str]) -> String {
    let arguments = args!(name = name, category = category, aliases = aliases.to_vec());
    stage.run("create_ingredient", arguments).text("ingredient.ingredient_id")
}

pub(crate) fn sc_07_an_ingredient_is_found_by_id_and_with_its_aliases(stage: &Stage) {
    let chicken = ingredient(stage, "Thịt gà", "meat", &["gà", "chicken", "thịt gà ta"]);
    let salt = ingredient(stage, "Muối", "spice", &[]);
    assert_eq!(stage.run("get_ingredient", args!(ingredient_id = &chicken)).text("name"), "Thịt gà");
    assert_eq!(stage.run("get_ingredient", args!(ingredient_id = "nothing")), Json::Null);

    let all = stage.list("ingredient_with_aliases", args!(ingredient_id = &chicken));
    assert_eq!(column(&all, "name"), ["chicken", "gà", "thịt gà ta", "Thịt gà"]);
    assert_eq!(all[0].text("type"), "INGREDIENT_ALIAS");
    assert_eq!(all[3].text("type"), "MASTER_INGREDIENT");
    assert_eq!(stage.list("ingredient_with_aliases", args!(ingredient_id = &salt)).len(), 1);
}

pub(crate) fn sc_08_ingredients_are_found_by_the_beginning_of_a_name_or_alias(stage: &Stage) {
    let chicken = ingredient(stage, "Thịt gà", "meat", &["gà", "chicken", "thịt gà ta"]);
    ingredient(stage, "Thịt bò", "meat", &["beef"]);
    ingredient(stage, "Cá hồi", "fish", &["salmon"]);
    ingredient(stage, "Thì là", "herb", &["dill"]);
    let found = |name: &str| column(&stage.list("search_ingredients", args!(name = name)), "name");
    assert_eq!(found("thịt"), ["Thịt bò", "Thịt gà", "thịt gà ta"]);
    assert_eq!(found("THI"), ["Thì là", "Thịt bò", "Thịt gà", "thịt gà ta"]);
    assert_eq!(found("ca"), ["Cá hồi"]);
    assert_eq!(found("c"), ["Cá hồi", "chicken"]);
    assert_eq!(found("x"), Vec::<String>::new());
    let alias = &stage.list("search_ingredients", args!(name = "chick"))[0];
    assert_eq!(alias.text("ingredient_id"), chicken);

    stage.run("remove_alias", args!(ingredient_id = &chicken, name = "chicken"));
    assert_eq!(found("chick"), Vec::<String>::new());
    stage.run("add_alias", args!(ingredient_id = &chicken, name = "poulet"));
    let ingredient = stage.run("get_ingredient", args!(ingredient_id = &chicken));
    assert_eq!(*ingredient.at("aliases"), Json::from(vec!["gà", "thịt gà ta", "poulet"]));
    stage.run("rename_ingredient", args!(ingredient_id = &chicken, name = "Gà ta"));
    assert_eq!(found("pou"), ["poulet"]);
    assert_eq!(found("thit g"), ["thịt gà ta"]);
    assert_eq!(found("ga"), ["gà", "Gà ta"]);
}

pub(crate) fn sc_41_active_ingredients_are_found_by_exactly_their_name(stage: &Stage) {
    let chicken = ingredient(stage, "Thịt gà", "meat", &["gà", "chicken"]);
    ingredient(stage, "Thịt gà ta", "meat", &[]);
    let exactly = |name: &str| column(&stage.list("ingredient_by_name", args!(name = name)), "ingredient_id");
    for name in ["Thịt gà", "thit ga", "CHICKEN"] {
        assert_eq!(exactly(name), [chicken.as_str()], "{name}");
    }
    assert_eq!(exactly("thit"), Vec::<String>::new());

    let begins = |name: &str| column(&stage.list("search_ingredients", args!(name = name)), "name");
    let activate = |is_active: bool| {
        stage.run("set_ingredient_active", args!(ingredient_id = &chicken, is_active = is_active));
    };
    activate(false);
    assert_eq!(exactly("thit ga"), Vec::<String>::new());
    assert_eq!(exactly("chicken"), Vec::<String>::new());
    assert_eq!(begins("thit"), ["Thịt gà ta"]);
    assert_eq!(begins("chick"), Vec::<String>::new());
    assert_eq!(*stage.run("get_ingredient", args!(ingredient_id = &chicken)).at("is_active"), false.into());
    activate(true);
    assert_eq!(exactly("chicken"), [chicken.as_str()]);
    assert_eq!(begins("thit"), ["Thịt gà", "Thịt gà ta"]);
}

pub(crate) fn sc_41_active_ingredients_are_found_in_spite_of_a_typo_and_in_any_order_of_words(stage: &Stage) {
    let salt_fish = ingredient(stage, "Cá ướp muối", "fish", &[]);
    let chicken = ingredient(stage, "Thịt gà", "meat", &["chicken"]);
    ingredient(stage, "Thịt bò", "meat", &[]);
    ingredient(stage, "Rau muống", "vegetable", &[]);
    // How many trigrams of the name each ingredient has, the best first.
    let found = |name: &str| {
        let answer = stage.run("find_ingredients", args!(name = name));
        let items = answer.at("ingredients").items().to_vec();
        assert!(items.is_sorted_by_key(|item| -item.at("hits").to_string().parse::<i64>().unwrap()));
        column(&items, "name")
    };
    for name in ["Thịt gà", "thit ga", "THTI GÀ", "gà thịt", "thjt ga", "ga thit"] {
        assert_eq!(found(name).first().map(String::as_str), Some("Thịt gà"), "{name}");
    }
    for name in ["cá ướp muói", "muoi uop ca", "ca upo muoi"] {
        assert_eq!(found(name).first().map(String::as_str), Some("Cá ướp muối"), "{name}");
    }
    assert_eq!(found("xyz"), [""; 0]);
    assert_eq!(found("–"), [""; 0], "nothing to look for");

    let activate = |is_active: bool| {
        stage.run("set_ingredient_active", args!(ingredient_id = &chicken, is_active = is_active));
    };
    activate(false);
    assert_eq!(found("thti ga"), ["Thịt bò"]);
    stage.run("rename_ingredient", args!(ingredient_id = &chicken, name = "Thịt gà ta"));
    assert_eq!(found("ga ta"), ["Thịt bò"], "still inactive");
    activate(true);
    assert_eq!(found("thit ga ta").first().map(String::as_str), Some("Thịt gà ta"));

    stage.run("rename_ingredient", args!(ingredient_id = &salt_fish, name = "Mắm"));
    assert_eq!(found("mam").first().map(String::as_str), Some("Mắm"));
    assert_eq!(found("uop"), [""; 0], "the old name is gone");
    stage.run("rename_ingredient", args!(ingredient_id = &salt_fish, name = "mắm"));
    assert_eq!(found("mam").first().map(String::as_str), Some("mắm"), "written with the same trigrams");
}

pub(crate) fn sc_38_normalized_names_are_attributes_as_documented(stage: &Stage) {
    let id = ingredient(stage, "Thịt gà", "meat", &[]);
    assert_eq!(stage.run("get_ingredient", args!(ingredient_id = &id)).text("normalized_name"), "thit ga");
    stage.run("rename_ingredient", args!(ingredient_id = &id, name = "Đậu phụ"));
    assert_eq!(stage.run("get_ingredient", args!(ingredient_id = &id)).text("normalized_name"), "dau phu");
    stage.run("add_user_ingredient", args!(user_id = "anna", ingredient_name = "Hành tây"));
    let mine = stage.list("user_ingredients", args!(user_id = "anna"));
    assert_eq!(mine[0].text("normalized_name"), "hanh tay");
    let recipe = args!(
        user_id = "anna",
        title = "Gà xào sả ớt",
        cuisine_type = "Vietnamese",
        cooking_method = "stir-fry",
        meal_type = "main"
    );
    let recipe = stage.run("create_recipe", recipe).text("recipe_id");
    let read = stage.run("get_recipe", args!(recipe_id = &recipe));
    assert_eq!(read.text("normalized_title"), "ga xao sa ot");
}

pub(crate) fn sc_09_ingredients_of_a_category_come_by_name(stage: &Stage) {
    let chicken = ingredient(stage, "Thịt gà", "meat", &["gà"]);
    for (name, category) in [("Ớt", "spice"), ("đậu phụ", "soy"), ("Thịt bò", "meat"), ("Ếch", "meat")]
    {
        ingredient(stage, name, category, &[]);
    }
    let meat = || column(&stage.list("category_ingredients", args!(category = "meat")), "name");
    assert_eq!(meat(), ["Ếch", "Thịt bò", "Thịt gà"]);
    stage.run("set_ingredient_category", args!(ingredient_id = &chicken, category = "poultry"));
    assert_eq!(meat(), ["Ếch", "Thịt bò"]);
}

pub(crate) fn sc_38_vietnamese_names_fold_right(stage: &Stage) {
    let folds = [
        ("Thịt gà", "thit ga"),
        ("Đậu đũa", "dau dua"),
        ("Phở bò", "pho bo"),
        (PHO_BO_DECOMPOSED, "pho bo"),
        ("NƯỚC MẮM", "nuoc mam"),
        ("Ướp gà với sả ớt", "uop ga voi sa ot"),
        ("Bưởi", "buoi"),
        ("Rượu nếp", "ruou nep"),
    ];
    for (name, folded) in folds {
        let user = format!("who has {folded}");
        stage.run("add_user_ingredient", args!(user_id = &user, ingredient_name = name));
        let has = stage.run("has_ingredient", args!(user_id = &user, ingredient_name = folded));
        assert_eq!(has, Json::Bool(true), "{name} is {folded}");
        assert_eq!(stage.list("user_ingredients", args!(user_id = &user)).len(), 1, "{name}");
    }
    let forged = stage.refused("add_user_ingredient", args!(user_id = "a#b", ingredient_name = "Muối"));
    assert!(matches!(&forged, RunError::Parameter { parameter, .. } if parameter == "user_id"), "{forged:?}");
}
