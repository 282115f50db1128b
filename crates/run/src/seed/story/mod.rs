//! Stories: the texts, figures and replies of items that fit together.

mod food;
mod shop;
mod social;

use food::{DISH_VARIANTS, DISHES, Dish, INGREDIENT_VARIANTS, INGREDIENTS};
use shop::{PRODUCT_VARIANTS, PRODUCTS, Product};
use social::{CAPTION_VARIANTS, REPLIES, ROOMS, Room, SCENES, Scene, TASKS};

pub(super) use food::{ALLERGIES, DIETS, PROMPTS};
pub(super) use shop::COMPANIES;
pub(super) use social::{
    BIOS, CONTAINERS, GROUPS, LISTS, NOTES, NOTICES, PROJECTS, REASONS, SENTENCES, TITLES,
};

use super::dice::Dice;

/// The kind of thing that an item is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Dish,
    Ingredient,
    Product,
    Scene,
    Room,
    Task,
}

/// One subject of a topic. The same number tells the same story, so children repeat what their parents say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Story {
    pub(super) topic: Option<Topic>,
    pub(super) number: u64,
}

impl Topic {
    /// The topic that a name speaks of.
    pub(super) fn of(words: &[String]) -> Option<Topic> {
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        match () {
            () if has(&["recipe", "recipes", "dish", "meal", "cooking", "menu"]) => Some(Topic::Dish),
            () if has(&["ingredient", "ingredients", "food", "foods", "grocery"]) => Some(Topic::Ingredient),
            () if has(&[
                "product",
                "products",
                "catalogue",
                "article",
                "order",
                "orders",
                "cart",
                "shop",
            ]) =>
            {
                Some(Topic::Product)
            }
            () if has(&["post", "posts", "photo", "photos", "picture", "tweet"]) => Some(Topic::Scene),
            () if has(&["room", "rooms", "channel", "chat", "conversation", "message", "messages"]) => {
                Some(Topic::Room)
            }
            () if has(&["task", "tasks", "todo", "ticket", "tickets", "issue", "issues"]) => {
                Some(Topic::Task)
            }
            () => None,
        }
    }
}

/// The element of a list that a number stands for, and how often the list was gone through before.
fn turn<T>(list: &'static [T], number: u64) -> Option<(&'static T, usize)> {
    let number = usize::try_from(number).unwrap_or_default();
    let length = list.len().max(1);
    Some((list.get(number % length)?, number / length))
}

fn variant(variants: &'static [&'static str], turns: usize) -> &'static str {
    variants.get(turns % variants.len().max(1)).copied().unwrap_or_default()
}

impl Story {
    fn dish(self) -> Option<(&'static Dish, usize)> {
        turn(DISHES, self.number).filter(|_| self.topic == Some(Topic::Dish))
    }

    fn product(self) -> Option<(&'static Product, usize)> {
        turn(PRODUCTS, self.number).filter(|_| self.topic == Some(Topic::Product))
    }

    fn scene(self) -> Option<(&'static Scene, usize)> {
        turn(SCENES, self.number).filter(|_| self.topic == Some(Topic::Scene))
    }

    fn room(self) -> Option<(&'static Room, usize)> {
        turn(ROOMS, self.number).filter(|_| self.topic == Some(Topic::Room))
    }

    /// A name or title.
    pub(super) fn name(self) -> Option<String> {
        Some(match self.topic? {
            Topic::Dish => {
                self.dish().map(|(dish, turns)| format!("{}{}", dish.name, variant(DISH_VARIANTS, turns)))?
            }
            Topic::Product => self
                .product()
                .map(|(product, turns)| format!("{}{}", product.name, variant(PRODUCT_VARIANTS, turns)))?,
            Topic::Ingredient => {
                let ((name, ..), turns) = turn(INGREDIENTS, self.number)?;
                match variant(INGREDIENT_VARIANTS, turns) {
                    "" => (*name).to_owned(),
                    before => format!("{before}{}", name.to_lowercase()),
                }
            }
            Topic::Scene => self.caption()?.split(['.', '!']).next().unwrap_or_default().to_owned(),
            Topic::Room => self.room()?.0.name.to_owned(),
            Topic::Task => (*turn(TASKS, self.number)?.0).to_owned(),
        })
    }

