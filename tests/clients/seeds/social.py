"""Seed 4, the social network: the requests of its access patterns, word for word."""

import unittest

from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

from pattern_tables import SeedCase

TABLE = "SocialMediaApp"


def begins(prefix):
    return ("begins_with", prefix)


class Filled(SeedCase):
    """The tables are filled through patterns, and the documented requests find the items."""

    design = "social"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        make = cls()
        cls.anna, cls.binh = (
            make.run_pattern("create_user", username=name, email=f"{name}@example.com", displayName=name)["userId"]
            for name in ("anna", "binh")
        )
        cls.posts = [
            make.run_pattern("create_post", userId=cls.anna, imageUrl="https://pictures.example/1.jpg")["postId"]
            for _ in range(3)
        ]
        cls.post = cls.posts[0]
        make.run_pattern("like", postId=cls.post, userId=cls.binh)
        cls.comments = [
            make.run_pattern("comment", postId=cls.post, userId=cls.binh, content=content)
            for content in ("first", "second")
        ]
        make.run_pattern("follow", followerId=cls.binh, followingId=cls.anna)
        cls.settled()

    def ask(self, partition, sort=None, **options):
        return self.query(TABLE, partition, sort, **options)

    def test_user_by_id(self):
        [user] = self.ask(("PK", f"USER#{self.anna}"), ("SK", "PROFILE"))
        documented = {"userId", "email", "username", "displayName", "followerCount", "followingCount", "postCount",
                      "createdAt", "updatedAt", "entityType", "PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"}
        # The sums behind the counts.
        documented.add("_derived")
        self.assertEqual(set(user), documented)
        self.assertEqual(user["entityType"], "USER")
        self.assertEqual((user["GSI1SK"], user["GSI2SK"]), ("USER", "USER"))

    def test_user_by_username(self):
        [user] = self.ask(("GSI1PK", "USERNAME#anna"), index="GSI1")
        self.assertEqual(user["userId"], self.anna)

    def test_user_by_email(self):
        [user] = self.ask(("GSI2PK", "EMAIL#anna@example.com"), index="GSI2")
        self.assertEqual((user["userId"], user["followerCount"]), (self.anna, 1))

    def test_post_by_id(self):
        [post] = self.ask(("PK", f"POST#{self.post}"), ("SK", "METADATA"))
        self.assertEqual((post["userId"], post["entityType"]), (self.anna, "POST"))

    def test_posts_of_a_user_newest_first(self):
        posts = self.ask(("GSI1PK", f"USER#{self.anna}"), ("GSI1SK", begins("POST#")), index="GSI1", newest=True,
                         limit=20)
        self.assertEqual([post["postId"] for post in posts], self.posts[::-1])

    def test_global_feed(self):
        posts = self.ask(("GSI3PK", "FEED"), ("GSI3SK", begins("POST#")), index="GSI3")
        self.assertEqual([post["postId"] for post in posts], self.posts)
        self.assertEqual((posts[0]["likeCount"], posts[0]["commentCount"]), (1, 2))

    def test_likes_of_a_post(self):
        [like] = self.ask(("PK", f"POST#{self.post}"), ("SK", begins("LIKE#")))
        self.assertEqual((like["userId"], like["entityType"]), (self.binh, "LIKE"))

    def test_has_a_user_liked(self):
        self.assertIsNotNone(self.get(TABLE, PK=f"POST#{self.post}", SK=f"LIKE#{self.binh}"))
        self.assertIsNone(self.get(TABLE, PK=f"POST#{self.post}", SK=f"LIKE#{self.anna}"))

    def test_posts_that_a_user_liked(self):
        likes = self.ask(("GSI1PK", f"USER#{self.binh}"), ("GSI1SK", begins("LIKE#")), index="GSI1")
        self.assertEqual([like["postId"] for like in likes], [self.post])

    def test_a_second_like_is_refused(self):
        with self.assertRaises(ClientError) as refused:
            self.put(TABLE, {"PK": f"POST#{self.post}", "SK": f"LIKE#{self.binh}"},
                     ConditionExpression="attribute_not_exists(PK)")
        self.assertEqual(refused.exception.response["Error"]["Code"], "ConditionalCheckFailedException")

    def test_comments_of_a_post_in_order(self):
        comments = self.ask(("PK", f"POST#{self.post}"), ("SK", begins("COMMENT#")), limit=20)
        self.assertEqual([comment["content"] for comment in comments], ["first", "second"])

    def test_comments_of_a_user(self):
        comments = self.ask(("GSI1PK", f"USER#{self.binh}"), ("GSI1SK", begins("COMMENT#")), index="GSI1")
        self.assertEqual(len(comments), 2)

    def test_one_comment(self):
        comment = self.comments[1]
        sort = f"COMMENT#{comment['createdAt']}#{comment['commentId']}"
        [found] = self.ask(("PK", f"POST#{self.post}"), ("SK", sort))
        self.assertEqual(found["content"], "second")

    def test_following_and_followers(self):
        [following] = self.ask(("PK", f"USER#{self.binh}"), ("SK", begins("FOLLOWING#")))
        self.assertEqual((following["followingId"], following["entityType"]), (self.anna, "FOLLOW"))
        [follower] = self.ask(("GSI1PK", f"USER#{self.anna}"), ("GSI1SK", begins("FOLLOWER#")), index="GSI1")
        self.assertEqual(follower["followerId"], self.binh)

    def test_does_one_follow_the_other(self):
        self.assertIsNotNone(self.get(TABLE, PK=f"USER#{self.binh}", SK=f"FOLLOWING#{self.anna}"))
        self.assertIsNone(self.get(TABLE, PK=f"USER#{self.anna}", SK=f"FOLLOWING#{self.binh}"))


