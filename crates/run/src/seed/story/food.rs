//! Dishes with what belongs to them, and ingredients.

/// A dish: everything that a recipe says about it.
#[derive(Debug)]
pub(super) struct Dish {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) cuisine: &'static str,
    pub(super) method: &'static str,
    pub(super) meal: &'static str,
    /// Name, quantity and unit.
    pub(super) ingredients: &'static [(&'static str, &'static str, &'static str)],
    pub(super) steps: &'static [&'static str],
}

pub(super) const DISHES: &[Dish] = &[
    Dish {
        name: "Phở bò",
        about: "Beef noodle soup with a broth that simmers all afternoon.",
        cuisine: "Vietnamese",
        method: "simmer",
        meal: "main",
        ingredients: &[
            ("Rice noodles", "400", "g"),
            ("Beef brisket", "800", "g"),
            ("Star anise", "4", "piece"),
            ("Ginger", "50", "g"),
            ("Spring onions", "3", "piece"),
        ],
        steps: &[
            "Char the ginger and an onion.",
            "Simmer the brisket with the spices for three hours.",
            "Cook the noodles and drain them.",
            "Slice the beef and pour the hot broth over everything.",
        ],
    },
    Dish {
        name: "Spaghetti carbonara",
        about: "Eggs, pecorino and guanciale. No cream.",
        cuisine: "Italian",
        method: "boil",
        meal: "main",
        ingredients: &[
            ("Spaghetti", "320", "g"),
            ("Guanciale", "150", "g"),
            ("Eggs", "4", "piece"),
            ("Pecorino", "60", "g"),
        ],
        steps: &[
            "Fry the guanciale until it is crisp.",
            "Beat the eggs with the cheese.",
            "Toss the hot pasta with both, off the heat.",
        ],
    },
    Dish {
        name: "Chana masala",
        about: "Chickpeas in a spiced tomato sauce, better on the second day.",
        cuisine: "Indian",
        method: "stew",
        meal: "main",
        ingredients: &[
            ("Chickpeas", "500", "g"),
            ("Tomatoes", "400", "g"),
            ("Onions", "2", "piece"),
            ("Garam masala", "2", "tsp"),
            ("Ginger", "20", "g"),
        ],
        steps: &[
            "Brown the onions.",
            "Add the spices, then the tomatoes.",
            "Stew the chickpeas in it for twenty minutes.",
        ],
    },
    Dish {
        name: "Shakshuka",
        about: "Eggs poached in peppers and tomatoes, straight from the pan.",
        cuisine: "Middle Eastern",
        method: "simmer",
        meal: "breakfast",
        ingredients: &[
            ("Eggs", "4", "piece"),
            ("Tomatoes", "600", "g"),
            ("Bell peppers", "2", "piece"),
            ("Cumin", "1", "tsp"),
        ],
        steps: &[
            "Soften the peppers.",
            "Simmer the tomatoes with the cumin.",
            "Make four wells and poach the eggs in them.",
        ],
    },
    Dish {
        name: "Miso soup",
        about: "Tofu, wakame and a good dashi in fifteen minutes.",
        cuisine: "Japanese",
        method: "simmer",
        meal: "starter",
        ingredients: &[
            ("Dashi", "800", "ml"),
            ("Miso paste", "3", "tbsp"),
            ("Tofu", "200", "g"),
            ("Wakame", "5", "g"),
        ],
        steps: &["Warm the dashi.", "Stir in the miso away from the boil.", "Add the tofu and the wakame."],
    },
    Dish {
        name: "Tacos al pastor",
        about: "Marinated pork with pineapple on warm tortillas.",
        cuisine: "Mexican",
        method: "grill",
        meal: "main",
        ingredients: &[
            ("Pork shoulder", "700", "g"),
            ("Pineapple", "1", "piece"),
            ("Corn tortillas", "12", "piece"),
            ("Dried chillies", "4", "piece"),
            ("Coriander", "1", "bunch"),
        ],
        steps: &[
            "Marinate the pork overnight.",
            "Grill it with the pineapple.",
            "Chop it and fill the tortillas.",
        ],
    },
    Dish {
        name: "Lemon drizzle cake",
        about: "A loaf with a sharp sugar crust.",
        cuisine: "British",
        method: "bake",
        meal: "dessert",
        ingredients: &[
            ("Butter", "200", "g"),
            ("Sugar", "250", "g"),
            ("Flour", "220", "g"),
            ("Lemons", "2", "piece"),
            ("Eggs", "4", "piece"),
        ],
        steps: &[
            "Cream the butter and the sugar.",
            "Fold in eggs, flour and zest.",
            "Bake for 45 minutes at 170 °C.",
            "Pour the lemon syrup over the warm cake.",
        ],
    },
    Dish {
        name: "Greek salad",
        about: "Tomatoes, cucumber, olives and a slab of feta.",
        cuisine: "Greek",
        method: "raw",
        meal: "salad",
        ingredients: &[
            ("Tomatoes", "500", "g"),
            ("Cucumber", "1", "piece"),
            ("Feta", "200", "g"),
            ("Olives", "80", "g"),
            ("Oregano", "1", "tsp"),
        ],
        steps: &[
            "Cut the vegetables into large pieces.",
            "Lay the feta on top and dress it with oil and oregano.",
        ],
    },
    Dish {
        name: "Pad krapow",
        about: "Minced chicken with holy basil and a fried egg.",
        cuisine: "Thai",
        method: "stir-fry",
        meal: "main",
        ingredients: &[
            ("Chicken", "400", "g"),
            ("Holy basil", "1", "bunch"),
            ("Chillies", "4", "piece"),
            ("Garlic", "6", "piece"),
            ("Eggs", "2", "piece"),
        ],
        steps: &[
            "Pound the garlic and the chillies.",
            "Stir-fry them with the chicken over high heat.",
            "Fold in the basil and serve with a fried egg.",
        ],
    },
    Dish {
        name: "Potato pancakes",
        about: "Crisp at the edges, with apple sauce or smoked fish.",
        cuisine: "German",
        method: "fry",
        meal: "main",
        ingredients: &[
            ("Potatoes", "1", "kg"),
            ("Onions", "1", "piece"),
            ("Eggs", "2", "piece"),
            ("Flour", "3", "tbsp"),
        ],
        steps: &[
            "Grate the potatoes and squeeze them dry.",
            "Mix in onion, egg and flour.",
            "Fry thin pancakes in plenty of oil.",
        ],
    },
    Dish {
        name: "Mushroom risotto",
        about: "Creamy rice with porcini, stirred with patience.",
        cuisine: "Italian",
        method: "simmer",
        meal: "main",
        ingredients: &[
            ("Risotto rice", "320", "g"),
            ("Mushrooms", "300", "g"),
            ("Vegetable stock", "1", "l"),
            ("Parmesan", "60", "g"),
            ("Butter", "40", "g"),
        ],
        steps: &[
            "Brown the mushrooms.",
            "Toast the rice and add the stock ladle by ladle.",
            "Stir in butter and cheese at the end.",
        ],
    },
    Dish {
        name: "Bánh mì",
        about: "A crisp baguette with pickled vegetables and grilled pork.",
        cuisine: "Vietnamese",
        method: "grill",
        meal: "snack",
        ingredients: &[
            ("Baguettes", "4", "piece"),
            ("Pork neck", "400", "g"),
            ("Carrots", "2", "piece"),
            ("Daikon", "1", "piece"),
            ("Coriander", "1", "bunch"),
        ],
        steps: &[
            "Pickle the vegetables.",
            "Grill the pork.",
            "Fill the bread and finish it with coriander and chilli.",
        ],
    },
    Dish {
        name: "Caldo verde",
        about: "Kale and potato soup with slices of chouriço.",
        cuisine: "Portuguese",
        method: "simmer",
        meal: "starter",
        ingredients: &[
            ("Potatoes", "600", "g"),
            ("Kale", "300", "g"),
            ("Chouriço", "150", "g"),
            ("Garlic", "2", "piece"),
        ],
        steps: &[
            "Boil the potatoes with the garlic and mash them.",
            "Add the finely cut kale for five minutes.",
            "Serve with the sausage.",
        ],
    },
    Dish {
        name: "Apple crumble",
        about: "Soft apples under oats and brown sugar.",
        cuisine: "British",
        method: "bake",
        meal: "dessert",
        ingredients: &[
            ("Apples", "6", "piece"),
            ("Oats", "80", "g"),
            ("Flour", "120", "g"),
            ("Butter", "100", "g"),
            ("Sugar", "90", "g"),
        ],
        steps: &[
            "Slice the apples into a dish.",
            "Rub butter, flour, oats and sugar to crumbs.",
            "Bake until golden.",
        ],
    },
    Dish {
        name: "Jollof rice",
        about: "Rice in a smoky tomato and pepper sauce.",
        cuisine: "Nigerian",
        method: "simmer",
        meal: "main",
        ingredients: &[
            ("Rice", "400", "g"),
            ("Tomatoes", "400", "g"),
            ("Bell peppers", "3", "piece"),
            ("Onions", "2", "piece"),
            ("Thyme", "1", "tsp"),
        ],
        steps: &[
            "Blend the peppers and the tomatoes.",
            "Fry the sauce until it darkens.",
            "Cook the rice in it over low heat.",
        ],
    },
    Dish {
        name: "Okonomiyaki",
        about: "A cabbage pancake with everything on top.",
        cuisine: "Japanese",
        method: "fry",
        meal: "main",
        ingredients: &[
            ("Cabbage", "400", "g"),
            ("Flour", "150", "g"),
            ("Eggs", "3", "piece"),
            ("Bacon", "100", "g"),
        ],
        steps: &[
            "Mix cabbage, flour and eggs.",
            "Fry thick pancakes with the bacon.",
            "Finish them with sauce and mayonnaise.",
        ],
    },
];

