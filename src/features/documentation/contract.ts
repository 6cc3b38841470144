import { z } from "zod";
import { open, route, tailPath } from "../../platform/http/index.ts";

export const tag = "Documentation";

/** Pages accept any query parameter, because mail programs and proxies add their own to links. */
const anything = z.looseObject({});
const maxQueryLength = 200;

export const home = route({
  method: "get",
  path: "/docs",
  tag,
  summary: "Open the documentation",
  description:
    "The documentation of this version as pages, with a search. `/docs/reference` is the API reference.",
  access: open,
  query: anything,
  raw: "text/html",
  replies: { 200: z.string(), 304: null },
});

export const reference = route({
  method: "get",
  path: "/docs/reference",
  tag,
  summary: "Open the API reference",
  description: "A page with every operation of this API, rendered from `/openapi.json`.",
  access: open,
  query: anything,
  raw: "text/html",
  replies: { 200: z.string() },
});

export const searchPage = route({
  method: "get",
  path: "/docs/search",
  tag,
  summary: "Open the results of a search",
  description: "The page works without JavaScript.",
  access: open,
  query: z.looseObject({ q: z.string().max(maxQueryLength).default("") }),
  raw: "text/html",
  replies: { 200: z.string() },
});

export const search = route({
  method: "get",
  path: "/docs/search.json",
  tag,
  summary: "Search the documentation",
  description: "Finds the passages that contain every word, the best first.",
  access: open,
  query: z.strictObject({ q: z.string().max(maxQueryLength) }),
  replies: {
    200: z.strictObject({
      results: z
        .array(
          z.strictObject({
            page: z.string(),
            section: z.string(),
            heading: z.string(),
            url: z.string(),
            excerpt: z.string(),
          }),
        )
        .max(20),
    }),
  },
});

/** Pages, pictures, scripts and styles. Not part of the API description. */
export const below = route({
  method: "get",
  path: tailPath("/docs"),
  tag,
  summary: "Load a page or a file of the documentation",
  access: open,
  params: z.object({ "*": z.string() }),
  query: anything,
  raw: "text/html",
  replies: { 200: z.string(), 304: null },
});
