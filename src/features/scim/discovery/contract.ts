import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { base, describeError, ListResponse, Resource } from "../messages/index.ts";

const byId = (description: string, example: string) =>
  z.strictObject({
    id: z
      .string()
      .describe(description)
      .meta({ examples: [example] }),
  });

export const serviceProviderConfig = route({
  ...base,
  method: "get",
  path: "/scim/v2/ServiceProviderConfig",
  summary: "What the service supports",
  description: "PATCH, filters, sorting, entity tags, pages by index and by cursor; no bulk requests.",
  replies: { 200: Resource },
});

export const resourceTypes = route({
  ...base,
  method: "get",
  path: "/scim/v2/ResourceTypes",
  summary: "The kinds of resources",
  description: "User and Group.",
  replies: { 200: ListResponse },
});

export const resourceType = route({
  ...base,
  method: "get",
  path: "/scim/v2/ResourceTypes/{id}",
  summary: "One kind of resource",
  description: "Where its resources are, and which schemas they have.",
  params: byId("The kind.", "User"),
  replies: { 200: Resource },
  errors: { 404: describeError("There is no such kind.") },
});

export const schemas = route({
  ...base,
  method: "get",
  path: "/scim/v2/Schemas",
  summary: "The attributes that are kept",
  description: "All schemas. Attributes that they do not have are ignored.",
  replies: { 200: ListResponse },
});

export const schema = route({
  ...base,
  method: "get",
  path: "/scim/v2/Schemas/{id}",
  summary: "One schema",
  description: "By its URN.",
  params: byId("The schema.", "urn:ietf:params:scim:schemas:core:2.0:User"),
  replies: { 200: Resource },
  errors: { 404: describeError("There is no such schema.") },
});

const unsupported = (description: string) => ({
  ...base,
  description,
  replies: { 204: null },
  errors: { 501: describeError("Not supported, as `ServiceProviderConfig` says.") },
});

export const bulk = route({
  ...unsupported("Send single requests: they are as fast, and each has its own reply."),
  method: "post",
  path: "/scim/v2/Bulk",
  summary: "Bulk requests are not supported",
});

export const searchAll = route({
  ...unsupported("Search in `/Users/.search` or in `/Groups/.search`."),
  method: "post",
  path: "/scim/v2/.search",
  summary: "A search in all kinds at once is not supported",
});

const me = {
  ...unsupported("A SCIM token belongs to a directory and to no person."),
  path: "/scim/v2/Me",
} as const;
const summary = "`/Me` is not supported";
export const readMe = route({ ...me, method: "get", summary });
export const createMe = route({ ...me, method: "post", summary });
export const replaceMe = route({ ...me, method: "put", summary });
export const patchMe = route({ ...me, method: "patch", summary });
export const removeMe = route({ ...me, method: "delete", summary });