    /// Another name, for aliases.
    pub(super) fn other_name(self) -> Option<&'static str> {
        let ((.., other), _) =
            turn(INGREDIENTS, self.number).filter(|_| self.topic == Some(Topic::Ingredient))?;
        Some(other)
    }

    /// A sentence or two about it.
    pub(super) fn about(self) -> Option<String> {
        match self.topic? {
            Topic::Dish => self.dish().map(|(dish, _)| dish.about.to_owned()),
            Topic::Product => self.product().map(|(product, _)| product.about.to_owned()),
            Topic::Room => self.room().map(|(room, _)| room.about.to_owned()),
            Topic::Task => turn(social::TASK_NOTES, self.number).map(|(note, _)| (*note).to_owned()),
            Topic::Scene => self.caption(),
            Topic::Ingredient => None,
        }
    }

    /// A post about it.
    pub(super) fn caption(self) -> Option<String> {
        match self.topic? {
            Topic::Scene => {
                let (scene, turns) = self.scene()?;
                let (caption, again) = turn(scene.captions, turns as u64)?;
                Some(format!("{caption}{}", variant(CAPTION_VARIANTS, again)))
            }
            Topic::Dish => {
                let (dish, _) = self.dish()?;
                let (post, _) = turn(food::DISH_POSTS, self.number / 3 + self.number)?;
                Some(post.replace("{}", dish.name))
            }
            _ => None,
        }
    }

    /// An answer to it.
    pub(super) fn reply(self, dice: &mut Dice, position: Option<u64>) -> &'static str {
        let replies = match self.topic {
            Some(Topic::Scene) => self.scene().map(|(scene, _)| scene.replies),
            Some(Topic::Dish) => Some(food::DISH_REPLIES),
            _ => None,
        };
        let replies = replies.unwrap_or(REPLIES);
        // Nobody repeats what was said just before.
        match position {
            Some(position) => turn(replies, self.number / 3 + position).map_or("", |(reply, _)| *reply),
            None => dice.pick(replies),
        }
    }

    /// A review by somebody who has tried it.
    pub(super) fn review(self, dice: &mut Dice) -> &'static str {
        match self.topic {
            Some(Topic::Dish) => dice.pick(food::DISH_REVIEWS),
            Some(Topic::Product) => dice.pick(shop::PRODUCT_REVIEWS),
            _ => self.reply(dice, None),
        }
    }

    /// The message of a room at this position.
    pub(super) fn message(self, position: u64) -> Option<&'static str> {
        let (room, _) = self.room()?;
        turn(room.messages, position.saturating_sub(1)).map(|(message, _)| *message)
    }

    pub(super) fn category(self) -> Option<&'static str> {
        match self.topic? {
            Topic::Product => self.product().map(|(product, _)| product.category),
            Topic::Ingredient => turn(INGREDIENTS, self.number).map(|((_, category, ..), _)| *category),
            Topic::Dish => self.dish().map(|(dish, _)| dish.meal),
            _ => None,
        }
    }

    /// The price in cents.
    pub(super) fn price(self) -> Option<i64> {
        self.product().map(|(product, _)| product.price)
    }

    /// Facts with their names.
    pub(super) fn facts(self) -> &'static [(&'static str, &'static str)] {
        self.product().map(|(product, _)| product.facts).unwrap_or_default()
    }

    pub(super) fn tag(self, dice: &mut Dice) -> Option<&'static str> {
        match self.topic? {
            Topic::Scene => self.scene().map(|(scene, _)| dice.pick(scene.tags)),
            Topic::Dish => self.dish().map(|(dish, _)| dish.method),
            _ => None,
        }
    }

    /// Cuisine, method and meal.
    pub(super) fn kitchen(self, dice: &mut Dice) -> (&'static str, &'static str, &'static str) {
        let dish = self.dish().map(|(dish, _)| dish).or_else(|| DISHES.get(dice.place(DISHES.len())));
        dish.map_or(("Italian", "bake", "main"), |dish| (dish.cuisine, dish.method, dish.meal))
    }

    /// The ingredient of this position: name, quantity and unit.
    pub(super) fn ingredient(
        self,
        position: Option<u64>,
        dice: &mut Dice,
    ) -> (&'static str, &'static str, &'static str) {
        if let (Some((dish, _)), Some(position)) = (self.dish(), position)
            && let Some((found, _)) = turn(dish.ingredients, position.saturating_sub(1))
        {
            return *found;
        }
        let number = if self.topic == Some(Topic::Ingredient) {
            self.number
        } else {
            dice.below(INGREDIENTS.len() as u64)
        };
        let quantity = dice.pick(&["1", "2", "3", "200", "500"]);
        turn(INGREDIENTS, number)
            .map_or(("Salt", "1", "tsp"), |((name, _, unit, _), _)| (*name, quantity, *unit))
    }

    /// Steps in their order, if it has any.
    pub(super) fn steps(self) -> &'static [&'static str] {
        self.dish().map(|(dish, _)| dish.steps).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn names_tell_the_topic() {
        for (name, topic) in [
            ("recipe ingredient", Some(Topic::Dish)),
            ("master ingredient", Some(Topic::Ingredient)),
            ("order item", Some(Topic::Product)),
            ("post", Some(Topic::Scene)),
            ("message", Some(Topic::Room)),
            ("invoice", None),
        ] {
            assert_eq!(Topic::of(&words(name)), topic, "{name}");
        }
    }

    #[test]
    fn names_differ_for_longer_than_a_list_is() {
        for topic in [Topic::Dish, Topic::Product, Topic::Ingredient] {
            let name = |number| Story { topic: Some(topic), number }.name().unwrap();
            let all: std::collections::BTreeSet<String> = (0..80).map(name).collect();
            assert_eq!(all.len(), 80, "{topic:?}");
        }
    }

    #[test]
    fn every_story_has_what_it_is_asked_for() {
        let mut dice = Dice::new(1);
        for topic in [Topic::Dish, Topic::Ingredient, Topic::Product, Topic::Scene, Topic::Room, Topic::Task]
        {
            for number in 0..100 {
                let story = Story { topic: Some(topic), number };
                assert!(!story.name().unwrap().is_empty());
                assert!(
                    !story.reply(&mut dice, Some(number)).is_empty() && !story.review(&mut dice).is_empty()
                );
                assert!(!story.ingredient(Some(9), &mut dice).0.is_empty());
            }
        }
    }
}
