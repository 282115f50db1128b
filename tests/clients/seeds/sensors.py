"""Seed 3, the Cassandra part of the modelling guide: its queries as requests to tables with the same keys."""

import unittest

from pattern_tables import SeedCase


class Filled(SeedCase):
    """The tables are filled through patterns, and the documented queries find the items."""

    design = "sensors"

    def test_readings_of_a_sensor_and_day_latest_first(self):
        for time, temperature in [("06:00:00", 4), ("12:00:00", 21)]:
            self.run_pattern("record_reading", sensor_id="s1", reading_date="2026-11-18",
                             reading_time=f"2026-11-18T{time}Z", temperature=temperature)
        day = ("sensor_day", "s1#2026-11-18")
        found = self.query("sensor_readings", day, newest=True)
        self.assertEqual([reading["temperature"] for reading in found], [21, 4])
        self.assertEqual(len(self.query("sensor_readings", day, newest=True, limit=1)), 1)

    def test_a_post_is_in_three_tables(self):
        made = self.run_pattern("publish_post", user_id="u1", content="hello", hashtags=["food"])
        post = made["post"]["post_id"]
        [of_user] = self.query("posts_by_user", ("user_id", "u1"))
        [of_hashtag] = self.query("posts_by_hashtag", ("hashtag", "food"))
        by_id = self.get("posts_by_id", post_id=post)
        self.assertEqual([item["post_id"] for item in (of_user, of_hashtag, by_id)], [post] * 3)
        self.assertEqual(by_id["hashtags"], {"food"})


class Written(SeedCase):
    """Items that are put word for word are found by patterns."""

    design = "sensors"

    def test_readings(self):
        self.put("sensor_readings", {"sensor_day": "s1#2026-11-18", "reading_time": "2026-11-18T06:00:00.000Z",
                                     "sensor_id": "s1", "reading_date": "2026-11-18", "temperature": 4})
        for pattern in ("readings_of_day", "latest_readings"):
            found = self.listed(pattern, "temperature", sensor_id="s1", reading_date="2026-11-18")
            self.assertEqual(found, [4], pattern)

    def test_posts(self):
        post = {"post_id": "p1", "user_id": "u1", "content": "hello", "created_at": "2026-11-18T06:00:00.000Z"}
        self.put("posts_by_user", post)
        self.put("posts_by_hashtag", {**post, "hashtag": "food"})
        self.put("posts_by_id", {**post, "hashtags": {"food"}})
        self.assertEqual(self.listed("user_posts", "post_id", user_id="u1"), ["p1"])
        self.assertEqual(self.listed("hashtag_posts", "post_id", hashtag="food"), ["p1"])
        self.assertEqual(self.run_pattern("get_post", post_id="p1")["hashtags"], ["food"])


if __name__ == "__main__":
    unittest.main()
