"""Seed 3, the shop of the modelling guide: the requests of its single table and of its worksheet."""

import unittest

from pattern_tables import SeedCase

TABLE = "shop"


def begins(prefix):
    return ("begins_with", prefix)


class Filled(SeedCase):
    """The table is filled through patterns, and the documented requests find the items."""

    design = "shop"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = cls().run_pattern
        run("create_customer", customer_id="123", email="alice@example.com", first_name="Alice", last_name="Smith")
        for address in ("1", "2"):
            run("save_address", customer_id="123", address_id=address, street="123 Main", city="NYC")
        for order in ("2024-001", "2024-002"):
            run("create_order", order_id=order, customer_id="123")
        cls.line = {"customer_id": "123", "order_id": "2024-001", "product_id": "P001", "product_name": "iPhone 15",
                    "quantity": 1, "price": 999, "amount": 999}
        for line in (1, 2):
            run("add_order_item", line=line, **cls.line)
        run("flag_order", customer_id="123", order_id="2024-002")
        run("create_product", product_id="P001", name="iPhone 15", price=999, categories=["Electronics"])

    def found(self, field, partition, sort=None, **options):
        return [item[field] for item in self.query(TABLE, partition, sort, **options)]

    def test_customer(self):
        self.assertEqual(self.get(TABLE, PK="CUSTOMER#123", SK="PROFILE")["email"], "alice@example.com")

    def test_addresses_of_a_customer(self):
        for prefix in ("ADDRESS", "ADDRESS#"):
            found = self.found("SK", ("PK", "CUSTOMER#123"), ("SK", begins(prefix)))
            self.assertEqual(found, ["ADDRESS#1", "ADDRESS#2"])

    def test_orders_of_a_customer(self):
        for prefix in ("ORDER", "ORDER#"):
            found = self.found("SK", ("PK", "CUSTOMER#123"), ("SK", begins(prefix)))
            self.assertEqual(found, ["ORDER#2024-001", "ORDER#2024-002"])

    def test_items_of_an_order(self):
        # The number of a line has three digits here, so that the tenth comes after the second.
        found = self.found("SK", ("PK", "ORDER#2024-001"), ("SK", begins("ITEM")))
        self.assertEqual(found, ["ITEM#001", "ITEM#002"])

    def test_product_and_its_categories(self):
        self.assertEqual(self.get(TABLE, PK="PRODUCT#P001", SK="METADATA")["name"], "iPhone 15")
        category = self.get(TABLE, PK="PRODUCT#P001", SK="CATEGORY#Electronics")
        self.assertEqual(category["category_name"], "Electronics")

    def test_orders_that_contain_a_product(self):
        found = self.found("order_id", ("GSI2PK", "PRODUCT#P001"), index="GSI2")
        self.assertEqual(set(found), {"2024-001"})

    def test_orders_of_a_status_are_gathered_from_ten_keys(self):
        found = [self.found("order_id", ("GSI1PK", f"STATUS#pending#{shard}"), index="GSI1") for shard in range(10)]
        self.assertEqual(sorted(sum(found, [])), ["2024-001", "2024-002"])

    def test_all_orders_are_gathered_from_ten_keys(self):
        found = [self.found("order_id", ("GSI2PK", f"ORDERS#{shard}"), index="GSI2") for shard in range(10)]
        self.assertEqual(sorted(sum(found, [])), ["2024-001", "2024-002"])

    def test_only_flagged_orders_are_in_the_sparse_index(self):
        found = [self.found("SK", ("GSI3PK", f"FLAGGED#{shard}"), index="GSI3") for shard in range(4)]
        self.assertEqual(sum(found, []), ["ORDER#2024-002"])


class Written(SeedCase):
    """Items that are put word for word are found by patterns."""

    design = "shop"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        at = "2026-11-18T10:00:00.000Z"
        cls().put(
            TABLE,
            {"PK": "CUSTOMER#123", "SK": "PROFILE", "name": "Alice", "email": "alice@example.com"},
            {"PK": "CUSTOMER#123", "SK": "ADDRESS#1", "street": "123 Main", "city": "NYC", "type": "shipping"},
            {"PK": "CUSTOMER#123", "SK": "ADDRESS#2", "street": "456 Oak", "city": "LA", "type": "billing"},
            {"PK": "CUSTOMER#123", "SK": "ORDER#2024-001", "total": 999, "status": "paid", "order_date": at},
            {"PK": "CUSTOMER#123", "SK": "ORDER#2024-002", "total": 10, "status": "pending", "order_date": at},
            {"PK": "ORDER#2024-001", "SK": "ITEM#001", "product_id": "P001", "quantity": 1},
            {"PK": "PRODUCT#P001", "SK": "METADATA", "name": "iPhone 15", "price": 999},
            {"PK": "PRODUCT#P001", "SK": "CATEGORY#Electronics", "category_name": "Electronics"},
        )

    def test_customers(self):
        self.assertEqual(self.run_pattern("get_customer", customer_id="123")["name"], "Alice")
        self.assertEqual(self.listed("customer_addresses", "type", customer_id="123"), ["shipping", "billing"])

    def test_orders(self):
        self.assertEqual(self.listed("customer_orders", "total", customer_id="123"), [10, 999])
        self.assertEqual(self.run_pattern("get_order", customer_id="123", order_id="2024-001")["status"], "paid")
        self.assertEqual(self.listed("order_items", "product_id", order_id="2024-001"), ["P001"])
        self.assertEqual(self.listed("order_history", "total", customer_id="123"), [10, 999])

    def test_products(self):
        self.assertEqual(self.run_pattern("get_product", product_id="P001")["name"], "iPhone 15")


if __name__ == "__main__":
    unittest.main()
