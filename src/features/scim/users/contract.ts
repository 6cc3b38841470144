import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import * as messages from "../messages/index.ts";

const { base, bodyLimit, describeError, Resource } = messages;

const params = z.strictObject({
  id: z
    .string()
    .describe("The user.")
    .meta({ examples: ["scu_01jz8q2d9xf4vvh0tbq8k3m5na"] }),
});
const notFound = describeError("There is no such user.");
const taken = describeError("`uniqueness`: another user has this `userName`.");
const outdated = describeError("`If-Match` names another version.");
const refused = describeError("The change is not allowed, such as deactivating the last owner.");

export const create = route({
  ...base,
  method: "post",
  path: "/scim/v2/Users",
  summary: "Create a user",
  description:
    "If the e-mail address belongs to a verified domain of the organization, the person becomes a member. A member with this address is linked.",
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
  path: "/scim/v2/Users",
  summary: "Find users",
  description: "By filter, in an order, page by page: by `startIndex`, or by `cursor` as in RFC 9865.",
  query: messages.listQuery,
  replies: { 200: messages.ListResponse },
});

export const search = route({
  ...base,
  method: "post",
  path: "/scim/v2/Users/.search",
  summary: "Find users, with the filter in the body",
  description: "As `GET /scim/v2/Users`, for filters that should not be in addresses.",
  body: messages.SearchBody,
  replies: { 200: messages.ListResponse },
});

export const read = route({
  ...base,
  method: "get",
  path: "/scim/v2/Users/{id}",
  summary: "One user",
  description: "Also a user who is not active.",
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
  path: "/scim/v2/Users/{id}",
  summary: "Replace a user",
  description: "Attributes that the body does not have are removed. Without `active`, it stays as it is.",
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
  path: "/scim/v2/Users/{id}",
  summary: "Change attributes of a user",
  description: "`active: false` ends the member's sessions, keys and tokens in the organization at once.",
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
  path: "/scim/v2/Users/{id}",
  summary: "Remove a user",
  description: "The member is deactivated, and only the directory can bring the person back.",
  params,
  requestHeaders: messages.ifMatch,
  replies: { 204: null },
  errors: { 403: refused, 404: notFound, 412: outdated },
});