/// Appended to the name of a dish that was told already.
pub(in crate::seed) const DISH_VARIANTS: &[&str] =
    &["", " for two", " the easy way", " with a twist", " for a crowd", " like at home", " on a weeknight"];

/// Name, category, unit and another name.
pub(in crate::seed) const INGREDIENTS: &[(&str, &str, &str, &str)] = &[
    ("Tomatoes", "vegetable", "kg", "Cherry tomatoes"),
    ("Chicken", "meat", "g", "Thịt gà"),
    ("Rice", "grain", "kg", "Jasmine rice"),
    ("Eggs", "dairy and eggs", "piece", "Free-range eggs"),
    ("Milk", "dairy and eggs", "l", "Whole milk"),
    ("Garlic", "vegetable", "piece", "Tỏi"),
    ("Onions", "vegetable", "kg", "Brown onions"),
    ("Butter", "dairy and eggs", "g", "Salted butter"),
    ("Spinach", "vegetable", "g", "Baby spinach"),
    ("Salmon", "fish", "g", "Salmon fillet"),
    ("Apples", "fruit", "kg", "Braeburn apples"),
    ("Bananas", "fruit", "piece", "Plantain"),
    ("Carrots", "vegetable", "kg", "Baby carrots"),
    ("Potatoes", "vegetable", "kg", "New potatoes"),
    ("Spaghetti", "grain", "g", "Spaghettoni"),
    ("Flour", "grain", "kg", "Plain flour"),
    ("Ginger", "spice", "g", "Gừng"),
    ("Coriander", "herb", "bunch", "Cilantro"),
    ("Basil", "herb", "bunch", "Sweet basil"),
    ("Lemons", "fruit", "piece", "Amalfi lemons"),
    ("Tofu", "vegetable protein", "g", "Bean curd"),
    ("Chickpeas", "vegetable protein", "g", "Garbanzo beans"),
    ("Olive oil", "oil", "ml", "Extra virgin olive oil"),
    ("Soy sauce", "condiment", "ml", "Shoyu"),
    ("Yoghurt", "dairy and eggs", "g", "Greek yoghurt"),
    ("Cheddar", "dairy and eggs", "g", "Mature cheddar"),
    ("Beef mince", "meat", "g", "Ground beef"),
    ("Mushrooms", "vegetable", "g", "Chestnut mushrooms"),
    ("Bell peppers", "vegetable", "piece", "Capsicum"),
    ("Cumin", "spice", "tsp", "Jeera"),
];

