//! Products of a shop, with what is said about them.

/// A product.
#[derive(Debug)]
pub(super) struct Product {
    pub(super) name: &'static str,
    pub(super) category: &'static str,
    /// In cents.
    pub(super) price: i64,
    pub(super) about: &'static str,
    pub(super) facts: &'static [(&'static str, &'static str)],
}

pub(super) const PRODUCTS: &[Product] = &[
    Product {
        name: "Cast-iron pan, 26 cm",
        category: "Kitchen",
        price: 3990,
        about: "Holds the heat, lasts a lifetime.",
        facts: &[("material", "cast iron"), ("weight", "2.4 kg"), ("dishwasher", "no")],
    },
    Product {
        name: "Espresso cups, set of 4",
        category: "Kitchen",
        price: 2450,
        about: "Thick porcelain that keeps the coffee hot.",
        facts: &[("material", "porcelain"), ("volume", "70 ml")],
    },
    Product {
        name: "Linen apron",
        category: "Kitchen",
        price: 2900,
        about: "Washed linen with two pockets.",
        facts: &[("material", "linen"), ("colour", "sage")],
    },
    Product {
        name: "Chef's knife, 20 cm",
        category: "Kitchen",
        price: 7900,
        about: "A sharp all-rounder with a walnut handle.",
        facts: &[("blade", "stainless steel"), ("weight", "210 g")],
    },
    Product {
        name: "Walnut cutting board",
        category: "Kitchen",
        price: 4590,
        about: "Oiled by hand, with a groove for juice.",
        facts: &[("material", "walnut"), ("size", "40 × 28 cm")],
    },
    Product {
        name: "Desk lamp",
        category: "Home",
        price: 5490,
        about: "Warm light that dims to a glow.",
        facts: &[("power", "9 W"), ("colour", "black")],
    },
    Product {
        name: "Wool blanket",
        category: "Home",
        price: 8900,
        about: "Woven in Portugal from recycled wool.",
        facts: &[("material", "wool"), ("size", "140 × 200 cm")],
    },
    Product {
        name: "Wall clock",
        category: "Home",
        price: 3450,
        about: "Silent movement, large numerals.",
        facts: &[("diameter", "30 cm"), ("battery", "AA")],
    },
    Product {
        name: "Reading chair",
        category: "Home",
        price: 24900,
        about: "Oak frame and a deep seat.",
        facts: &[("material", "oak"), ("weight", "11 kg")],
    },
    Product {
        name: "Hiking backpack, 30 l",
        category: "Outdoor",
        price: 9990,
        about: "A frame that breathes and a rain cover.",
        facts: &[("volume", "30 l"), ("weight", "980 g")],
    },
    Product {
        name: "Two-person tent",
        category: "Outdoor",
        price: 17900,
        about: "Up in five minutes, dry all night.",
        facts: &[("weight", "2.1 kg"), ("seasons", "3")],
    },
    Product {
        name: "Insulated bottle, 0.75 l",
        category: "Outdoor",
        price: 2790,
        about: "Cold for a day, hot for half of one.",
        facts: &[("volume", "750 ml"), ("material", "steel")],
    },
    Product {
        name: "Head torch",
        category: "Outdoor",
        price: 3290,
        about: "300 lumens and a red light for the tent.",
        facts: &[("battery", "USB-C"), ("weight", "82 g")],
    },
    Product {
        name: "Bicycle bell",
        category: "Outdoor",
        price: 1290,
        about: "Brass, with a long clear tone.",
        facts: &[("material", "brass")],
    },
    Product {
        name: "Wireless keyboard",
        category: "Electronics",
        price: 6990,
        about: "Quiet keys, three devices, a year per charge.",
        facts: &[("layout", "ISO"), ("battery", "USB-C")],
    },
    Product {
        name: "Noise-cancelling headphones",
        category: "Electronics",
        price: 19900,
        about: "Thirty hours of quiet.",
        facts: &[("battery", "30 h"), ("weight", "254 g")],
    },
    Product {
        name: "Portable speaker",
        category: "Electronics",
        price: 5990,
        about: "Small, loud and waterproof.",
        facts: &[("battery", "12 h"), ("protection", "IP67")],
    },
    Product {
        name: "USB-C hub",
        category: "Electronics",
        price: 3490,
        about: "Seven ports on a short cable.",
        facts: &[("ports", "7"), ("power", "100 W")],
    },
    Product {
        name: "Notebook, dotted",
        category: "Stationery",
        price: 1490,
        about: "Thread-bound, opens flat.",
        facts: &[("pages", "192"), ("size", "A5")],
    },
    Product {
        name: "Fountain pen",
        category: "Stationery",
        price: 2690,
        about: "A fine nib for everyday writing.",
        facts: &[("nib", "F"), ("colour", "blue")],
    },
    Product {
        name: "Watercolour set",
        category: "Stationery",
        price: 3190,
        about: "Twelve half pans in a tin box.",
        facts: &[("colours", "12")],
    },
    Product {
        name: "Wooden train",
        category: "Toys",
        price: 2290,
        about: "Beech wagons with magnets.",
        facts: &[("material", "beech"), ("age", "from 2")],
    },
    Product {
        name: "Building blocks, 100 pieces",
        category: "Toys",
        price: 2990,
        about: "Untreated wood in a cotton bag.",
        facts: &[("material", "wood"), ("age", "from 1")],
    },
    Product {
        name: "World map puzzle",
        category: "Toys",
        price: 1890,
        about: "A thousand pieces, hand-drawn.",
        facts: &[("pieces", "1000"), ("age", "from 8")],
    },
];

pub(in crate::seed) const PRODUCT_VARIANTS: &[&str] =
    &["", ", grey", ", blue", ", second edition", ", green", ", gift box", ", refurbished"];
pub(in crate::seed) const PRODUCT_REVIEWS: &[&str] = &[
    "Exactly as described, and it came a day early.",
    "Good quality for the price.",
    "Smaller than I thought, but I like it.",
    "We use it every day. Still like new after three months.",
    "The packaging was damaged, the contents were fine.",
    "Bought a second one as a present.",
    "It does what it should. Nothing more to say.",
    "Returned it once, the exchange was quick.",
];
pub(in crate::seed) const COMPANIES: &[&str] = &[
    "Harbour & Pine",
    "Nordlicht Studio",
    "Tanaka Works",
    "Blue Kite Logistics",
    "Casa Verde",
    "Lotus Bikes",
    "Fjord Coffee",
    "Paper Lantern",
    "Baobab Labs",
    "Old Mill Bakery",
];
