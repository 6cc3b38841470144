import { html, Markup, type Part, pageFontPath } from "../../platform/http/index.ts";
import { type Page, pages, sections } from "./contents.ts";
import type { Heading, RenderedPage } from "./markdown.ts";
import type { SearchResult } from "./search.ts";

const logo = html`<svg viewBox="0 0 22 22" aria-hidden="true"><rect class="box" width="22" height="22" rx="6"/><circle class="off" cx="11" cy="7" r="2.75"/><circle class="on" cx="11" cy="15" r="2.75"/></svg>`;

interface Frame {
  title: string;
  /** The page that is open, if it is in the menu. */
  slug?: string;
  query?: string;
  body: Part;
  aside?: Part;
}

function renderFrame({ title, slug, query = "", body, aside }: Frame): string {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Signalbox</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="preload" href="${pageFontPath}" as="font" type="font/woff2" crossorigin><script src="/theme.js"></script><link rel="stylesheet" href="/docs/assets/docs.css"></head>
<body><a class="skip" href="#content">Skip to the text</a>
<header class="top"><a class="brand" href="/docs" aria-label="Signalbox documentation">${logo}<span>Signalbox</span></a>
<form action="/docs/search" role="search"><input id="search" name="q" type="search" value="${query}" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off" maxlength="200"></form>
<nav aria-label="Site"><a href="/docs/reference">API reference</a><a href="/">Console</a></nav></header>
<div class="frame"><nav class="menu" aria-label="Documentation"><details open><summary>All pages</summary>${sections.map(
    (section) =>
      html`<h2>${section.name}</h2><ul>${section.pages.map(
        (page) =>
          html`<li><a href="/docs/${page.slug}"${page.slug === slug && html` aria-current="page"`}>${page.name}</a></li>`,
      )}${section.name === "API" && html`<li><a href="/docs/reference">API reference</a></li>`}</ul>`,
  )}</details></nav>
<main id="content" class="sheet${!aside && " alone"}"><article>${body}</article>${aside}</main></div>
<script src="/docs/assets/docs.js"></script></body>
</html>
`.text;
}

export function renderPage({ slug }: Page, { title, html: content, headings }: RenderedPage): string {
  const at = pages.findIndex((page) => page.slug === slug);
  return renderFrame({
    title,
    slug,
    body: html`${new Markup(content)}${renderNeighbours(pages[at - 1], pages[at + 1])}`,
    aside: renderHeadings(headings.filter(({ depth }) => depth === 2)),
  });
}

const renderHeadings = (headings: readonly Heading[]): Part =>
  headings.length > 1 &&
  html`<nav class="onpage" aria-label="On this page"><h2>On this page</h2><ul>${headings.map(
    ({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`,
  )}</ul></nav>`;

const renderNeighbours = (before: Page | undefined, after: Page | undefined): Part =>
  html`<nav class="next" aria-label="Next pages">${
    before && html`<a href="/docs/${before.slug}"><span>Before</span>${before.name}</a>`
  }${after && html`<a href="/docs/${after.slug}"><span>Next</span>${after.name}</a>`}</nav>`;

export function renderHome(): string {
  const first = pages[0]!;
  return renderFrame({
    title: "Documentation",
    body: html`<h1>Documentation</h1>
<p class="lead">One service for your organization: who may do what, which MCP servers and accounts your agents may reach, what every run did and cost, and what changed at the code host.</p>
<p><a class="go main" href="/docs/${first.slug}">${first.name}</a><a class="go" href="/docs/reference">API reference</a></p>
<div class="cards">${sections.map(
      (section) =>
        html`<section class="card"><h2>${section.name}</h2><ul>${section.pages.map(
          (page) => html`<li><a href="/docs/${page.slug}">${page.name}</a></li>`,
        )}</ul></section>`,
    )}</div>`,
  });
}

export function renderResults(query: string, results: readonly SearchResult[]): string {
  const count = results.length === 1 ? "1 result" : `${results.length} results`;
  return renderFrame({
    title: query ? `Search: ${query}` : "Search",
    query,
    body: html`<h1>Search</h1>${
      query
        ? html`<p role="status">${results.length ? `${count} for “${query}”` : `Nothing found for “${query}”. Try fewer or other words.`}</p>`
        : html`<p>Type what you look for into the field at the top.</p>`
    }<ol class="results">${results.map(
      ({ url, page, section, heading, excerpt }) =>
        html`<li><a href="${url}">${heading === page ? page : `${page}: ${heading}`}</a><small>${section}</small>${excerpt}</li>`,
    )}</ol>`,
  });
}
