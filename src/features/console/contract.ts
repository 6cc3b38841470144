import { z } from "zod";
import { open, pageFontPath, route, tailPath } from "../../platform/http/index.ts";

export const tag = "Console";
/** Pages accept any query parameter, because mail programs and proxies add their own to links. */
const anything = z.looseObject({});

export const home = route({
  method: "get",
  path: "/",
  tag,
  summary: "Open the console",
  description: "The web application for people. It uses the routes of this API and nothing else.",
  access: open,
  query: anything,
  raw: "text/html",
  replies: { 200: z.string(), 304: null },
});

/** An address of the console and everything below it. These routes are not part of the API description. */
export const below = (prefix: string) =>
  route({
    method: "get",
    path: tailPath(prefix),
    tag,
    summary: "Load a page or a file of the console",
    access: open,
    params: z.object({ "*": z.string() }),
    query: anything,
    raw: "text/html",
    replies: { 200: z.string(), 304: null },
  });

/** Where pages are. The console decides what each shows. Every other unknown path stays a 404. */
export const pagePrefixes = [
  "/o",
  "/sign-in",
  "/sign-up",
  "/setup",
  "/new-organization",
  "/me",
  "/admin",
  "/shared",
];

/** The font of the pages that the server renders. Its name has no hash, because they do not know the built files. */
export const fontPrefix = pageFontPath.slice(0, pageFontPath.lastIndexOf("/"));

/** Files beside the pages. Those in `/assets` have the hash of their content in their name. */
export const filePrefixes = ["/assets", "/favicon.svg", "/theme.js"];
