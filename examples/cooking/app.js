// A cooking companion on the pattern API: nothing but calls of the patterns in designs/smart-cooking.toml.

import { Api, Problem } from "../shared/api.js";
import { action, ago, avatar, counted, drawing, h, icon, picture, toast } from "../shared/dom.js";
import * as cooking from "./calls.js";

const SESSION = "mise.user";
const state = { me: null, api: new Api("/smart-cooking"), people: new Map(), watching: [] };
const page = document.getElementById("page");

// Names of people, asked for once.
function person(userId) {
  if (!state.people.has(userId)) {
    state.people.set(userId, cooking.user(state.api, userId).catch(() => ({ user_id: userId, username: "gone" })));
  }
  return state.people.get(userId);
}

const nameOf = (user) => user.full_name || user.username || "Somebody";

function byline(userId, time) {
  const place = h("a.row.grow", { href: `#/user/${userId}` }, h("span.avatar", { "aria-hidden": "true" }), h("strong", {}, "…"));
  person(userId).then((user) => place.replaceChildren(
    avatar(nameOf(user), userId),
    h("span.grow", {}, h("strong", {}, nameOf(user)), time && h("span.soft.small", {}, " ", ago(time))),
  ));
  return place;
}

// ── Recipes ──

function stars(recipe) {
  const full = Math.round(Number(recipe.average_rating ?? 0));
  const said = recipe.rating_count ? `${recipe.average_rating} of 5, ${counted(recipe.rating_count, "rating")}` : "Not rated yet";
  return h("span.stars.small", {}, h("span", { "aria-hidden": "true" }, "★".repeat(full) + "☆".repeat(5 - full)), h("span.soft", {}, ` ${said}`));
}

function minutes(recipe) {
  const whole = (recipe.prep_time_minutes ?? 0) + (recipe.cook_time_minutes ?? 0);
  return whole ? `${whole} min` : null;
}

function dish(recipe, hint) {
  const facts = [recipe.cuisine_type, recipe.meal_type, minutes(recipe)].filter(Boolean).join(" · ");
  return h("a.card.flush.dish", { href: `#/recipe/${recipe.recipe_id}` },
    h("span.art", {}, drawing(recipe.recipe_id, "")),
    h("span.inside.stack.tight", {}, h("h2", {}, recipe.title), h("span.soft.small", {}, facts), stars(recipe), hint && h("span.chip", {}, hint)));
}

// A grid of recipes, page by page.
function dishes(read, nothing) {
  const grid = h("div.dishes", {});
  const more = h("button", { hidden: true }, "Show more");
  let cursor = null;
  const load = async () => {
    const answer = await read(cursor && { cursor });
    grid.append(...answer.items.map((recipe) => dish(recipe)));
    if (!grid.children.length) grid.append(h("p.soft", {}, nothing));
    cursor = answer.cursor ?? null;
    more.hidden = !cursor;
  };
  more.addEventListener("click", action(load));
  load().catch((error) => grid.replaceChildren(h("p.fault", {}, error.message)));
  return h("div.stack", {}, grid, more);
}

