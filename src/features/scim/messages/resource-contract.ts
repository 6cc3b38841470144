import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import * as messages from "./contract.ts";

const { base, bodyLimits, describeError, Resource } = messages;

/** What differs between the routes of users and those of groups. */
interface ResourceTexts {
  /** `user`, as in "Create a user". */
  noun: "user" | "group";
  idExample: string;
  /** The attribute that no two resources share. */
  uniqueName: string;
  /** An example of a change that is refused with 403. */
  refusedExample: string;
  descriptions: Record<"create" | "read" | "replace" | "patch" | "remove", string>;
}

/** The contracts of a kind of resource. */
export function defineResourceContract(
  name: "Users" | "Groups",
  { noun, idExample, uniqueName, refusedExample, descriptions }: ResourceTexts,
) {
  const params = z.strictObject({
    id: z
      .string()
      .describe(`The ${noun}.`)
      .meta({ examples: [idExample] }),
  });
  const notFound = describeError(`There is no such ${noun}.`);
  const taken = describeError(`\`uniqueness\`: another ${noun} has this \`${uniqueName}\`.`);
  const outdated = describeError("`If-Match` names another version.");
  const refused = describeError(`The change is not allowed, such as ${refusedExample}.`);
  const path = `/scim/v2/${name}` as const;
  const pathWithId = `/scim/v2/${name}/{id}` as const;
  const bodyLimit = bodyLimits[name];
  const change = {
    params,
    query: messages.projectionQuery,
    bodyLimit,
    requestHeaders: messages.ifMatch,
    replies: { 200: Resource },
    replyHeaders: messages.replyHeaders,
    errors: { 403: refused, 404: notFound, 409: taken, 412: outdated },
  };
  return {
    create: route({
      ...base,
      method: "post",
      path,
      summary: `Create a ${noun}`,
      description: descriptions.create,
      query: messages.projectionQuery,
      body: messages.ResourceBody,
      bodyLimit,
      replies: { 201: Resource },
      replyHeaders: messages.createdHeaders,
      errors: { 403: refused, 409: taken },
    }),
    list: route({
      ...base,
      method: "get",
      path,
      summary: `Find ${noun}s`,
      description: "Supports filters, sorting, and pages by `startIndex` or by `cursor` (RFC 9865).",
      query: messages.listQuery,
      replies: { 200: messages.ListResponse },
    }),
    search: route({
      ...base,
      method: "post",
      path: `${path}/.search`,
      summary: `Find ${noun}s, with the filter in the body`,
      description: `As \`GET ${path}\`, for filters that should not be in addresses.`,
      body: messages.SearchBody,
      bodyLimit: messages.searchLimit,
      replies: { 200: messages.ListResponse },
    }),
    read: route({
      ...base,
      method: "get",
      path: pathWithId,
      summary: `One ${noun}`,
      description: descriptions.read,
      params,
      query: messages.projectionQuery,
      requestHeaders: messages.ifNoneMatch,
      replies: { 200: Resource, 304: null },
      replyHeaders: messages.replyHeaders,
      errors: { 404: notFound },
    }),
    replace: route({
      ...base,
      ...change,
      method: "put",
      path: pathWithId,
      summary: `Replace a ${noun}`,
      description: descriptions.replace,
      body: messages.ResourceBody,
    }),
    patch: route({
      ...base,
      ...change,
      method: "patch",
      path: pathWithId,
      summary: `Change attributes of a ${noun}`,
      description: descriptions.patch,
      body: messages.PatchBody,
    }),
    remove: route({
      ...base,
      method: "delete",
      path: pathWithId,
      summary: `Remove a ${noun}`,
      description: descriptions.remove,
      params,
      requestHeaders: messages.ifMatch,
      replies: { 204: null },
      errors: { 403: refused, 404: notFound, 412: outdated },
    }),
  };
}

export type ResourceContract = ReturnType<typeof defineResourceContract>;
