//! Nishiki: designs/nishiki.toml.

use singlet_design::Json;
use singlet_run::RunError;

use crate::arguments::{Look, args, column};
use crate::stage::Stage;

#[track_caller]
fn user(stage: &Stage, name: &str) -> String {
    let arguments = args!(UserName = name, EMailAddress = format!("{name}@example.com"));
    stage.run("create_user", arguments).text("UserId")
}

/// A group of a user with one container: the ids of both.
#[track_caller]
fn group(stage: &Stage, user: &str, name: &str) -> (String, String) {
    let made = stage.run("create_group", args!(UserId = user, GroupName = name, ContainerName = "Fridge"));
    (made.text("group.group_id"), made.text("container.container_id"))
}

#[track_caller]
fn invite(stage: &Stage, group: &str) -> String {
    let until = "2035-01-25T00:00:00Z";
    stage.run("invite", args!(group_id = group, LinkExpiryDatetime = until)).text("InvitationLinkHash")
}

pub(crate) fn ni_01_a_user_is_found_by_id(stage: &Stage) {
    let anna = user(stage, "anna");
    let found = stage.run("get_user", args!(UserId = &anna));
    assert_eq!(found.text("UserName"), "anna");
    assert_eq!(found.text("EMailAddress"), "anna@example.com");
    assert_eq!(stage.run("get_user", args!(UserId = "nobody")), Json::Null);
}

pub(crate) fn ni_02_membership_is_known(stage: &Stage) {
    let (anna, binh) = (user(stage, "anna"), user(stage, "binh"));
    let (home, _) = group(stage, &anna, "Home");
    for (user, member) in [(&anna, true), (&binh, false)] {
        let answer = stage.run("is_member", args!(UserId = user, GroupId = &home));
        assert_eq!(answer, Json::Bool(member));
    }
}

pub(crate) fn ni_03_an_address_leads_to_one_users_id(stage: &Stage) {
    let anna = user(stage, "anna");
    let by = |address: &str| stage.run("user_by_email", args!(EMailAddress = address));
    assert_eq!(by("anna@example.com").text("UserId"), anna);
    assert_eq!(by("nobody@example.com"), Json::Null);
    let taken = stage.refused("create_user", args!(UserName = "Anna 2", EMailAddress = "anna@example.com"));
    assert!(matches!(taken, RunError::NotUnique { .. }), "{taken:?}");

    stage.run("change_user", args!(UserId = &anna, EMailAddress = "new@example.com"));
    assert_eq!(by("anna@example.com"), Json::Null);
    assert_eq!(by("new@example.com").text("UserId"), anna);
    let second = user(stage, "anna");
    assert_eq!(by("anna@example.com").text("UserId"), second);
}

pub(crate) fn ni_04_a_users_groups_are_listed(stage: &Stage) {
    let (anna, binh) = (user(stage, "anna"), user(stage, "binh"));
    for name in ["Home", "Work", "Club"] {
        group(stage, &anna, name);
    }
    group(stage, &binh, "Another's");
    let mut names = column(&stage.list("user_groups", args!(UserId = &anna)), "group.GroupName");
    names.sort();
    assert_eq!(names, ["Club", "Home", "Work"]);
}

pub(crate) fn ni_05_a_group_is_found_by_id(stage: &Stage) {
    let (home, _) = group(stage, "anna", "Home");
    stage.run("rename_group", args!(group_id = &home, GroupName = "At home"));
    assert_eq!(stage.run("get_group", args!(group_id = &home)).text("GroupName"), "At home");
    assert_eq!(stage.run("get_group", args!(group_id = "anna")), Json::Null);
}

pub(crate) fn ni_06_a_container_leads_to_its_group(stage: &Stage) {
    let (home, fridge) = group(stage, "anna", "Home");
    let (work, kitchen) = group(stage, "anna", "Work");
    for (container, group, name) in [(&fridge, &home, "Home"), (&kitchen, &work, "Work")] {
        let found = stage.run("group_of_container", args!(ContainerId = container));
        assert_eq!(found.text("group_id"), **group);
        assert_eq!(found.text("group.GroupName"), name);
    }
    assert_eq!(stage.run("group_of_container", args!(ContainerId = &home)), Json::Null);
}