function kitchen() {
  const list = h("ul.chips", { "aria-label": "My ingredients" });
  const suggestions = h("div.dishes", {});
  const light = h("span.live", {}, "connecting");
  const name = h("input", { id: "ingredient", maxlength: 100, required: true, autocomplete: "off", placeholder: "Tomatoes" });
  const found = h("div.chips", {});
  const form = h("form.stack.tight", {}, h("label", { for: "ingredient" }, "Add an ingredient"), h("div.row", {}, name, h("button.main", {}, "Add")), found);
  const add = async (ingredient) => {
    await cooking.addIngredient(state.api, ingredient);
    name.value = "";
    found.replaceChildren();
    name.focus();
  };
  form.addEventListener("submit", action(() => add(name.value.trim())));
  let asked = 0;
  name.addEventListener("input", async () => {
    const turn = ++asked;
    const text = name.value.trim();
    const items = text.length < 2 ? [] : await cooking.findIngredients(state.api, text).catch(() => []);
    // An answer that a later one has overtaken isn't shown.
    if (turn === asked) found.replaceChildren(...items.map((item) => h("button.small", { type: "button", onclick: action(() => add(item.name)) }, item.name)));
  });
  let shown = "";
  watch(cooking.pantry(state.me.user_id), light, (answer) => {
    list.replaceChildren(...answer.items.map((item) => h("li.chip", {}, item.ingredient_name, h("button", { "aria-label": `Remove ${item.ingredient_name}`, onclick: action(() => cooking.removeIngredient(state.api, item.ingredient_name)) }, icon("close")))));
    if (!answer.items.length) list.append(h("li.soft", {}, "Nothing yet. Add what is in your kitchen."));
    const now = answer.items.map((item) => item.normalized_name).join();
    if (now !== shown) suggest(suggestions).catch((error) => toast(error.message, "bad"));
    shown = now;
  });
  return [
    h("div.row.ends", {}, h("h1", {}, "My kitchen"), light),
    h("section.card.stack", {}, list, form),
    h("h2", {}, "What you can cook"),
    suggestions,
  ];
}

// Recipes that use most of what is in the kitchen.
async function suggest(place) {
  const hits = await cooking.fromPantry(state.api);
  const uses = new Map(hits.map((hit) => [hit.recipe_id, hit.hits]));
  const answer = hits.length ? await cooking.recipesOf(state.api, [...uses.keys()]) : { items: [] };
  const recipes = (answer.items ?? answer).filter(Boolean).sort((a, b) => uses.get(b.recipe_id) - uses.get(a.recipe_id));
  place.replaceChildren(...recipes.map((recipe) => dish(recipe, `uses ${counted(uses.get(recipe.recipe_id), "ingredient")} of yours`)));
  if (!recipes.length) place.append(h("p.soft", {}, "Add a few ingredients, and recipes that use them appear here."));
}

const LISTS = [
  ["The best", (parameters) => cooking.approved(state.api, parameters)],
  ...["Vietnamese", "Italian", "Mexican", "Indian"].map((cuisine) => [cuisine, (parameters) => cooking.byCuisine(state.api, cuisine, parameters)]),
  ...["breakfast", "main", "dessert"].map((meal) => [meal[0].toUpperCase() + meal.slice(1), (parameters) => cooking.byMeal(state.api, meal, parameters)]),
];

function browse(at = "0") {
  const [title, read] = LISTS[Number(at)] ?? LISTS[0];
  const links = LISTS.map(([name], index) => h("a.button.small", { href: `#/recipes/${index}`, "aria-current": name === title && "true" }, name));
  return [h("h1", {}, "Recipes"), h("nav.row.wrap", { "aria-label": "Lists" }, links), h("h2", {}, title), dishes(read, "There are no recipes here yet.")];
}

function oneRecipe(recipeId) {
  const head = h("section.card.flush", {});
  const list = h("ul.plain.needs", {});
  const steps = h("ol.steps", {});
  const light = h("span.live", {}, "connecting");
  watch(cooking.recipe(recipeId), light, (recipe) => {
    if (!recipe) return head.replaceChildren(gone("This recipe doesn't exist any more."));
    const facts = [recipe.cuisine_type, recipe.cooking_method, minutes(recipe), recipe.servings && counted(recipe.servings, "serving"), recipe.calories_per_serving && `${recipe.calories_per_serving} kcal`];
    head.replaceChildren(
      h("div.cover", {}, drawing(recipeId, "")),
      h("div.inside.stack.tight", {}, h("h1", {}, recipe.title), h("p.soft", {}, facts.filter(Boolean).join(" · ")), h("p", { "aria-live": "polite" }, stars(recipe)), recipe.is_approved && h("span.chip", {}, "approved"), h("div.row", {}, byline(recipe.user_id), light)));
    steps.replaceChildren(...(recipe.instructions ?? []).map((step) => h("li", {}, step.description, step.duration && h("span.soft", {}, ` (${step.duration})`))));
  });
  Promise.all([cooking.needs(state.api, recipeId), state.api.get(cooking.pantry(state.me.user_id).path, { limit: 200 })]).then(([needs, mine]) => {
    const have = new Set(mine.items.map((item) => item.ingredient_name.toLowerCase()));
    list.replaceChildren(...needs.map((need) => {
      const has = have.has(need.ingredient_name.toLowerCase());
      return h(`li${has ? ".have" : ""}`, {}, need.ingredient_name, h("span.hidden-text", {}, has ? " (you have it)" : " (missing)"), h("span.amount", {}, [need.quantity, need.unit].filter(Boolean).join(" ")));
    }));
  }).catch((error) => toast(error.message, "bad"));
  return [head, h("section.card.stack", {}, h("h2", {}, "You need"), list), h("section.card.stack", {}, h("h2", {}, "Steps"), steps), cookAndRate(recipeId), allRatings(recipeId)];
}

