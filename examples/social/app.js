// A small social network on the pattern API: nothing but calls of the patterns in designs/social.toml.

import { Api, Problem } from "../shared/api.js";
import { action, ago, avatar, counted, h, icon, picture, toast } from "../shared/dom.js";
import * as social from "./calls.js";

const SESSION = "piazza.user";
const state = { me: null, api: new Api("/social"), people: new Map(), watching: [] };
const page = document.getElementById("page");

// Names of people, asked for once.
async function person(userId) {
  if (!state.people.has(userId)) {
    state.people.set(userId, social.user(state.api, userId).catch(() => ({ userId, username: "gone", displayName: "Somebody who left" })));
  }
  return state.people.get(userId);
}

// A link to a person, whose name comes as soon as it is there.
function byline(userId, time, size = "") {
  const place = h("a.row.grow", { href: `#/user/${userId}` }, h(`span.avatar${size && `.${size}`}`, { "aria-hidden": "true" }), h("span.grow", {}, h("strong", {}, "…")));
  person(userId).then((user) => {
    place.replaceChildren(
      avatar(user.displayName, userId, size),
      h("span.grow", {}, h("strong", {}, user.displayName), h("span.soft.small", {}, " ", ago(time))),
    );
  });
  return place;
}

// ── Posts ──

function postCard(post, { fresh = false } = {}) {
  const likes = h("span", {}, counted(post.likeCount, "like"));
  const like = h("button.quiet", { "aria-pressed": "false" }, icon("heart"), likes);
  let count = post.likeCount;
  const show = (liked) => {
    like.setAttribute("aria-pressed", String(liked));
    likes.textContent = counted(count, "like");
  };
  social.hasLiked(state.api, post.postId, state.me.userId).then(show, () => {});
  like.addEventListener("click", action(async () => {
    const liked = like.getAttribute("aria-pressed") === "true";
    await (liked ? social.unlike : social.like)(state.api, post.postId);
    count += liked ? -1 : 1;
    show(!liked);
  }));
  const open = `#/post/${post.postId}`;
  const label = post.caption || "A picture without a caption";
  return h(`article.card.flush.post${fresh ? ".fresh" : ""}`, { "data-id": post.postId },
    h("div.inside.row", {}, byline(post.userId, post.createdAt)),
    h("a.art", { href: open }, picture(post.imageUrl, post.postId, label)),
    h("div.inside.stack.tight", {},
      post.caption && h("p.caption", {}, post.caption),
      h("div.row.actions", {}, like, h("a.button.quiet", { href: open }, icon("comment"), counted(post.commentCount, "comment")))));
}

// A list of posts that follows its changes: new ones come in above.
function feed(title, call, nothing) {
  const list = h("div.stack", {});
  const more = h("button", { hidden: true }, "Show more");
  const light = h("span.live", {}, "connecting");
  let cursor = null;
  const known = new Set();
  const show = (posts, above) => {
    const fresh = posts.filter((post) => !known.has(post.postId));
    for (const post of fresh) known.add(post.postId);
    const cards = fresh.map((post) => postCard(post, { fresh: above && known.size > fresh.length }));
    if (above) list.prepend(...cards);
    else list.append(...cards);
  };
  watch(call, light, (answer) => {
    const first = known.size === 0;
    show(answer.items, true);
    // Posts that were deleted leave the list, as far as the first page tells.
    const oldest = answer.items.at(-1)?.createdAt ?? "";
    const there = new Set(answer.items.map((post) => post.postId));
    for (const card of list.querySelectorAll("article")) {
      const { id } = card.dataset;
      if (!there.has(id) && card.querySelector("time")?.dateTime > oldest) card.remove();
    }
    if (first) {
      cursor = answer.cursor ?? null;
      more.hidden = !cursor;
    }
    if (known.size === 0) list.replaceChildren(nothing());
    else list.querySelector(".empty")?.remove();
  });
  more.addEventListener("click", action(async () => {
    const answer = await state.api.get(call.path, { ...call.parameters, cursor });
    show(answer.items, false);
    cursor = answer.cursor ?? null;
    more.hidden = !cursor;
  }));
  return [h("div.row.ends", {}, h("h1", {}, title), light), list, more];
}

function home() {
  return feed("Home", social.homeFeed(), () => h("div.empty.card", {}, icon("explore"), h("p", {}, "Posts of the people whom you follow appear here."), h("a.button.main", { href: "#/explore" }, "Find people")));
}

function explore() {
  return feed("Explore", social.globalFeed(), () => h("div.empty.card", {}, icon("add"), h("p", {}, "Nobody has posted anything yet."), h("a.button.main", { href: "#/new" }, "Write the first post")));
}

