"""Seed 2, Nishiki: the requests of its access patterns, word for word."""

import unittest

from pattern_tables import SeedCase

TABLE = "nishiki-table-dev-db"


class Filled(SeedCase):
    """The table is filled through patterns, and the documented requests find the items."""

    design = "nishiki"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        make = cls()
        made = make.run_pattern("create_user", UserName="Anna", EMailAddress="anna@example.com")
        cls.user = made["UserId"]
        made = make.run_pattern("create_group", UserId=cls.user, GroupName="Home", ContainerName="Fridge")
        cls.group, cls.container = made["group"]["group_id"], made["container"]["container_id"]
        make.run_pattern("add_food", container_id=cls.container, Name="Milk", Quantity=1, Unit="l")
        invitation = make.run_pattern("invite", group_id=cls.group, LinkExpiryDatetime="2099-01-01T00:00:00Z")
        cls.hash = invitation["InvitationLinkHash"]

    def test_get_user(self):
        user = self.get(TABLE, PK=self.user, SK="User")
        self.assertEqual((user["UserName"], user["EMailAddress"]), ("Anna", "anna@example.com"))

    def test_get_user_of_a_group(self):
        membership = self.get(TABLE, PK=self.user, SK=f"Group#{self.group}")
        self.assertEqual(membership["GroupId"], self.group)

    def test_get_user_by_email(self):
        [found] = self.query(TABLE, ("EMailAddress", "anna@example.com"), index="EMailAndUserIdRelationship")
        self.assertEqual(found, {"PK": self.user, "SK": "User", "EMailAddress": "anna@example.com"})

    def test_list_of_a_users_groups(self):
        [group] = self.query(TABLE, ("PK", self.user), ("SK", ("begins_with", "Group#")))
        self.assertEqual(group["GroupId"], self.group)

    def test_get_group(self):
        self.assertEqual(self.get(TABLE, PK=self.group, SK="Group")["GroupName"], "Home")

    def test_get_group_of_a_container(self):
        [found] = self.query(TABLE, ("ContainerId", self.container), index="GroupAndContainerRelationship")
        expected = {"PK": self.group, "SK": f"Container#{self.container}", "ContainerId": self.container}
        self.assertEqual(found, expected)

    def test_list_of_containers(self):
        [container] = self.query(TABLE, ("PK", self.group), ("SK", ("begins_with", "Container#")))
        self.assertEqual(container["ContainerId"], self.container)

    def test_list_of_users_in_a_group(self):
        found = self.query(TABLE, ("GroupId", self.group), index="UserAndGroupRelationship")
        expected = {"PK": self.user, "SK": f"Group#{self.group}", "GroupId": self.group}
        self.assertEqual(found, [expected], "users and nothing else")

    def test_get_container(self):
        container = self.get(TABLE, PK=self.container, SK="Container")
        self.assertEqual(container["ContainerName"], "Fridge")
        [food] = container["Foods"]
        self.assertEqual((food["Name"], food["Quantity"], food["Unit"]), ("Milk", 1, "l"))
        self.assertLess({"FoodId", "CreatedDatetime"}, set(food))

    def test_get_invitation_link(self):
        [found] = self.query(TABLE, ("InvitationLinkHash", self.hash), index="InvitationHash")
        self.assertEqual((found["PK"], found["LinkExpiryDatetime"]), (self.group, "2099-01-01T00:00:00.000Z"))

    def test_get_invitation_link_by_group_id(self):
        self.assertEqual(self.get(TABLE, PK=self.group, SK="InvitationLinkHash")["InvitationLinkHash"], self.hash)


class Written(SeedCase):
    """Items with the documented attributes, and no others, are found by patterns and changed by them."""

    design = "nishiki"

    def setUp(self):
        food = {"FoodId": "f1", "Name": "Milk", "Unit": None, "Quantity": 1, "Category": None, "Expiry": None,
                "CreatedDatetime": "2026-11-18T10:00:00.000Z"}
        self.put(
            TABLE,
            {"PK": "u1", "SK": "User", "UserName": "Anna", "EMailAddress": "anna@example.com"},
            {"PK": "u1", "SK": "Group#g1", "GroupId": "g1"},
            {"PK": "g1", "SK": "Group", "GroupName": "Home"},
            {"PK": "g1", "SK": "Container#c1", "ContainerId": "c1"},
            {"PK": "g1", "SK": "InvitationLinkHash", "LinkExpiryDatetime": "2099-01-01T00:00:00.000Z",
             "InvitationLinkHash": "5d41402abc4b2a76b9719d911017c592"},
            {"PK": "c1", "SK": "Container", "ContainerName": "Fridge", "Foods": [food]},
        )

    def test_users(self):
        self.assertEqual(self.run_pattern("get_user", UserId="u1")["UserName"], "Anna")
        self.assertEqual(self.run_pattern("user_by_email", EMailAddress="anna@example.com")["UserId"], "u1")
        self.assertTrue(self.run_pattern("is_member", UserId="u1", GroupId="g1"))
        self.run_pattern("change_user", UserId="u1", UserName="Anna 2")
        self.assertEqual(self.get(TABLE, PK="u1", SK="User")["UserName"], "Anna 2")

    def test_groups(self):
        self.assertEqual(self.run_pattern("get_group", group_id="g1")["GroupName"], "Home")
        self.assertEqual(self.run_pattern("group_of_container", ContainerId="c1")["group"]["GroupName"], "Home")
        self.assertEqual(self.listed("group_users", "UserId", GroupId="g1"), ["u1"])
        self.run_pattern("rename_group", group_id="g1", GroupName="At home")
        self.assertEqual(self.get(TABLE, PK="g1", SK="Group")["GroupName"], "At home")

    def test_lists_that_follow_references(self):
        [group] = self.run_pattern("user_groups", UserId="u1")["items"]
        self.assertEqual(group["group"]["GroupName"], "Home")
        [container] = self.run_pattern("group_containers", group_id="g1")["items"]
        self.assertEqual(container["container"]["ContainerName"], "Fridge")

    def test_foods(self):
        [milk] = self.run_pattern("get_container", container_id="c1")["Foods"]
        self.assertEqual((milk["Name"], milk["Quantity"]), ("Milk", 1))
        self.run_pattern("add_food", container_id="c1", Name="Eggs", Quantity=12)
        self.run_pattern("change_food", container_id="c1", FoodId="f1", Quantity=2)
        foods = self.get(TABLE, PK="c1", SK="Container")["Foods"]
        self.assertEqual([(food["Name"], food["Quantity"]) for food in foods], [("Milk", 2), ("Eggs", 12)])

    def test_invitations(self):
        known = {"InvitationLinkHash": "5d41402abc4b2a76b9719d911017c592"}
        self.assertEqual(self.run_pattern("invitation_by_hash", **known)["group_id"], "g1")
        self.assertEqual(self.run_pattern("group_invitation", group_id="g1")["LinkExpiryDatetime"],
                         "2099-01-01T00:00:00.000Z")
        self.run_pattern("join_group", UserId="u2", group_id="g1", **known)
        self.assertEqual(self.get(TABLE, PK="u2", SK="Group#g1")["GroupId"], "g1")
        self.run_pattern("leave_group", UserId="u2", GroupId="g1")
        self.put(TABLE, {"PK": "g1", "SK": "InvitationLinkHash", "LinkExpiryDatetime": "2020-01-01T00:00:00.000Z",
                         **known})
        with self.assertRaisesRegex(AssertionError, "the condition of invitation did not hold"):
            self.run_pattern("join_group", UserId="u2", group_id="g1", **known)


if __name__ == "__main__":
    unittest.main()