// The buttons that begin and end cooking.
async function showCooking(recipeId, place) {
  const own = (await cooking.history(state.api)).filter((entry) => entry.recipe_id === recipeId);
  const open = own.find((entry) => entry.status === "cooking");
  const done = own.find((entry) => entry.status === "completed");
  const button = (kind, work, said, ...content) => h(`button${kind}`, { onclick: action(async () => {
    await work();
    if (said) toast(said);
    await showCooking(recipeId, place);
  }) }, content);
  const cook = open
    ? button(".main", () => cooking.finish(state.api, open), "Enjoy your meal!", "It is ready")
    : button(".main", () => cooking.cook(state.api, recipeId), "Happy cooking!", done ? "Cook it again" : "Cook it");
  const favorite = done && button("", () => cooking.note(state.api, done, { is_favorite: !done.is_favorite }), null, icon("heart"), done.is_favorite ? "Favourite" : "Make it a favourite");
  favorite?.setAttribute("aria-pressed", String(done.is_favorite));
  place.replaceChildren(cook, favorite ?? "");
}

function cookAndRate(recipeId) {
  const buttons = h("div.row.wrap", {});
  showCooking(recipeId, buttons).catch((error) => toast(error.message, "bad"));
  const choices = h("fieldset.rate", {}, h("legend.hidden-text", {}, "Your rating"), [1, 2, 3, 4, 5].map((value) => h("label", {}, h("input", { type: "radio", name: "rating", value, required: true, "aria-label": `${value} of 5` }), h("span", { "aria-hidden": "true" }, value))));
  const comment = h("textarea", { maxlength: 2000, placeholder: "How was it?" });
  const form = h("form.stack.tight", {}, choices, h("label", {}, "Comment", comment), h("div.row", {}, h("button", {}, "Rate")));
  form.addEventListener("submit", action(async () => {
    const rating = { rating: Number(new FormData(form).get("rating")), ...(comment.value && { comment: comment.value }) };
    const again = await cooking.hasRated(state.api, recipeId);
    await (again ? cooking.changeRating : cooking.rate)(state.api, recipeId, rating);
    toast("Thank you for your rating.");
    form.reset();
  }));
  return h("section.card.stack", {}, h("h2", {}, "Cook and rate"), buttons, form);
}

function allRatings(recipeId) {
  const list = h("div.stack", {});
  watch(cooking.ratings(recipeId), null, (answer) => list.replaceChildren(...answer.items.map((rating) => h("div.stack.tight", {},
    h("div.row", {}, byline(rating.user_id, rating.created_at), h("span.stars", { "aria-label": `${rating.rating} of 5` }, "★".repeat(rating.rating))),
    rating.comment && h("p", {}, rating.comment),
    rating.is_verified_cook && h("span.chip", {}, "has cooked it")))));
  return h("section.card.stack", {}, h("h2", {}, "Ratings"), list);
}

function favorites() {
  const grid = h("div.dishes", {});
  watch(cooking.favorites(state.me.user_id), null, async (answer) => {
    const ids = [...new Set(answer.items.map((item) => item.recipe_id))];
    const found = ids.length ? await cooking.recipesOf(state.api, ids) : { items: [] };
    grid.replaceChildren(...(found.items ?? found).filter(Boolean).map((recipe) => dish(recipe)));
    if (!ids.length) grid.append(h("p.soft", {}, "Cook something, and mark it as a favourite."));
  });
  return [h("h1", {}, "Favourites"), grid];
}