pub(crate) fn ni_07_a_groups_containers_are_listed(stage: &Stage) {
    let (home, fridge) = group(stage, "anna", "Home");
    group(stage, "anna", "Work");
    for name in ["Freezer", "Shelf"] {
        stage.run("create_container", args!(group_id = &home, ContainerName = name));
    }
    let names = || {
        let mut names =
            column(&stage.list("group_containers", args!(group_id = &home)), "container.ContainerName");
        names.sort();
        names
    };
    assert_eq!(names(), ["Freezer", "Fridge", "Shelf"]);
    stage.run("delete_container", args!(group_id = &home, container_id = &fridge));
    assert_eq!(names(), ["Freezer", "Shelf"]);
    assert_eq!(stage.run("get_container", args!(container_id = &fridge)), Json::Null);
    let missing = stage.refused("create_container", args!(group_id = "none", ContainerName = "Box"));
    assert!(matches!(missing, RunError::Missing { .. } | RunError::Condition { .. }), "{missing:?}");
}

pub(crate) fn ni_08_only_the_users_of_a_group_are_listed(stage: &Stage) {
    let users: Vec<_> = ["anna", "binh", "chi"].iter().map(|name| user(stage, name)).collect();
    let (home, _) = group(stage, &users[0], "Home");
    group(stage, &users[2], "Another");
    let hash = invite(stage, &home);
    stage.run("join_group", args!(group_id = &home, UserId = &users[1], InvitationLinkHash = &hash));
    let members = stage.list("group_users", args!(GroupId = &home));
    let mut names = column(&members, "user.UserName");
    names.sort();
    assert_eq!(names, ["anna", "binh"]);
    assert!(members.iter().all(|member| users.contains(&member.text("UserId"))));
}

pub(crate) fn ni_09_a_container_comes_with_its_foods(stage: &Stage) {
    let (_, fridge) = group(stage, "anna", "Home");
    let container = stage.run("get_container", args!(container_id = &fridge));
    assert_eq!(container.text("ContainerName"), "Fridge");
    assert_eq!(*container.at("Foods"), Json::List(Vec::new()));
    stage.run("add_food", args!(container_id = &fridge, Name = "Milk", Quantity = 1.5, Unit = "l"));
    stage.run("rename_container", args!(container_id = &fridge, ContainerName = "Big fridge"));
    let container = stage.run("get_container", args!(container_id = &fridge));
    assert_eq!(container.text("ContainerName"), "Big fridge");
    let foods = container.at("Foods").as_list().unwrap();
    assert_eq!(column(foods, "Name"), ["Milk"]);
    assert_eq!(foods[0].at("Quantity").to_string(), "1.5");
    assert!(foods[0].has("FoodId") && foods[0].has("CreatedDatetime") && !foods[0].has("Expiry"));
}

pub(crate) fn ni_10_an_invitation_is_found_by_its_link_until_it_expires(stage: &Stage) {
    let (home, _) = group(stage, "anna", "Home");
    let hash = invite(stage, &home);
    assert!(hash.len() >= 43, "{hash}");
    let by_hash = |hash: &str| stage.run("invitation_by_hash", args!(InvitationLinkHash = hash));
    let found = by_hash(&hash);
    assert_eq!(found.text("group_id"), home);
    assert_eq!(found.text("LinkExpiryDatetime"), "2035-01-25T00:00:00.000Z");

    let newer = invite(stage, &home);
    assert_ne!(newer, hash);
    assert_eq!(by_hash(&hash), Json::Null);
    stage.days_pass(3);
    assert_eq!(by_hash(&newer), Json::Null);
    let late =
        stage.refused("join_group", args!(group_id = &home, UserId = "binh", InvitationLinkHash = &newer));
    assert!(matches!(late, RunError::Missing { .. }), "what has expired isn't there: {late:?}");
}

pub(crate) fn ni_11_a_groups_invitation_is_found(stage: &Stage) {
    let (home, _) = group(stage, "anna", "Home");
    assert_eq!(stage.run("group_invitation", args!(group_id = &home)), Json::Null);
    let hash = invite(stage, &home);
    let found = stage.run("group_invitation", args!(group_id = &home));
    assert_eq!(found.text("InvitationLinkHash"), hash);
    stage.days_pass(3);
    assert_eq!(stage.run("group_invitation", args!(group_id = &home)), Json::Null);
}

