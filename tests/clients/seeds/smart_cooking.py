"""Seeds 0 and 1, Smart Cooking: the requests of its access patterns, word for word."""

import unittest
from datetime import date

from pattern_tables import SeedCase

TABLE = "smart-cooking-data-dev"


def begins(prefix):
    return ("begins_with", prefix)


class Cooking(SeedCase):
    design = "smart-cooking"

    def ask(self, partition, sort=None, **options):
        return self.query(TABLE, partition, sort, **options)

    def found(self, field, partition, sort=None, **options):
        return [item[field] for item in self.ask(partition, sort, **options)]


class Filled(Cooking):
    """The table is filled through patterns, and the documented requests find the items."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = cls().run_pattern
        for name in ("anna", "binh", "chi"):
            run("create_user", user_id=name, username=name, email=f"{name}@example.com")
        run("set_role", user_id="chi", role="admin")
        run("add_user_ingredient", user_id="anna", ingredient_name="Thịt gà")
        made = run("create_ingredient", name="Thịt gà", category="meat", aliases=["gà", "chicken"])
        cls.ingredient = made["ingredient"]["ingredient_id"]
        kind = {"cuisine_type": "Vietnamese", "cooking_method": "stir-fry", "meal_type": "main"}
        for recipe, ratings in [("r1", (4, 5)), ("r2", (5, 5))]:
            run("create_recipe", recipe_id=recipe, user_id="anna", title="Gà xào sả ớt", **kind)
            for user, rating in zip(("anna", "binh"), ratings):
                run("rate_recipe", recipe_id=recipe, user_id=user, rating=rating)
            run("approve_recipe", recipe_id=recipe)
        run("add_recipe_ingredient", recipe_id="r1", position=1, ingredient_name="Thịt gà", quantity="300g")
        cls.cooking = run("start_cooking", user_id="anna", recipe_id="r1")
        key = {"user_id": "anna", "created_at": cls.cooking["created_at"], "history_id": cls.cooking["history_id"]}
        cls.cook_date = run("complete_cooking", **key)["cook_date"]
        run("note_on_cooking", is_favorite=True, **key)
        cls.suggestion = run("save_suggestion", user_id="anna", prompt_text="Gợi ý món với gà")
        run("ask_friend", user_id="anna", friend_id="binh")
        run("accept_friend", user_id="anna", friend_id="binh")
        cls.post = run("create_post", user_id="anna", content="Vừa nấu món này")["post_id"]
        run("comment", post_id=cls.post, user_id="binh", content="Trông rất ngon!")
        run("react", target_id=cls.post, user_id="binh")
        run("notify", user_id="anna", type="comment", content="Binh commented on your post")
        run("report_ingredient", ingredient_name="abc xyz", user_id="anna")
        cls.settled()

    def test_profile_preferences_and_privacy(self):
        for sort, kind in [("PROFILE", "USER_PROFILE"), ("PREFERENCES", "USER_PREFERENCES"),
                           ("PRIVACY", "PRIVACY_SETTINGS")]:
            item = self.get(TABLE, PK="USER#anna", SK=sort)
            self.assertEqual(item["entity_type"], kind)
            self.assertLess({"created_at", "updated_at"}, set(item))

    def test_admins(self):
        self.assertEqual(self.found("user_id", ("GSI1PK", "ROLE#admin"), index="GSI1"), ["chi"])

    def test_ingredients_of_a_user(self):
        names = self.found("ingredient_name", ("PK", "USER#anna"), ("SK", begins("INGREDIENT#")))
        self.assertEqual(names, ["Thịt gà"])
        self.assertIsNotNone(self.get(TABLE, PK="USER#anna", SK="INGREDIENT#thit ga"))

    def test_master_ingredients(self):
        item = self.get(TABLE, PK=f"INGREDIENT#{self.ingredient}", SK="METADATA")
        self.assertEqual((item["name"], item["aliases"]), ("Thịt gà", ["gà", "chicken"]))
        search = ("GSI2PK", "INGREDIENT#SEARCH")
        for sort in [begins("NAME#thi"), "NAME#thit ga", "NAME#chicken"]:
            found = self.found("ingredient_id", search, ("GSI2SK", sort), index="GSI2")
            self.assertEqual(found, [self.ingredient], sort)
        self.assertEqual(self.found("name", ("GSI1PK", "CATEGORY#meat"), index="GSI1"), ["Thịt gà"])

    def test_recipes(self):
        item = self.get(TABLE, PK="RECIPE#r1", SK="METADATA")
        self.assertEqual(item["GSI2SK"], f"RECIPE#4.5#{item['created_at']}")
        mine = self.found("recipe_id", ("GSI1PK", "USER#anna"), ("GSI1SK", begins("RECIPE#")), index="GSI1")
        self.assertEqual(mine, ["r1", "r2"])
        names = self.found("ingredient_name", ("PK", "RECIPE#r1"), ("SK", begins("INGREDIENT#")))
        self.assertEqual(names, ["Thịt gà"])
        self.assertIsNotNone(self.get(TABLE, PK="RECIPE#r1", SK="INGREDIENT#001"))

    def test_recipes_by_method_best_rated_first(self):
        found = self.ask(("GSI2PK", "METHOD#stir-fry"), index="GSI2", newest=True)
        self.assertEqual([recipe["recipe_id"] for recipe in found], ["r2", "r1"])
        self.assertEqual((found[0]["rating_count"], found[0]["user_id"]), (2, "anna"))

    def test_other_lists_of_recipes_have_the_documented_keys_in_indexes_of_their_own(self):
        for index, key in [("GSI4", "CUISINE#Vietnamese"), ("GSI5", "MEALTYPE#main"), ("GSI6", "APPROVED")]:
            found = self.found("recipe_id", (f"{index}PK", key), (f"{index}SK", begins("RECIPE#")), index=index,
                               newest=True)
            self.assertEqual(found, ["r2", "r1"], key)

    def test_several_recipes_at_once(self):
        keys = [{"PK": f"RECIPE#{recipe}", "SK": "METADATA"} for recipe in ("r1", "r2", "r3")]
        found = self.database.batch_get_item(RequestItems={TABLE: {"Keys": keys}})
        self.assertEqual(len(found["Responses"][TABLE]), 2)

    def test_cooking_history_and_favorites(self):
        history = self.found("recipe_id", ("PK", "USER#anna"), ("SK", begins("COOKING#")), newest=True)
        self.assertEqual(history, ["r1"])
        favorites = self.found("recipe_id", ("GSI1PK", "USER#anna#FAVORITE"), index="GSI1", newest=True)
        self.assertEqual(favorites, ["r1"])

    def test_recent_activities_and_trends(self):
        month = self.found("recipe_id", ("GSI3PK", f"RECENT#{self.cook_date[:7]}"), index="GSI3")
        self.assertEqual(month, ["r1"])
        year, week, _ = date.fromisoformat(self.cook_date[:10]).isocalendar()
        trending = self.found("recipe_id", ("GSI3PK", f"TRENDING#{year}-W{week:02}"), index="GSI3")
        self.assertEqual(trending, ["r1"])

    def test_ratings(self):
        ratings = self.found("rating", ("PK", "RECIPE#r1"), ("SK", begins("RATING#")))
        self.assertEqual(ratings, [4, 5])
        mine = self.found("recipe_id", ("GSI1PK", "USER#binh"), ("GSI1SK", begins("RATING#")), index="GSI1")
        self.assertEqual(mine, ["r1", "r2"])
        self.assertIn("rating_id", self.get(TABLE, PK="RECIPE#r1", SK="RATING#binh"))

    def test_suggestions(self):
        texts = self.found("prompt_text", ("PK", "USER#anna"), ("SK", begins("SUGGESTION#")), newest=True)
        self.assertEqual(texts, ["Gợi ý món với gà"])
        # The documented key ends with the time: here an id follows it, so the time is a prefix.
        at = begins(f"SUGGESTION#{self.suggestion['created_at']}")
        self.assertEqual(len(self.ask(("PK", "USER#anna"), ("SK", at))), 1)

    def test_friendships(self):
        friends = self.ask(("PK", "USER#anna"), ("SK", begins("FRIEND#")))
        self.assertEqual([(item["friend_id"], item["status"]) for item in friends], [("binh", "accepted")])
        reverse = self.found("user_id", ("GSI1PK", "USER#binh"), ("GSI1SK", begins("FRIEND#")), index="GSI1")
        self.assertEqual(reverse, ["anna"])
        self.assertIn("friendship_id", self.get(TABLE, PK="USER#binh", SK="FRIEND#anna"))

    def test_posts_and_the_public_feed(self):
        self.assertIsNotNone(self.get(TABLE, PK=f"POST#{self.post}", SK="METADATA"))
        mine = self.found("post_id", ("GSI1PK", "USER#anna"), ("GSI1SK", begins("POST#")), index="GSI1")
        self.assertEqual(mine, [self.post])
        feed = self.found("post_id", ("GSI3PK", "FEED#PUBLIC"), index="GSI3", newest=True)
        self.assertEqual(feed, [self.post])

    def test_comments(self):
        contents = self.found("content", ("PK", f"POST#{self.post}"), ("SK", begins("COMMENT#")))
        self.assertEqual(contents, ["Trông rất ngon!"])
        mine = self.ask(("GSI1PK", "USER#binh"), ("GSI1SK", begins("COMMENT#")), index="GSI1")
        self.assertEqual(len(mine), 1)

    def test_reactions(self):
        [reaction] = self.ask(("PK", f"POST#{self.post}"), ("SK", begins("REACTION#")))
        self.assertEqual((reaction["target_type"], reaction["target_id"]), ("post", self.post))
        self.assertIn("reaction_id", self.get(TABLE, PK=f"POST#{self.post}", SK="REACTION#binh"))
        mine = self.ask(("GSI1PK", "USER#binh"), ("GSI1SK", begins("REACTION#")), index="GSI1")
        self.assertEqual(len(mine), 1)

    def test_notifications(self):
        all_of_them = self.ask(("PK", "USER#anna"), ("SK", begins("NOTIFICATION#")), newest=True)
        unread = self.ask(("GSI1PK", "USER#anna#UNREAD"), index="GSI1", newest=True)
        # The message, and those that the comment and the reaction make.
        self.assertEqual((len(all_of_them), unread), (3, all_of_them))

    def test_reports(self):
        report = self.get(TABLE, PK="INVALID_INGREDIENT#abc xyz", SK="USER#anna")
        self.assertEqual(report["user_report_count"], 1)
        totals = self.found("total_reports", ("GSI1PK", "REPORTS#PENDING"), index="GSI1", newest=True)
        self.assertEqual(totals, [1])


AT = "2099-01-20T10:00:00.000Z"


class Written(Cooking):
    """Items that are put word for word are found by patterns."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        both = {"created_at": AT, "updated_at": AT}
        user = {"PK": "USER#u1", "user_id": "u1"}
        recipe = {
            "PK": "RECIPE#r1", "SK": "METADATA", "entity_type": "RECIPE", "recipe_id": "r1", "user_id": "u1",
            "title": "Gà xào sả ớt", "normalized_title": "ga xao sa ot", "cuisine_type": "Vietnamese",
            "cooking_method": "stir-fry", "meal_type": "main", "servings": 2, "is_public": True, "is_approved": True,
            "instructions": [{"step_number": 1, "description": "Ướp gà với sả ớt", "duration": "10 phút"}],
            "rating_count": 12, "GSI1PK": "USER#u1", "GSI1SK": f"RECIPE#{AT}", "GSI2PK": "METHOD#stir-fry",
            "GSI2SK": f"RECIPE#4.5#{AT}", **both,
        }
        cls().put(
            TABLE,
            {**user, **both, "SK": "PROFILE", "entity_type": "USER_PROFILE", "email": "user@example.com",
             "username": "cookmaster", "role": "admin", "is_active": True, "GSI1PK": "ROLE#admin",
             "GSI1SK": f"USER#{AT}"},
            {**both, "PK": "USER#u1", "SK": "PREFERENCES", "entity_type": "USER_PREFERENCES",
             "allergies": ["shrimp", "crab"], "preferred_recipe_count": 3, "spice_level": "medium"},
            {**both, "PK": "USER#u1", "SK": "PRIVACY", "entity_type": "PRIVACY_SETTINGS",
             "profile_visibility": "public", "email_visibility": "private"},
            {"PK": "USER#u1", "SK": "INGREDIENT#thit ga", "entity_type": "USER_INGREDIENT", "ingredient_id": "i1",
             "ingredient_name": "Thịt gà", "normalized_name": "thit ga", "added_at": AT},
            {**both, "PK": "INGREDIENT#i1", "SK": "METADATA", "entity_type": "MASTER_INGREDIENT",
             "ingredient_id": "i1", "name": "Thịt gà", "normalized_name": "thit ga", "category": "meat",
             "aliases": ["gà"], "is_active": True, "GSI1PK": "CATEGORY#meat", "GSI1SK": "INGREDIENT#thit ga",
             "GSI2PK": "INGREDIENT#SEARCH", "GSI2SK": "NAME#thit ga"},
            recipe,
            {"PK": "RECIPE#r1", "SK": "INGREDIENT#001", "entity_type": "RECIPE_INGREDIENT",
             "ingredient_name": "Thịt gà", "quantity": "300g", "unit": "gram", "is_optional": False},
            {**user, **both, "SK": f"COOKING#{AT}#h1", "entity_type": "COOKING_HISTORY", "history_id": "h1",
             "recipe_id": "r1", "status": "completed", "personal_rating": 5, "is_favorite": True, "cook_date": AT,
             "GSI1PK": "USER#u1#FAVORITE", "GSI1SK": f"COOKING#{AT}", "GSI3PK": "RECENT#2099-01", "GSI3SK": AT},
            {**both, "PK": "RECIPE#r1", "SK": "RATING#u1", "entity_type": "RECIPE_RATING", "rating_id": "ra1",
             "recipe_id": "r1", "user_id": "u1", "rating": 5, "is_verified_cook": True, "GSI1PK": "USER#u1",
             "GSI1SK": f"RATING#{AT}"},
            {**user, "SK": f"SUGGESTION#{AT}", "entity_type": "AI_SUGGESTION", "suggestion_id": "s1",
             "recipe_ids": ["r1"], "prompt_text": "Gợi ý", "created_at": AT},
            {**user, "SK": "FRIEND#u2", "entity_type": "FRIENDSHIP", "friendship_id": "f1", "friend_id": "u2",
             "status": "pending", "requested_at": AT, "GSI1PK": "USER#u2", "GSI1SK": "FRIEND#u1"},
            {**both, "PK": "POST#p1", "SK": "METADATA", "entity_type": "POST", "post_id": "p1", "user_id": "u1",
             "recipe_id": "r1", "content": "Vừa nấu món này", "images": [], "is_public": True, "likes_count": 15,
             "comments_count": 3, "GSI1PK": "USER#u1", "GSI1SK": f"POST#{AT}", "GSI3PK": "FEED#PUBLIC",
             "GSI3SK": f"POST#{AT}"},
            {**both, "PK": "POST#p1", "SK": f"COMMENT#{AT}#c1", "entity_type": "COMMENT", "comment_id": "c1",
             "post_id": "p1", "user_id": "u2", "parent_comment_id": None, "content": "Trông rất ngon!",
             "GSI1PK": "USER#u2", "GSI1SK": f"COMMENT#{AT}"},
            {"PK": "POST#p1", "SK": "REACTION#u2", "entity_type": "REACTION", "reaction_id": "re1", "user_id": "u2",
             "target_type": "post", "target_id": "p1", "reaction_type": "like", "created_at": AT,
             "GSI1PK": "USER#u2", "GSI1SK": f"REACTION#{AT}"},
            {**user, "SK": f"NOTIFICATION#{AT}#n1", "entity_type": "NOTIFICATION", "notification_id": "n1",
             "actor_id": "u2", "type": "comment", "target_type": "post", "target_id": "p1",
             "content": "John commented on your post", "is_read": False, "created_at": AT,
             "GSI1PK": "USER#u1#UNREAD", "GSI1SK": f"NOTIFICATION#{AT}"},
            {**both, "PK": "INVALID_INGREDIENT#abc xyz", "SK": "USER#u1", "entity_type": "INVALID_INGREDIENT_REPORT",
             "report_id": "rp1", "ingredient_name": "abc xyz", "normalized_name": "abc xyz", "user_id": "u1",
             "user_report_count": 1, "total_reports": 5, "status": "pending", "admin_notes": "",
             "GSI1PK": "REPORTS#PENDING", "GSI1SK": f"TOTAL#5#{AT}"},
        )
        cls.settled()

    def test_users(self):
        self.assertEqual(self.run_pattern("get_user", user_id="u1")["username"], "cookmaster")
        self.assertEqual(self.listed("users_of_role", "user_id", role="admin"), ["u1"])
        self.assertEqual(self.run_pattern("get_preferences", user_id="u1")["allergies"], ["shrimp", "crab"])
        self.assertEqual(self.run_pattern("get_privacy", user_id="u1")["email_visibility"], "private")
        self.run_pattern("change_privacy", user_id="u1", email_visibility="friends")
        self.assertEqual(self.get(TABLE, PK="USER#u1", SK="PRIVACY")["email_visibility"], "friends")

    def test_ingredients(self):
        self.assertEqual(self.listed("user_ingredients", "ingredient_id", user_id="u1"), ["i1"])
        self.assertTrue(self.run_pattern("has_ingredient", user_id="u1", ingredient_name="Thịt gà"))
        self.assertEqual(self.run_pattern("get_ingredient", ingredient_id="i1")["aliases"], ["gà"])
        for pattern, name in [("search_ingredients", "thịt"), ("ingredient_by_name", "Thịt Gà")]:
            self.assertEqual(self.listed(pattern, "ingredient_id", name=name), ["i1"], pattern)
        self.assertEqual(self.listed("category_ingredients", "ingredient_id", category="meat"), ["i1"])

    def test_recipes(self):
        self.assertEqual(self.run_pattern("get_recipe", recipe_id="r1")["normalized_title"], "ga xao sa ot")
        self.assertEqual(self.listed("user_recipes", "recipe_id", user_id="u1"), ["r1"])
        self.assertEqual(self.listed("recipes_by_method", "recipe_id", cooking_method="stir-fry"), ["r1"])
        self.assertEqual(self.listed("recipe_ingredients", "quantity", recipe_id="r1"), ["300g"])
        whole = self.listed("recipe_with_ingredients", "type", recipe_id="r1")
        self.assertEqual(whole, ["RECIPE_INGREDIENT", "RECIPE"])

    def test_cooking(self):
        self.assertEqual(self.listed("cooking_history", "history_id", user_id="u1"), ["h1"])
        self.assertEqual(self.listed("favorites", "history_id", user_id="u1"), ["h1"])
        self.assertEqual(self.listed("recent_cooking", "recipe_id", cook_date="2099-01-05T00:00:00Z"), ["r1"])

    def test_ratings(self):
        self.assertEqual(self.listed("recipe_ratings", "rating_id", recipe_id="r1"), ["ra1"])
        self.assertEqual(self.listed("user_ratings", "rating_id", user_id="u1"), ["ra1"])
        self.assertTrue(self.run_pattern("has_rated", recipe_id="r1", user_id="u1"))

    def test_suggestions_are_listed(self):
        self.assertEqual(self.listed("suggestions", "suggestion_id", user_id="u1"), ["s1"])

    def test_friendships(self):
        self.assertEqual(self.run_pattern("friendship", user_id="u1", friend_id="u2")["status"], "pending")
        self.assertEqual(self.listed("friended_by", "user_id", friend_id="u2"), ["u1"])

    def test_derived_fields_are_what_the_items_say(self):
        post = self.run_pattern("get_post", post_id="p1")
        self.assertEqual((post["likes_count"], post["comments_count"]), (1, 1))
        recipe = self.run_pattern("get_recipe", recipe_id="r1")
        self.assertEqual((recipe["average_rating"], recipe["rating_count"]), (5, 1))
        [rating] = self.run_pattern("recipe_ratings", recipe_id="r1")["items"]
        self.assertTrue(rating["is_verified_cook"])

    def test_posts(self):
        self.assertEqual(self.listed("user_posts", "post_id", user_id="u1"), ["p1"])
        self.assertEqual(self.listed("public_feed", "post_id"), ["p1"])
        self.assertEqual(self.listed("post_comments", "comment_id", post_id="p1"), ["c1"])
        self.assertEqual(self.listed("user_comments", "comment_id", user_id="u2"), ["c1"])
        self.assertEqual(self.listed("post_reactions", "reaction_id", target_id="p1"), ["re1"])
        self.assertEqual(self.run_pattern("own_reaction", target_id="p1", user_id="u2")["reaction_type"], "like")
        self.assertEqual(self.listed("user_reactions", "reaction_id", user_id="u2"), ["re1"])

    def test_notifications(self):
        for pattern in ("notifications", "unread_notifications"):
            self.assertEqual(self.listed(pattern, "notification_id", user_id="u1"), ["n1"], pattern)

    def test_reports(self):
        self.assertTrue(self.run_pattern("has_reported", ingredient_name="Abc xyz", user_id="u1"))
        self.assertEqual(self.listed("pending_reports", "report_id"), ["rp1"])


if __name__ == "__main__":
    unittest.main()