// ── Friends ──

function friends() {
  const requests = h("div.stack", {});
  const list = h("ul.chips", { "aria-label": "Friends" });
  const light = h("span.live", {}, "connecting");
  const posts = h("div.stack", {});
  watch(cooking.requests(state.me.user_id), null, (answer) => requests.replaceChildren(...answer.items.map((request) => h("section.card.row.wrap", {},
    byline(request.user_id, request.requested_at),
    h("button.main.small", { onclick: action(() => cooking.accept(state.api, request.user_id)) }, "Accept"),
    h("button.small", { onclick: action(() => cooking.decline(state.api, request.user_id)) }, "Decline")))));
  watch(cooking.friends(state.me.user_id), null, async (answer) => {
    const people = await Promise.all(answer.items.map((friend) => person(friend.friend_id)));
    list.replaceChildren(...people.map((user) => h("li", {}, h("a.chip", { href: `#/user/${user.user_id}` }, nameOf(user)))));
    if (!people.length) list.append(h("li.soft", {}, "You have no friends here yet. Open a profile to ask somebody."));
  });
  watch(cooking.friendFeed(state.me.user_id), light, (answer) => {
    posts.replaceChildren(...answer.items.map(postCard));
    if (!answer.items.length) posts.append(h("p.soft", {}, "Posts of your friends appear here."));
  });
  return [h("h1", {}, "Friends"), requests, list, composer(), h("div.row.ends", {}, h("h2", {}, "What they cook"), light), posts, h("h2", {}, "Everybody"), everybody()];
}

function everybody() {
  const posts = h("div.stack", {});
  watch(cooking.publicFeed(), null, (answer) => posts.replaceChildren(...answer.items.slice(0, 20).map(postCard)));
  return posts;
}

function composer() {
  const text = h("textarea", { maxlength: 5000, required: true, "aria-label": "Post", placeholder: "What did you cook?" });
  const form = h("form.card.stack.tight", {}, text, h("div.row", {}, h("button.main", {}, "Share")));
  form.addEventListener("submit", action(async () => {
    await cooking.share(state.api, { content: text.value });
    text.value = "";
    toast("Shared.");
  }));
  return form;
}

function postCard(post) {
  const yummy = h("button.quiet", { onclick: action(async () => {
    const reacted = await cooking.hasReacted(state.api, post.post_id);
    await (reacted ? cooking.unreact : cooking.react)(state.api, post.post_id);
  }) }, icon("heart"), counted(post.likes_count, "reaction"));
  return h("article.card.stack.tight", {},
    byline(post.user_id, post.created_at),
    h("p", {}, post.content),
    (post.images ?? []).length > 0 && h("div.cover", {}, picture(post.images[0], post.post_id, "A picture of the dish")),
    h("div.row", {}, yummy, h("span.soft.small", {}, counted(post.comments_count, "comment")), post.recipe_id && h("a.button.small", { href: `#/recipe/${post.recipe_id}` }, "Recipe")));
}

function profile(userId) {
  const head = h("section.card.stack", {});
  const own = userId === state.me.user_id;
  watch(cooking.profile(userId), null, (user) => {
    if (!user) return head.replaceChildren(gone("There is nobody with this address."));
    const ask = !own && h("button.main", { onclick: action(async () => { await cooking.ask(state.api, userId); toast(`${nameOf(user)} can accept it now.`); }) }, "Ask to be friends");
    head.replaceChildren(
      h("div.row.wrap", {}, avatar(nameOf(user), userId, "large"), h("div.grow", {}, h("h1", {}, nameOf(user)), h("p.soft", {}, `@${user.username}`)), ask),
      user.country ? h("p.soft", {}, user.country) : "");
  });
  return [head, h("h2", {}, "Recipes"), dishes(() => cooking.userRecipes(state.api, userId), "No recipes yet.")];
}

// ── Signing in ──