class Changed(SeedCase):
    """Items that patterns wrote are changed and deleted as documented, and patterns see it."""

    design = "social"

    def setUp(self):
        made = [self.run_pattern("create_post", userId="anna", imageUrl="https://pictures.example/1.jpg")
                for _ in range(3)]
        self.posts = [post["postId"] for post in made]
        self.of_post = {"postId": self.posts[0]}
        self.table = self.database.Table(TABLE)

    def test_a_like_is_removed(self):
        self.run_pattern("like", userId="binh", **self.of_post)
        self.table.delete_item(Key={"PK": f"POST#{self.posts[0]}", "SK": "LIKE#binh"})
        self.assertFalse(self.run_pattern("has_liked", userId="binh", **self.of_post))
        self.run_pattern("like", userId="binh", **self.of_post)

    def test_a_comment_is_changed_and_deleted(self):
        comment = self.run_pattern("comment", userId="binh", content="typo", **self.of_post)
        key = {"PK": f"POST#{self.posts[0]}", "SK": f"COMMENT#{comment['createdAt']}#{comment['commentId']}"}
        self.table.update_item(Key=key, UpdateExpression="SET content = :c",
                               ExpressionAttributeValues={":c": "no typo"})
        self.assertEqual(self.listed("post_comments", "content", **self.of_post), ["no typo"])
        self.table.delete_item(Key=key)
        self.assertEqual(self.listed("user_comments", "content", userId="binh"), [])

    def test_a_user_is_unfollowed(self):
        self.run_pattern("follow", followerId="chi", followingId="anna")
        key = {"PK": "USER#chi", "SK": "FOLLOWING#anna"}
        with self.assertRaises(ClientError) as refused:
            self.put(TABLE, key, ConditionExpression="attribute_not_exists(PK)")
        self.assertEqual(refused.exception.response["Error"]["Code"], "ConditionalCheckFailedException")
        self.table.delete_item(Key=key)
        self.assertFalse(self.run_pattern("follows", followerId="chi", followingId="anna"))

    def test_pages_go_on_by_the_last_evaluated_key(self):
        options = {"IndexName": "GSI1", "Limit": 2, "ScanIndexForward": False,
                   "KeyConditionExpression": Key("GSI1PK").eq("USER#anna") & Key("GSI1SK").begins_with("POST#")}
        found, start = [], {}
        while start is not None:
            page = self.table.query(**options, **start)
            found += [item["postId"] for item in page["Items"]]
            last = page.get("LastEvaluatedKey")
            start = None if last is None else {"ExclusiveStartKey": last}
        self.assertEqual(found[:3], self.posts[::-1])
        self.assertEqual(len(found), len(set(found)))

    def test_the_feed_of_a_user_is_merged_from_the_users_followed(self):
        self.run_pattern("follow", followerId="dung", followingId="anna")
        following = self.query(TABLE, ("PK", "USER#dung"), ("SK", begins("FOLLOWING#")))
        posts = [post for follow in following
                 for post in self.query(TABLE, ("GSI1PK", f"USER#{follow['followingId']}"),
                                        ("GSI1SK", begins("POST#")), index="GSI1")]
        posts.sort(key=lambda post: post["createdAt"], reverse=True)
        feed = self.listed("home_feed", "postId", followerId="dung")
        self.assertEqual([post["postId"] for post in posts], feed)