pub(crate) fn ni_12_one_food_changes_and_the_others_stay(stage: &Stage) {
    let (_, fridge) = group(stage, "anna", "Home");
    for name in ["Milk", "Eggs", "Rice"] {
        stage.run("add_food", args!(container_id = &fridge, Name = name, Quantity = 1));
    }
    let foods =
        || stage.run("get_container", args!(container_id = &fridge)).at("Foods").as_list().unwrap().to_vec();
    let before = foods();
    assert_eq!(column(&before, "Name"), ["Milk", "Eggs", "Rice"]);
    let eggs = before[1].text("FoodId");

    stage.run(
        "change_food",
        args!(container_id = &fridge, FoodId = &eggs, Quantity = 12, Expiry = "2035-02-01T00:00:00Z"),
    );
    let changed = foods();
    assert_eq!(changed[0], before[0]);
    assert_eq!(changed[2], before[2]);
    assert_eq!(changed[1].text("Name"), "Eggs");
    assert_eq!(*changed[1].at("Quantity"), Json::from(12));
    assert_eq!(changed[1].at("CreatedDatetime"), before[1].at("CreatedDatetime"));

    stage.run("remove_food", args!(container_id = &fridge, FoodId = &eggs));
    assert_eq!(foods(), [before[0].clone(), before[2].clone()]);
    for pattern in ["change_food", "remove_food"] {
        let mut arguments = args!(container_id = &fridge, FoodId = &eggs);
        if pattern == "change_food" {
            arguments.insert("Quantity".to_owned(), 1.into());
        }
        let gone = stage.refused(pattern, arguments);
        assert!(matches!(gone, RunError::Missing { .. }), "{gone:?}");
    }
}

pub(crate) fn ni_12_a_container_takes_no_more_foods_than_its_bound(stage: &Stage) {
    let (_, fridge) = group(stage, "anna", "Home");
    for n in 0..200 {
        stage.run("add_food", args!(container_id = &fridge, Name = format!("food {n}")));
    }
    let full = stage.refused("add_food", args!(container_id = &fridge, Name = "one too many"));
    assert!(matches!(full, RunError::Limit(_)), "{full:?}");
}

pub(crate) fn ni_13_a_group_is_made_with_its_first_member_and_container(stage: &Stage) {
    let anna = user(stage, "anna");
    let (home, fridge) = group(stage, &anna, "Home");
    assert_eq!(stage.run("is_member", args!(UserId = &anna, GroupId = &home)), Json::Bool(true));
    assert_eq!(stage.run("get_container", args!(container_id = &fridge)).text("ContainerName"), "Fridge");
    let links = stage.list("group_containers", args!(group_id = &home));
    assert_eq!(column(&links, "ContainerId"), [fridge]);
}

pub(crate) fn ni_13_who_has_the_link_joins_once_and_may_leave(stage: &Stage) {
    let binh = user(stage, "binh");
    let (home, _) = group(stage, "anna", "Home");
    let (other, _) = group(stage, "anna", "Other");
    let join = |group: &str, hash: &str| args!(group_id = group, UserId = &binh, InvitationLinkHash = hash);
    let hash = invite(stage, &home);
    let other_hash = invite(stage, &other);
    for (group, hash) in [(&home, "guessed"), (&home, other_hash.as_str()), (&other, hash.as_str())] {
        let wrong = stage.refused("join_group", join(group, hash));
        assert!(matches!(wrong, RunError::Condition { .. }), "{wrong:?}");
    }
    let member = || stage.run("is_member", args!(UserId = &binh, GroupId = &home));
    assert_eq!(member(), Json::Bool(false));
    stage.run("join_group", join(&home, &hash));
    assert_eq!(member(), Json::Bool(true));
    let again = stage.refused("join_group", join(&home, &hash));
    assert!(matches!(again, RunError::Exists { .. }), "{again:?}");
    stage.run("leave_group", args!(UserId = &binh, GroupId = &home));
    assert_eq!(member(), Json::Bool(false));
    assert_eq!(stage.list("group_users", args!(GroupId = &home)).len(), 1);
}

pub(crate) fn ni_13_a_group_is_deleted_with_what_belongs_to_it(stage: &Stage) {
    let (anna, binh) = (user(stage, "anna"), user(stage, "binh"));
    let (home, fridge) = group(stage, &anna, "Home");
    let (other, _) = group(stage, &anna, "Other");
    let hash = invite(stage, &home);
    stage.run("join_group", args!(group_id = &home, UserId = &binh, InvitationLinkHash = &hash));
    let members = vec![anna.as_str(), binh.as_str()];
    let containers = vec![fridge.as_str()];
    stage.run("delete_group", args!(group_id = &home, members = members, containers = containers));
    for pattern in ["get_group", "group_invitation"] {
        assert_eq!(stage.run(pattern, args!(group_id = &home)), Json::Null, "{pattern}");
    }
    assert_eq!(stage.run("get_container", args!(container_id = &fridge)), Json::Null);
    assert_eq!(stage.run("group_of_container", args!(ContainerId = &fridge)), Json::Null);
    let groups = stage.list("user_groups", args!(UserId = &anna));
    assert_eq!(column(&groups, "GroupId"), [other]);
    let late = args!(group_id = &home, UserId = &binh, InvitationLinkHash = &hash);
    let late = stage.refused("join_group", late);
    assert!(matches!(late, RunError::Missing { .. }), "{late:?}");
}