function post(postId) {
  const place = h("div.stack", {});
  const comments = h("div", {});
  const light = h("span.live", {}, "connecting");
  const field = h("textarea", { id: "comment", maxlength: 2000, required: true, placeholder: "Say something kind" });
  const form = h("form.stack.tight", {}, h("label", { for: "comment" }, "Your comment"), field, h("div.row.ends", {}, light, h("button.main", {}, "Comment")));
  form.addEventListener("submit", action(async () => {
    await social.comment(state.api, postId, field.value);
    field.value = "";
  }));
  const call = social.postPage(postId, state.me.userId);
  let shown = "";
  watch(call, light, (answer) => {
    if (!answer?.post) return place.replaceChildren(gone("This post doesn't exist any more."));
    // The card has its own state, so it is drawn again only if it differs.
    const now = JSON.stringify(answer.post);
    if (now !== shown) {
      const own = answer.post.userId === state.me.userId;
      const remove = h("button.quiet", { onclick: action(async () => {
        await social.deletePost(state.api, postId);
        toast("The post is deleted.");
        location.hash = "#/";
      }) }, icon("delete"), "Delete");
      place.replaceChildren(postCard(answer.post), own ? h("div", {}, remove) : "");
      shown = now;
    }
    const known = new Set([...comments.children].map((element) => element.dataset.id));
    comments.replaceChildren(...answer.comments.items.map((item) => commentRow(item, known.size > 0 && !known.has(item.commentId))));
  });
  return [h("h1.hidden-text", {}, "Post"), place, h("section.card.stack", { "aria-label": "Comments" }, form, comments)];
}

function commentRow(comment, fresh) {
  const own = comment.userId === state.me.userId;
  const remove = own && h("button.quiet.small", { "aria-label": "Delete the comment", onclick: action(() => social.deleteComment(state.api, comment)) }, icon("delete"));
  return h(`div.comment${fresh ? ".fresh" : ""}`, { "data-id": comment.commentId },
    h("div.grow.stack.tight", {}, h("div.row", {}, byline(comment.userId, comment.createdAt, "little"), remove), h("p", {}, comment.content)));
}

// ── People ──

function profile(userId) {
  const head = h("section.card.stack", {});
  const grid = h("div.grid", {});
  const call = social.profilePage(userId);
  const own = userId === state.me.userId;
  // Until it is known whether the caller follows, the button does nothing.
  const follow = h("button.main", { hidden: own, disabled: true }, "Follow");
  const show = (follows) => {
    follow.textContent = follows ? "Following" : "Follow";
    follow.className = follows ? "" : "main";
    follow.setAttribute("aria-pressed", String(follows));
    follow.disabled = false;
  };
  if (!own) social.follows(state.api, state.me.userId, userId).then(show, () => {});
  follow.addEventListener("click", action(async () => {
    const follows = follow.getAttribute("aria-pressed") === "true";
    await (follows ? social.unfollow : social.follow)(state.api, userId);
    show(!follows);
  }));
  watch(call, null, (answer) => {
    if (!answer?.user) return head.replaceChildren(gone("There is nobody with this address."));
    const { user, posts } = answer;
    state.people.set(userId, Promise.resolve(user));
    const figure = (number, word) => h("span", {}, h("strong", {}, Number(number).toLocaleString("en")), h("span.soft.small", {}, word));
    head.replaceChildren(
      h("div.row", {}, avatar(user.displayName, userId, "large"), h("div.grow", {}, h("h1", {}, user.displayName), h("p.soft", {}, `@${user.username}`)), follow),
      user.bio ? h("p", {}, user.bio) : "",
      h("div.figures", {}, figure(user.postCount, "posts"), figure(user.followerCount, "followers"), figure(user.followingCount, "following")),
      own ? h("p.soft.small", {}, user.email) : "",
      own ? editor(user) : "");
    grid.replaceChildren(...posts.items.map((item) => h("a", { href: `#/post/${item.postId}`, "aria-label": item.caption || "A picture without a caption" }, picture(item.imageUrl, item.postId, ""))));
  });
  return [head, h("h2.hidden-text", {}, "Posts"), grid];
}

function editor(user) {
  const name = h("input", { value: user.displayName, maxlength: 60, required: true });
  const bio = h("textarea", { maxlength: 150 }, user.bio ?? "");
  const fault = h("p.fault", { role: "alert" });
  const form = h("form.stack.tight", {}, h("label", {}, "Name", name), h("label", {}, "About you", bio), fault, h("div.row", {}, h("button.main", {}, "Save")));
  form.addEventListener("submit", action(async () => {
    fault.textContent = "";
    await social.changeUser(state.api, { displayName: name.value, bio: bio.value || null });
    toast("Your profile is saved.");
  }));
  return h("details", {}, h("summary", {}, "Edit your profile"), form);
}

function notifications() {
  const list = h("ul.plain.stack.tight", {});
  const light = h("span.live", {}, "connecting");
  const call = social.notifications();
  let known = null;
  watch(call, light, (answer) => {
    const before = known;
    known = new Set(answer.items.map((item) => item.notificationId));
    list.replaceChildren(...answer.items.map((item) => h(`li.card.row${before && !before.has(item.notificationId) ? ".fresh" : ""}`, {}, icon("bell"), h("span.grow", {}, item.text), h("span.soft.small", {}, ago(item.createdAt)))));
    if (!answer.items.length) list.replaceChildren(h("li.empty.card", {}, icon("bell"), h("p", {}, "Likes, comments and new followers appear here.")));
  });
  return [h("div.row.ends", {}, h("h1", {}, "Notifications"), light), list];
}