pub(in crate::seed) const INGREDIENT_VARIANTS: &[&str] = &["", "Organic ", "Frozen ", "Dried ", "Smoked "];
pub(in crate::seed) const ALLERGIES: &[&str] =
    &["peanuts", "shellfish", "gluten", "lactose", "eggs", "soy", "sesame", "tree nuts"];
pub(in crate::seed) const DIETS: &[&str] =
    &["vegetarian", "vegan", "gluten-free", "low-salt", "halal", "pescatarian", "dairy-free"];
pub(in crate::seed) const PROMPTS: &[&str] = &[
    "Something quick with what is in my fridge",
    "A dinner for four, one of us is vegetarian",
    "What can I make with leftover rice?",
    "A warm breakfast that isn't sweet",
    "Something light for a hot evening",
    "A cake without eggs",
];
pub(in crate::seed) const DISH_REVIEWS: &[&str] = &[
    "Made it twice this week, the family asks for more.",
    "Good, but I needed ten minutes longer than it says.",
    "I used half the salt and it was just right.",
    "Clear steps, and it turned out as in the picture.",
    "My first try was too thick. A splash of water fixed it.",
    "Tastes like my grandmother's. Thank you!",
    "Worked well with what I had at home.",
    "A little too spicy for the children, perfect for us.",
];
pub(in crate::seed) const DISH_POSTS: &[&str] = &[
    "{} tonight. Second helpings all round.",
    "Finally got {} right!",
    "Sunday means {} at our place.",
    "{}, made from scratch. Worth every minute.",
    "First attempt at {}. Next time with more lemon.",
    "Leftover {} for lunch. No complaints.",
];
pub(in crate::seed) const DISH_REPLIES: &[&str] = &[
    "That looks delicious!",
    "Could you share the recipe?",
    "Made this last week, so good.",
    "Saving this for the weekend.",
    "How long did it take you?",
    "Now I'm hungry.",
    "Try it with fresh herbs next time.",
    "Is there some left for me?",
];
