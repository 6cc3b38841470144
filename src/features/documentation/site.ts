import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createStaticFiles, readFolder, type StaticFiles } from "../../platform/http/index.ts";
import { defineState } from "../../platform/state.ts";
import { pages, sections } from "./contents.ts";
import { renderHome, renderPage } from "./layout.ts";
import type { RenderedPage } from "./markdown.ts";
import { readReferenceFiles } from "./reference.ts";
import { createSearchIndex, type SearchIndex } from "./search.ts";

const root = join(import.meta.dirname, "../../..");

export interface Site {
  files: StaticFiles;
  search: SearchIndex;
}

/** The pages of the documentation. They are rendered at the first request, so that a start does not pay for it. */
export const documentationSite = defineState({
  name: "pages of the documentation",
  create(): { read(): Promise<Site> } {
    let site: Promise<Site> | undefined;
    return {
      read() {
        site ??= buildSite().catch((error) => {
          site = undefined;
          throw error;
        });
        return site;
      },
    };
  },
});

async function buildSite(): Promise<Site> {
  const { renderMarkdown } = await import("./markdown.ts");
  const known = new Map(pages.map((page) => [page.file, page]));
  const rendered = new Map<string, RenderedPage>();
  const files: Record<string, Uint8Array> = {
    ...readReferenceFiles(),
    ...readPictures("pictures"),
    ...readPictures("screenshots"),
    "assets/docs.css": readFileSync(join(import.meta.dirname, "assets/docs.css")),
    "assets/docs.js": readFileSync(join(import.meta.dirname, "assets/docs.js")),
    "index.html": Buffer.from(renderHome()),
  };
  for (const page of pages) {
    const content = renderMarkdown(readFileSync(join(root, page.file), "utf8"), page.file, known);
    rendered.set(page.slug, content);
    files[`${page.slug}.html`] = Buffer.from(renderPage(page, content));
  }
  return { files: createStaticFiles(files), search: createSearchIndex(sections, rendered) };
}

/** Pictures are left out of small installations. The pages have texts in their place. */
function readPictures(name: string): Record<string, Uint8Array> {
  const folder = join(root, "docs", name);
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    Object.entries(readFolder(folder)).map(([path, bytes]) => [`${name}/${path}`, bytes]),
  );
}
