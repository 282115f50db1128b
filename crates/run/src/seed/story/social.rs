//! Posts and their replies, chat rooms, tasks, and other things that people write.

/// A subject that posts and their replies share.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) captions: &'static [&'static str],
    pub(super) tags: &'static [&'static str],
    pub(super) replies: &'static [&'static str],
}

pub(super) const SCENES: &[Scene] = &[
    Scene {
        captions: &[
            "First light over the harbour. Worth the alarm at five.",
            "The ferry was late, the sunset wasn't.",
            "Low tide, long walk, cold hands.",
            "Nobody on the beach but us and the gulls.",
        ],
        tags: &["sea", "morning", "travel"],
        replies: &[
            "Where is this?",
            "The light is unreal.",
            "I can smell the salt from here.",
            "Take me with you next time!",
            "What camera did you use?",
            "I miss that place.",
        ],
    },
    Scene {
        captions: &[
            "She has claimed the good chair. Again.",
            "Three years since we brought him home.",
            "Nap number four of the day.",
            "Somebody found the box before I could fold it.",
        ],
        tags: &["cat", "home", "pets"],
        replies: &[
            "What a face!",
            "Give her a treat from me.",
            "Ours does exactly the same.",
            "Best housemate.",
            "How old is she now?",
            "That chair was never yours.",
        ],
    },
    Scene {
        captions: &[
            "42 km, two blisters, one medal.",
            "New route along the river this morning.",
            "Rain the whole way up. We went anyway.",
            "Slowest kilometre of my life, best view of the year.",
        ],
        tags: &["running", "outdoors", "morning"],
        replies: &[
            "Congratulations!",
            "What was your time?",
            "I'm signing up next year.",
            "You make it look easy.",
            "Recover well!",
            "Which shoes are those?",
        ],
    },
    Scene {
        captions: &[
            "The tomatoes made it through the storm.",
            "Planted in April, harvested today.",
            "A year ago this was a parking space.",
            "The bees approve.",
        ],
        tags: &["garden", "green", "home"],
        replies: &[
            "How do you keep the slugs away?",
            "Mine never get this big.",
            "So much green in one picture.",
            "What variety is it?",
            "You have to teach me.",
            "Save me some seeds, please.",
        ],
    },
    Scene {
        captions: &[
            "The best bowl of noodles is under the railway bridge.",
            "Saturday market haul.",
            "We came for one coffee and stayed for lunch.",
            "Grandmother's recipe, third attempt.",
        ],
        tags: &["food", "weekend", "market"],
        replies: &[
            "Now I'm hungry.",
            "Recipe, please!",
            "Is it the one near the station?",
            "Looks better than in the restaurant.",
            "I'd have ordered two.",
            "Going there on Friday.",
        ],
    },
    Scene {
        captions: &[
            "Six weeks of evenings, and it finally stands straight.",
            "Sanded, oiled, done.",
            "The drawer closes. I may frame it.",
            "First thing I ever made that somebody else wanted.",
        ],
        tags: &["craft", "wood", "handmade"],
        replies: &[
            "Beautiful work.",
            "What wood is that?",
            "Do you take orders?",
            "The joints are so clean.",
            "How long did it take?",
            "Very proud of you.",
        ],
    },
    Scene {
        captions: &[
            "Old town at midnight, after the rain.",
            "The tram stop nobody uses.",
            "Same corner, ten years later.",
            "Blue hour from the roof.",
        ],
        tags: &["city", "night", "street"],
        replies: &[
            "Love the reflections.",
            "I used to live around that corner.",
            "This belongs on a wall.",
            "What a mood.",
            "Which city?",
            "Great eye.",
        ],
    },
    Scene {
        captions: &[
            "Front row, no voice left.",
            "Second rehearsal and it almost sounds like a song.",
            "Found this record in a box for two euros.",
            "The encore was longer than the set.",
        ],
        tags: &["music", "live", "friends"],
        replies: &[
            "I was there too!",
            "Jealous.",
            "What did they play last?",
            "That record is a treasure.",
            "When is your first gig?",
            "Best night of the summer.",
        ],
    },
];

/// Appended to a caption that was told already.
pub(in crate::seed) const CAPTION_VARIANTS: &[&str] = &[
    "",
    " One more from that day.",
    " Same place, a week later.",
    " Still my favourite.",
    " From the archive.",
];

/// A room of a chat with what is said in it, in this order.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) messages: &'static [&'static str],
}