function compose() {
  const caption = h("textarea", { maxlength: 2200, placeholder: "What is in the picture?" });
  const address = h("input", { type: "url", maxlength: 2048, placeholder: "https://… (empty: a drawing)" });
  const form = h("form.card.stack", {}, h("label", {}, "Caption", caption), h("label", {}, "Address of the picture", address), h("div.row", {}, h("button.main", {}, "Post")));
  form.addEventListener("submit", action(async () => {
    const imageUrl = address.value || `https://images.example.com/${crypto.randomUUID().slice(0, 8)}.jpg`;
    const { postId } = await social.createPost(state.api, { imageUrl, ...(caption.value && { caption: caption.value }) });
    location.hash = `#/post/${postId}`;
  }));
  return [h("h1", {}, "New post"), form];
}

// ── Signing in ──

// A real application would ask for a password and get a token. The demo lets anybody be any of its users.
async function signIn() {
  const list = h("div.people", {});
  const name = h("input", { id: "name", required: true, maxlength: 30, autocapitalize: "none", autocomplete: "username", placeholder: "priya_patel" });
  const form = h("form.row", {}, name, h("button.main", {}, "Sign in"));
  form.addEventListener("submit", action(async () => {
    try {
      enter(await social.userByName(state.api, name.value.trim()));
    } catch (error) {
      if (error instanceof Problem && error.status === 404) throw new Error(`There is no user called ${name.value.trim()}.`);
      throw error;
    }
  }));
  page.replaceChildren(h("div.stack", {},
    h("h1", {}, "Who are you today?"),
    h("p.soft", {}, "This is a demo: choose one of its users. Open a second window and be somebody else there, and watch what the one does arrive at the other."),
    list,
    h("section.card.stack.tight", {}, h("label", { for: "name" }, "Or a user name"), form)));
  const { items } = await state.api.get(social.globalFeed().path, { limit: 60 });
  const ids = [...new Set(items.map((item) => item.userId))].slice(0, 8);
  const users = await Promise.all(ids.map(person));
  list.replaceChildren(...users.map((user) => h("button", { onclick: () => enter(user) }, avatar(user.displayName, user.userId), h("span", {}, h("strong", {}, user.displayName), h("br"), h("span.soft.small", {}, `@${user.username}`)))));
}

function enter(user) {
  sessionStorage.setItem(SESSION, user.userId);
  start();
}

function leave() {
  sessionStorage.removeItem(SESSION);
  location.hash = "#/";
  start();
}

// ── The frame ──

const ROUTES = [
  [/^#?\/?$/, home],
  [/^#\/explore$/, explore],
  [/^#\/post\/([^/]+)$/, post],
  [/^#\/user\/([^/]+)$/, profile],
  [/^#\/notifications$/, notifications],
  [/^#\/new$/, compose],
];

function gone(text) {
  return h("div.empty.card", {}, icon("explore"), h("h1", {}, "Nothing here"), h("p", {}, text), h("a.button", { href: "#/" }, "Home"));
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
    refused: (problem) => page.replaceChildren(gone(problem.message)),
  });
  state.watching.push(stop);
}

function show() {
  for (const stop of state.watching.splice(0)) stop();
  const hash = location.hash || "#/";
  const [pattern, view] = ROUTES.find(([pattern]) => pattern.test(hash)) ?? [];
  const content = view ? view(...hash.match(pattern).slice(1).map(decodeURIComponent)) : gone("There is no such page.");
  page.replaceChildren(h("div.stack", {}, content));
  for (const link of document.querySelectorAll("#tabs a")) link.toggleAttribute("aria-current", link.getAttribute("href") === hash);
  for (const link of document.querySelectorAll("#tabs a[aria-current]")) link.setAttribute("aria-current", "page");
  window.scrollTo(0, 0);
}

async function start() {
  const bar = document.getElementById("masthead");
  const tabs = document.getElementById("tabs");
  const brand = h("a.brand", { href: "#/" }, icon("brand"), "Piazza");
  const userId = sessionStorage.getItem(SESSION);
  for (const stop of state.watching.splice(0)) stop();
  state.people.clear();
  state.api = new Api("/social", userId);
  tabs.hidden = !userId;
  bar.replaceChildren(brand);
  try {
    if (!userId) return await signIn();
    state.me = await social.user(state.api, userId);
  } catch (error) {
    if (userId && error instanceof Problem) return leave();
    return page.replaceChildren(gone(error.message));
  }
  bar.replaceChildren(brand, h("span.row", {}, h("span.soft.small", {}, state.me.displayName), h("button.quiet.small", { onclick: leave, "aria-label": "Sign out" }, icon("leave"))));
  const tab = (href, name, text) => h("a", { href }, icon(name), text);
  tabs.replaceChildren(tab("#/", "home", "Home"), tab("#/explore", "explore", "Explore"), tab("#/new", "add", "Post"), tab("#/notifications", "bell", "News"), tab(`#/user/${userId}`, "person", "You"));
  show();
}

window.addEventListener("hashchange", () => state.me && sessionStorage.getItem(SESSION) && show());
start();
