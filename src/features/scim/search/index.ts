/**
 * Finds users and groups by filter. It reads these tables, which the room writes:
 *
 * - `scim_users` (id, org_id, connector_id, user_name_key, external_id, resource, search, version, created_at,
 *   updated_at), `scim_groups` (the same with display_name_key), `scim_group_members` (org_id, connector_id, group_id,
 *   user_id).
 * - `resource` is what `readUser`, `readGroup` or a PATCH returned, with `active`. `search jsonb not null` is
 *   `toUserDocument(resource)` or `toGroupDocument(resource)`, with an index `using gin (search jsonb_path_ops)`. It has
 *   `fastupdate = off`, because lookups of a first synchronization would read the list of pending entries each time. The
 *   embedded engine does not use this index, since it has no bitmap scans.
 * - `scim_user_emails` has the addresses of `search`, with an index that both engines use. A trigger writes it.
 * - `user_name_key` and `display_name_key` are `foldCase` of the names. They and `external_id` are the first columns of
 *   an index.
 */
export { foldCase } from "../filter/index.ts";
export { toGroupDocument, toUserDocument } from "./document.ts";
export { type SearchRequest, searchGroups, searchUsers } from "./service.ts";
export { type GroupRow, isActive, userVersion } from "./store.ts";