// A real application would ask for a password and get a token. The demo lets anybody be any of its users.
async function signIn() {
  const list = h("div.dishes", {});
  page.replaceChildren(h("div.stack", {},
    h("h1", {}, "Who is cooking?"),
    h("p.soft", {}, "This is a demo: choose one of its users. Open a second window and be somebody else there."),
    list));
  const { items } = await state.api.get(cooking.publicFeed().path, { limit: 60 });
  const ids = [...new Set(items.map((item) => item.user_id))].slice(0, 8);
  const users = await Promise.all(ids.map(person));
  list.replaceChildren(...users.map((user) => h("button", { onclick: () => enter(user) }, avatar(nameOf(user), user.user_id), nameOf(user))));
}

function enter(user) {
  sessionStorage.setItem(SESSION, user.user_id);
  start();
}

function leave() {
  sessionStorage.removeItem(SESSION);
  location.hash = "#/";
  start();
}

// ── The frame ──

const ROUTES = [
  [/^#?\/?$/, kitchen],
  [/^#\/recipes(?:\/(\d+))?$/, browse],
  [/^#\/recipe\/([^/]+)$/, oneRecipe],
  [/^#\/favorites$/, favorites],
  [/^#\/friends$/, friends],
  [/^#\/user\/([^/]+)$/, profile],
];

function gone(text) {
  return h("div.empty.card", {}, icon("book"), h("h1", {}, "Nothing here"), h("p", {}, text), h("a.button", { href: "#/" }, "My kitchen"));
}

// Follows the answer of a read until the page changes.
function watch({ path, parameters, ...order }, light, show) {
  const stop = state.api.watch(path, parameters, {
    ...order,
    answer: show,
    state: (isLive) => {
      light?.classList.toggle("on", isLive);
      if (light) light.textContent = isLive ? "live" : "connecting";
    },
    refused: (problem) => toast(problem.message, "bad"),
  });
  state.watching.push(stop);
}

async function show() {
  for (const stop of state.watching.splice(0)) stop();
  const hash = location.hash || "#/";
  const [pattern, view] = ROUTES.find(([pattern]) => pattern.test(hash)) ?? [];
  try {
    const parts = view && hash.match(pattern).slice(1).map((part) => part && decodeURIComponent(part));
    const content = view ? await view(...parts) : gone("There is no such page.");
    page.replaceChildren(h("div.stack", {}, content));
  } catch (error) {
    page.replaceChildren(gone(error.message));
  }
  for (const link of document.querySelectorAll("#tabs a")) {
    const href = link.getAttribute("href");
    if (href === hash || (href !== "#/" && hash.startsWith(`${href}/`))) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  window.scrollTo(0, 0);
}

async function start() {
  const bar = document.getElementById("masthead");
  const tabs = document.getElementById("tabs");
  const brand = h("a.brand", { href: "#/" }, icon("brand"), "Mise");
  const userId = sessionStorage.getItem(SESSION);
  for (const stop of state.watching.splice(0)) stop();
  state.people.clear();
  state.api = new Api("/smart-cooking", userId);
  tabs.hidden = !userId;
  bar.replaceChildren(brand);
  try {
    if (!userId) return await signIn();
    state.me = await cooking.user(state.api, userId);
  } catch (error) {
    if (userId && error instanceof Problem) return leave();
    return page.replaceChildren(gone(error.message));
  }
  bar.replaceChildren(brand, h("span.row", {}, h("a.soft.small", { href: `#/user/${userId}` }, nameOf(state.me)), h("button.quiet.small", { onclick: leave, "aria-label": "Sign out" }, icon("leave"))));
  const tab = (href, name, text) => h("a", { href }, icon(name), text);
  tabs.replaceChildren(tab("#/", "pantry", "Kitchen"), tab("#/recipes", "book", "Recipes"), tab("#/favorites", "heart", "Favourites"), tab("#/friends", "friends", "Friends"), tab(`#/user/${userId}`, "person", "You"));
  return show();
}

window.addEventListener("hashchange", () => state.me && sessionStorage.getItem(SESSION) && show());
start();
