import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useServer } from "../../../test/harness.ts";
import { pages } from "./contents.ts";

const root = join(import.meta.dirname, "../../..");

describe("the documentation", () => {
  const server = useServer();
  const readPage = async (path: string) => {
    const { status, body, headers } = await server.call(path);
    return { status, text: String(body), headers };
  };

  test("has every document of the repository in its menu", () => {
    const files = globSync("docs/**/*.md", { cwd: root });
    expect(files.length).toBeGreaterThan(30);
    expect(
      pages
        .map(({ file }) => file)
        .filter((file) => file.startsWith("docs/"))
        .toSorted(),
    ).toEqual(files.toSorted());
    expect(new Set(pages.map(({ slug }) => slug)).size).toBe(pages.length);
  });

  test("is in the image: every folder and file it reads is copied", () => {
    const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
    const places = new Set(pages.map(({ file }) => file.split("/")[0]!));
    for (const place of places) expect(dockerfile).toMatch(new RegExp(`^COPY (?:.* )?${place} `, "m"));
  });

  test("renders every page with its heading, and loads nothing from other hosts", async () => {
    for (const { slug, file } of pages) {
      const { status, text, headers } = await readPage(`/docs/${slug}`);
      expect({ slug, status }).toEqual({ slug, status: 200 });
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      const heading = /^# (.+)$/m.exec(readFileSync(join(root, file), "utf8"))![1]!;
      expect(text).toContain("<h1>");
      expect(text.replace(/<[^>]+>/g, "")).toContain(heading.replace(/[`*]/g, "").replaceAll("&", "&amp;"));
      expect(text).not.toMatch(/<(?:img|script|link)[^>]+(?:src|href)="(?:https?:)?\/\//);
    }
  });

  test("has no link, anchor or picture that leads nowhere", async () => {
    const texts = new Map<string, string>();
    for (const { slug } of pages) texts.set(`/docs/${slug}`, (await readPage(`/docs/${slug}`)).text);
    texts.set("/docs", (await readPage("/docs")).text);
    const wrong: string[] = [];
    const checked = new Set<string>();
    for (const [path, text] of texts) {
      for (const [, target] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (/^https?:|^mailto:/.test(target!)) continue;
        const [file, anchor] = target!.replaceAll("&amp;", "&").split("#") as [string, string?];
        const page = texts.get(file || path);
        if (anchor !== undefined && !page?.includes(`id="${anchor}"`)) wrong.push(`${path}: ${target}`);
        if (file && !page && !checked.has(file)) {
          checked.add(file);
          const isOfConsole = file === "/" || !existsSync(join(root, "console/dist/index.html"));
          if (!isOfConsole && (await server.call(file)).status >= 400) wrong.push(`${path}: ${target}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test("answers a page that has not changed with 304, and a page that does not exist with 404", async () => {
    const { headers } = await readPage("/docs/operations");
    const again = await server.call("/docs/operations", {
      headers: { "if-none-match": headers.get("etag")! },
    });
    expect(again.status).toBe(304);
    for (const path of [
      "nothing",
      "..%2fpackage.json",
      "guides",
      "constructor",
      "__proto__",
      "reference/package.json",
    ]) {
      expect({ path, status: (await server.call(`/docs/${path}`)).status }).toEqual({ path, status: 404 });
    }
  });

  test("finds passages by all their words, the best first", async () => {
    const find = async (q: string) =>
      (await server.call(`/docs/search.json?q=${encodeURIComponent(q)}`)).body.results as {
        page: string;
        heading: string;
        url: string;
        excerpt: string;
      }[];
    const [first] = await find("rotating the secret");
    expect(first).toMatchObject({
      page: "Operations",
      heading: "Rotating the secret",
      url: "/docs/operations#rotating-the-secret",
    });
    expect((await find("METRICS_TOKEN")).length).toBeGreaterThan(1);
    expect(await find("zebra crossing")).toEqual([]);
    expect(await find("  ")).toEqual([]);
    for (const { url } of await find("webhook")) {
      const [path, anchor] = url.split("#") as [string, string?];
      const { status, text } = await readPage(path);
      expect(status).toBe(200);
      if (anchor) expect(text).toContain(`id="${anchor}"`);
    }
  });

  test("shows results without JavaScript, and what was typed only as text", async () => {
    const found = await readPage("/docs/search?q=backup");
    expect(found.text).toContain("/docs/operations#");
    const hostile = await readPage(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(hostile.status).toBe(200);
    expect(hostile.text).not.toContain("<script>alert");
    expect(hostile.text).toContain("Nothing found");
    expect((await server.call(`/docs/search.json?q=${"x".repeat(201)}`)).status).toBe(400);
  });

  test("the API reference and everything it loads come from this server", async () => {
    const { status, text, headers } = await readPage("/docs/reference");
    expect(status).toBe(200);
    const loaded = [...text.matchAll(/(?:src|href)="(\/docs\/reference\/[^"]+)"/g)].map(([, url]) => url!);
    expect(loaded.length).toBe(4);
    for (const url of loaded) {
      const asset = await server.call(url);
      expect(asset.status).toBe(200);
      expect(asset.headers.get("x-content-type-options")).toBe("nosniff");
      expect(asset.headers.get("content-type")).toMatch(
        url.endsWith("css") ? /^text\/css/ : /^text\/javascript/,
      );
    }
    expect(headers.get("content-security-policy")).toContain("script-src 'self'");
  });
});
