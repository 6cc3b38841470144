import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import * as messages from "../messages/index.ts";

const { base, bodyLimit, describeError, Resource } = messages;

const params = z.strictObject({
  id: z
    .string()
    .describe("The group.")
    .meta({ examples: ["scg_01jz8q2d9xf4vvh0tbq8k3m5na"] }),
});
const notFound = describeError("There is no such group.");
const taken = describeError("`uniqueness`: another group has this `displayName`.");
const outdated = describeError("`If-Match` names another version.");
const refused = describeError("The change is not allowed, such as one group more than the quota.");

export const create = route({
  ...base,
  method: "post",
  path: "/scim/v2/Groups",
  summary: "Create a group",
  description:
    "A mapping of the connector can turn the group into a team or a role. Groups without a mapping are only stored.",
  query: messages.projectionQuery,
  body: messages.ResourceBody,
  bodyLimit,
  replies: { 201: Resource },
  replyHeaders: messages.createdHeaders,
  errors: { 403: refused, 409: taken },
});

export const list = route({
  ...base,
  method: "get",
  path: "/scim/v2/Groups",
  summary: "Find groups",
  description: "By filter, in an order, page by page: by `startIndex`, or by `cursor` as in RFC 9865.",
  query: messages.listQuery,
  replies: { 200: messages.ListResponse },
});

export const search = route({
  ...base,
  method: "post",
  path: "/scim/v2/Groups/.search",
  summary: "Find groups, with the filter in the body",
  description: "As `GET /scim/v2/Groups`, for filters that should not be in addresses.",
  body: messages.SearchBody,
  replies: { 200: messages.ListResponse },
});

export const read = route({
  ...base,
  method: "get",
  path: "/scim/v2/Groups/{id}",
  summary: "One group",
  description: "Its members are left out with `excludedAttributes=members`.",
  params,
  query: messages.projectionQuery,
  requestHeaders: messages.ifNoneMatch,
  replies: { 200: Resource, 304: null },
  replyHeaders: messages.replyHeaders,
  errors: { 404: notFound },
});

export const replace = route({
  ...base,
  method: "put",
  path: "/scim/v2/Groups/{id}",
  summary: "Replace a group",
  description: "The members become those of the body. Without `members`, they stay as they are.",
  params,
  query: messages.projectionQuery,
  body: messages.ResourceBody,
  bodyLimit,
  requestHeaders: messages.ifMatch,
  replies: { 200: Resource },
  replyHeaders: messages.replyHeaders,
  errors: { 403: refused, 404: notFound, 409: taken, 412: outdated },
});

export const patch = route({
  ...base,
  method: "patch",
  path: "/scim/v2/Groups/{id}",
  summary: "Change attributes of a group",
  description: "Adds and removes members, of which there can be many, and renames the group.",
  params,
  query: messages.projectionQuery,
  body: messages.PatchBody,
  bodyLimit,
  requestHeaders: messages.ifMatch,
  replies: { 200: Resource },
  replyHeaders: messages.replyHeaders,
  errors: { 403: refused, 404: notFound, 409: taken, 412: outdated },
});

export const remove = route({
  ...base,
  method: "delete",
  path: "/scim/v2/Groups/{id}",
  summary: "Remove a group",
  description: "Its members lose the team and the role that a mapping gave them.",
  params,
  requestHeaders: messages.ifMatch,
  replies: { 204: null },
  errors: { 403: refused, 404: notFound, 412: outdated },
});
