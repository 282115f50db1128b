// The calls of the application: one for each access pattern that it uses. The design doesn't say who may call yet, so
// each call names the user.

import { path } from "../shared/api.js";

const newest = (field) => (a, b) => a[field] > b[field];

// Reads that are followed live: where they are, their parameters, and the order of their items.
export const pantry = (userId) => ({ path: path`/users/${userId}/ingredients`, parameters: { limit: 200 }, before: (a, b) => a.normalized_name < b.normalized_name });
export const recipe = (recipeId) => ({ path: path`/recipes/${recipeId}`, parameters: {} });
export const ratings = (recipeId) => ({ path: path`/recipes/${recipeId}/ratings`, parameters: { limit: 50 } });
export const friendFeed = (userId) => ({ path: path`/users/${userId}/personal-feed`, parameters: { limit: 20 }, before: newest("created_at") });
export const publicFeed = () => ({ path: "/public-feed", parameters: { limit: 20 }, before: newest("created_at") });
export const requests = (userId) => ({ path: path`/users/${userId}/friend-requests`, parameters: {} });
export const friends = (userId) => ({ path: path`/users/${userId}/friends`, parameters: {} });
export const profile = (userId) => ({ path: path`/users/${userId}`, parameters: {} });
export const favorites = (userId) => ({ path: path`/users/${userId}/favorites`, parameters: { limit: 50 }, before: newest("cook_date") });

export const user = (api, userId) => api.get(path`/users/${userId}`);
export const userRecipes = (api, userId) => api.get(path`/users/${userId}/recipes`, { limit: 20 });
export const findIngredients = async (api, name) => (await api.get("/search-ingredients", { name, limit: 6 })).items;
export const addIngredient = (api, name) => api.put(path`/users/${api.caller}/ingredients/${name}`);
export const removeIngredient = (api, name) => api.delete(path`/users/${api.caller}/ingredients/${name}`);

export const fromPantry = async (api) => (await api.get(path`/users/${api.caller}/recipes-from-pantry`, { limit: 12 })).items;
export const recipesOf = (api, ids) => api.get("/recipes", { keys: ids });
export const approved = (api, parameters) => api.get("/approved-recipes", { limit: 12, ...parameters });
export const byCuisine = (api, cuisine, parameters) => api.get(path`/cuisines/${cuisine}/recipes`, { limit: 12, ...parameters });
export const byMeal = (api, meal, parameters) => api.get(path`/mealtypes/${meal}/recipes`, { limit: 12, ...parameters });
export const needs = async (api, recipeId) => (await api.get(path`/recipes/${recipeId}/ingredients`, { limit: 100 })).items;

export const cook = (api, recipeId) => api.post(path`/users/${api.caller}/cooking-history`, { recipe_id: recipeId });
export const finish = (api, { created_at, history_id }) => api.patch(path`/users/${api.caller}/cooking-history/${created_at}/${history_id}`);
export const note = (api, { created_at, history_id }, changes) => api.patch(path`/users/${api.caller}/cooking-history/${created_at}/${history_id}/note-on`, changes);
export const history = async (api) => (await api.get(path`/users/${api.caller}/cooking-history`, { limit: 20 })).items;
export const hasRated = (api, recipeId) => api.get(path`/recipes/${recipeId}/ratings/${api.caller}/exists`);
export const rate = (api, recipeId, rating) => api.post(path`/recipes/${recipeId}/ratings`, { user_id: api.caller, ...rating });
export const changeRating = (api, recipeId, rating) => api.patch(path`/recipes/${recipeId}/ratings/${api.caller}`, rating);

export const share = (api, post) => api.post("/posts", { user_id: api.caller, ...post });
export const hasReacted = async (api, postId) => (await api.get(path`/posts/${postId}/reactions`, { limit: 1000 })).items.some((reaction) => reaction.user_id === api.caller);
export const react = (api, postId) => api.post(path`/posts/${postId}/reactions`, { user_id: api.caller, reaction_type: "yummy" });
export const unreact = (api, postId) => api.delete(path`/posts/${postId}/reactions/${api.caller}`);
export const ask = (api, userId) => api.post(path`/users/${api.caller}/friendships`, { friend_id: userId });
export const accept = (api, userId) => api.patch(path`/users/${userId}/friendships/${api.caller}`);
export const decline = (api, userId) => api.delete(path`/users/${userId}/friendships/${api.caller}`);
