// The calls of the application: one for each access pattern that it uses. The caller is `me` in a path.

import { path } from "../shared/api.js";

const newest = (a, b) => a.createdAt > b.createdAt;

// Reads that are followed live: where they are, their parameters, and the order of their items.
export const homeFeed = () => ({ path: "/users/me/home-feed", parameters: { limit: 20 }, before: newest });
export const globalFeed = () => ({ path: "/global-feed", parameters: { limit: 20 }, before: newest });
export const notifications = () => ({ path: "/users/me/notifications", parameters: { limit: 30 }, before: newest });
export const postPage = (postId, userId) => ({ path: path`/posts/${postId}/page`, parameters: { userId } });
export const profilePage = (userId) => ({ path: path`/users/${userId}/profile-page`, parameters: {} });

export const user = (api, userId) => api.get(path`/users/${userId}`);
export const userByName = (api, name) => api.get(path`/usernames/${name}/user`);
export const hasLiked = (api, postId, userId) => api.get(path`/posts/${postId}/likes/${userId}/exists`);
export const follows = (api, me, userId) => api.get(path`/users/${me}/follows/${userId}/exists`);

export const createPost = (api, post) => api.post("/posts", post);
export const deletePost = (api, postId) => api.delete(path`/posts/${postId}`);
export const like = (api, postId) => api.post(path`/posts/${postId}/likes`);
export const unlike = (api, postId) => api.delete(path`/posts/${postId}/likes/me`);
export const comment = (api, postId, content) => api.post(path`/posts/${postId}/comments`, { content });
export const deleteComment = (api, { postId, createdAt, commentId }) => api.delete(path`/posts/${postId}/comments/${createdAt}/${commentId}`);
export const follow = (api, userId) => api.post("/users/me/follows", { followingId: userId });
export const unfollow = (api, userId) => api.delete(path`/users/me/follows/${userId}`);
export const changeUser = (api, changes) => api.patch("/users/me", changes);