class Written(SeedCase):
    """Items that are put word for word are found by patterns."""

    design = "social"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        at = "2026-11-18T10:00:00.000Z"
        user = {"PK": "USER#user123", "SK": "PROFILE", "GSI1PK": "USERNAME#ada", "GSI1SK": "USER",
                "GSI2PK": "EMAIL#ada@example.com", "GSI2SK": "USER", "userId": "user123", "email": "ada@example.com",
                "username": "ada", "displayName": "Ada", "followerCount": 0, "followingCount": 1, "postCount": 1,
                "createdAt": at, "updatedAt": at, "entityType": "USER"}
        post = {"PK": "POST#123", "SK": "METADATA", "GSI1PK": "USER#user123", "GSI1SK": f"POST#{at}",
                "GSI3PK": "FEED", "GSI3SK": f"POST#{at}", "postId": "123", "userId": "user123",
                "imageUrl": "https://pictures.example/1.jpg", "caption": "hello", "likeCount": 1, "commentCount": 1,
                "createdAt": at, "updatedAt": at, "entityType": "POST"}
        like = {"PK": "POST#123", "SK": "LIKE#user456", "GSI1PK": "USER#user456", "GSI1SK": f"LIKE#{at}#123",
                "postId": "123", "userId": "user456", "createdAt": at, "entityType": "LIKE"}
        comment = {"PK": "POST#123", "SK": f"COMMENT#{at}#c1", "GSI1PK": "USER#user456",
                   "GSI1SK": f"COMMENT#{at}#123", "commentId": "c1", "postId": "123", "userId": "user456",
                   "content": "nice", "createdAt": at, "updatedAt": at, "entityType": "COMMENT"}
        follow = {"PK": "USER#user456", "SK": "FOLLOWING#user123", "GSI1PK": "USER#user123",
                  "GSI1SK": "FOLLOWER#user456", "followerId": "user456", "followingId": "user123", "createdAt": at,
                  "entityType": "FOLLOW"}
        cls.at = at
        cls().put(TABLE, user, post, like, comment, follow, ConditionExpression="attribute_not_exists(PK)")
        cls.settled()

    def test_users(self):
        for pattern, known in [("get_user", {"userId": "user123"}), ("user_by_name", {"username": "ada"}),
                               ("user_by_email", {"email": "ada@example.com"})]:
            user = self.run_pattern(pattern, **known)
            counts = tuple(user[name] for name in ("followerCount", "followingCount", "postCount"))
            self.assertEqual((user["userId"], counts), ("user123", (1, 0, 1)), pattern)

    def test_posts_and_feeds(self):
        self.assertEqual(self.run_pattern("get_post", postId="123")["caption"], "hello")
        self.assertEqual(self.listed("user_posts", "postId", userId="user123"), ["123"])
        self.assertEqual(self.listed("global_feed", "postId"), ["123"])
        self.assertEqual(self.listed("home_feed", "postId", followerId="user456"), ["123"])

    def test_likes(self):
        self.assertEqual(self.listed("post_likes", "userId", postId="123"), ["user456"])
        self.assertTrue(self.run_pattern("has_liked", postId="123", userId="user456"))
        self.assertEqual(self.listed("liked_posts", "postId", userId="user456"), ["123"])
        with self.assertRaisesRegex(AssertionError, "Like is there already"):
            self.run_pattern("like", postId="123", userId="user456")

    def test_comments(self):
        self.assertEqual(self.listed("post_comments", "content", postId="123"), ["nice"])
        self.assertEqual(self.listed("user_comments", "content", userId="user456"), ["nice"])
        key = {"postId": "123", "createdAt": self.at, "commentId": "c1"}
        self.assertEqual(self.run_pattern("get_comment", **key)["content"], "nice")

    def test_follows(self):
        self.assertEqual(self.listed("following", "followingId", followerId="user456"), ["user123"])
        self.assertEqual(self.listed("followers", "followerId", followingId="user123"), ["user456"])
        self.assertTrue(self.run_pattern("follows", followerId="user456", followingId="user123"))

    def test_pages(self):
        page = self.run_pattern("post_page", postId="123", userId="user456")
        self.assertEqual((page["post"]["likeCount"], page["liked"]), (1, True))
        self.assertEqual(page["comments"]["items"][0]["commentId"], "c1")
        page = self.run_pattern("profile_page", userId="user123")
        self.assertEqual((page["user"]["displayName"], len(page["posts"]["items"])), ("Ada", 1))


if __name__ == "__main__":
    unittest.main()