pub(super) const ROOMS: &[Room] = &[
    Room {
        name: "Kitchen renovation",
        about: "Plans, prices and pictures",
        messages: &[
            "The electrician can come on Tuesday.",
            "Morning or afternoon?",
            "Between nine and eleven.",
            "I'll be at home then.",
            "Did you choose the tiles?",
            "The green ones. They deliver on Friday.",
            "Perfect, I'll move the boxes before that.",
            "Remember to measure the oven again.",
        ],
    },
    Room {
        name: "Five-a-side",
        about: "Thursdays at seven, pitch 3",
        messages: &[
            "Who's in for Thursday?",
            "Me!",
            "I have to work late, sorry.",
            "We are nine. One more, please.",
            "My brother can play.",
            "Great, that's ten.",
            "Bring the light shirts.",
            "Last one there brings the drinks.",
        ],
    },
    Room {
        name: "Lisbon in May",
        about: "Four days, four people",
        messages: &[
            "The flights are booked.",
            "I found a flat in Graça with a terrace.",
            "How much is it?",
            "62 a night for each of us.",
            "Book it!",
            "Done. Does anyone want to see the ocean museum?",
            "Yes, on the rainy day.",
            "It won't rain. Trust me.",
        ],
    },
    Room {
        name: "Release 2.4",
        about: "What is left until Friday",
        messages: &[
            "The migration passed on staging.",
            "How long did it take?",
            "Four minutes with the index.",
            "Then we can do it without a window.",
            "Two tests are still flaky.",
            "I'll look at them after lunch.",
            "Fixed: it was the clock.",
            "Ship it.",
        ],
    },
    Room {
        name: "Book club",
        about: "One book a month, no spoilers before Sunday",
        messages: &[
            "Has everyone got the book?",
            "Mine arrived today.",
            "I'm at chapter six and I can't stop.",
            "No spoilers!",
            "Sunday at four, at my place.",
            "I'll bring the cake.",
            "Next month something shorter, please.",
            "I vote for poems.",
        ],
    },
    Room {
        name: "Flat 12",
        about: "Bills, keys and whose turn it is",
        messages: &[
            "The boiler makes that sound again.",
            "I've written to the landlord.",
            "Whose turn is it to buy coffee?",
            "Mine, on the way home.",
            "A parcel for you is at number 14.",
            "Thanks!",
            "Rent is due tomorrow.",
            "Sent.",
        ],
    },
];

pub(in crate::seed) const TASKS: &[&str] = &[
    "Book the dentist",
    "Call the landlord about the boiler",
    "Renew the passport",
    "Buy a present for Nora",
    "Fix the bicycle light",
    "Prepare slides for Monday",
    "Return the library books",
    "Water the plants",
    "Write to the insurance",
    "Order new filters",
    "Plan the team lunch",
    "Clean the coffee machine",
    "Back up the photos",
    "Pay the electricity bill",
    "Review the contract",
    "Update the address at the bank",
    "Print the tickets",
    "Sort the garage",
    "Send the invoice to Harbour & Pine",
    "Try the new recipe",
];
pub(in crate::seed) const TASK_NOTES: &[&str] = &[
    "Ask for the receipt.",
    "Not before ten.",
    "The number is on the last letter.",
    "Takes about half an hour.",
    "Waiting for an answer since Monday.",
    "Can be done on the way home.",
];
pub(in crate::seed) const LISTS: &[&str] =
    &["Home", "Work", "Groceries", "Holiday", "Garden", "Reading", "Moving house", "Someday"];
pub(in crate::seed) const PROJECTS: &[&str] = &[
    "Website relaunch",
    "Mobile app",
    "Warehouse move",
    "Customer portal",
    "Data clean-up",
    "Summer campaign",
    "Payment service",
    "Onboarding",
];
pub(in crate::seed) const GROUPS: &[&str] = &[
    "Family",
    "Flat 12",
    "Grandma's house",
    "Office kitchen",
    "Summer cottage",
    "Tanaka household",
    "Garden club",
    "Studio upstairs",
    "Sunday cooks",
    "Neighbours",
];
pub(in crate::seed) const CONTAINERS: &[&str] = &[
    "Fridge",
    "Freezer",
    "Pantry",
    "Spice rack",
    "Fruit bowl",
    "Cellar shelf",
    "Drinks cooler",
    "Baking drawer",
];
pub(in crate::seed) const BIOS: &[&str] = &[
    "Mostly coffee and old bridges.",
    "Baker by day, cyclist by evening.",
    "I photograph what others walk past.",
    "Two kids, one garden, no time.",
    "Learning the cello, sorry neighbours.",
    "Street food is a research subject.",
    "Engineer. Ask me about trains.",
    "Here for the dogs.",
    "Slow traveller, fast walker.",
    "Collects maps and lost gloves.",
];
pub(in crate::seed) const REASONS: &[&str] = &[
    "Changed my mind",
    "Wrong size",
    "Arrived too late",
    "Found it cheaper elsewhere",
    "Looks like spam",
    "Not what was described",
    "Posted twice",
];
pub(in crate::seed) const NOTES: &[&str] = &[
    "Please ring twice.",
    "Leave it with the neighbour.",
    "Checked, nothing to do.",
    "Call back on Monday.",
    "Confirmed by e-mail.",
    "Needs a second look.",
];
pub(in crate::seed) const NOTICES: &[&str] = &[
    "{} started following you.",
    "{} liked your post.",
    "{} commented on your post.",
    "{} mentioned you in a comment.",
    "{} sent you a message.",
];
pub(in crate::seed) const TITLES: &[&str] = &[
    "Notes from the workshop",
    "A weekend in Lisbon",
    "What we learned this year",
    "Opening hours in December",
    "Plans for the garden",
    "How we chose the colours",
    "Minutes of the October meeting",
    "Ten photos of the harbour",
    "A letter to the neighbours",
    "Packing list for the mountains",
];
pub(in crate::seed) const SENTENCES: &[&str] = &[
    "We meet on Thursday at six.",
    "The new shelf fits exactly.",
    "It took longer than planned, and it was worth it.",
    "Everything is ready for the weekend.",
    "The first version is finished, the second one is better.",
    "Thanks to everybody who helped.",
    "We'll decide it next week.",
    "The pictures are in the shared folder.",
    "Nobody expected so many visitors.",
    "Please bring your own cup.",
];
pub(in crate::seed) const REPLIES: &[&str] = &[
    "Thanks for sharing!",
    "I agree.",
    "Good point.",
    "Well done!",
    "Count me in.",
    "Interesting, tell me more.",
];
