import { createHash } from "node:crypto";
import { html, Markup, type Part } from "./markup.ts";
import { pageScript } from "./page-script.ts";
import { pageFontPath, pageStyle } from "./page-style.ts";
import { baseHeaders } from "./reply.ts";

/** The content of a page: the result first, then the facts, then what to do. */
export interface View {
  /** The result in one word. Pages that ask for input have none. */
  state?: { kind: "ok" | "care" | "bad"; word: string };
  title: string;
  lead?: Part;
  facts?: readonly (readonly [label: string, value: Part] | undefined)[];
  body?: Part;
}

/** A view that the script shows. The script can fill in parts of its title. */
type End = Omit<View, "title"> & { title: string | Markup };

interface Page extends View {
  publicUrl: string;
  /** Views that the script can show in place of this one, by name. */
  ends?: Record<string, End>;
  /** A script of our own; the policy names its hash, so nothing else runs. */
  script?: string;
  status?: number;
  headers?: Record<string, string>;
  /** For text that is longer than a form. */
  wide?: boolean;
  /** The form goes to another site. It may redirect anywhere, and browsers apply the policy to redirects too. */
  leavesByForm?: boolean;
}

const icons = {
  ok: html`<circle cx="12" cy="12" r="9"/><path d="m8 12.3 2.7 2.7 5.3-6"/>`,
  care: html`<path d="M12 4 3 19.5h18z"/><path d="M12 10v4.5M12 17v.1"/>`,
  bad: html`<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6m0-6-6 6"/>`,
};

const logo = html`<svg class="mark" viewBox="0 0 22 22" aria-hidden="true"><rect class="box" width="22" height="22" rx="6"/><circle class="off" cx="11" cy="7" r="2.75"/><circle class="on" cx="11" cy="15" r="2.75"/></svg>`;

function render({ state, title, lead, facts = [], body }: End): Markup {
  const known = facts.filter((fact) => fact !== undefined);
  return html`${
    state &&
    html`<p class="state ${state.kind}"><svg viewBox="0 0 24 24" aria-hidden="true">${icons[state.kind]}</svg>${state.word}</p>`
  }<h1>${title}</h1>${lead && html`<p>${lead}</p>`}${
    known.length > 0 &&
    html`<dl class="facts">${known.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`
  }${body}`;
}

const sha256 = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const styleHash = sha256(pageStyle);

/** A page of few words. It works alone; only its font and icon are files, and they come from this server. */
export function htmlPage({
  publicUrl,
  ends = {},
  script,
  status = 200,
  headers,
  wide,
  leavesByForm,
  ...view
}: Page): Response {
  const whole = script && pageScript + script;
  const policy = [
    "default-src 'none'",
    `style-src ${styleHash}`,
    ...(whole ? [`script-src ${sha256(whole)}`] : []),
    "connect-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    ...(leavesByForm ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
  ].join("; ");
  const templates = Object.entries(ends).map(
    ([name, end]) => html`<template id="end-${name}">${render(end)}</template>`,
  );
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${view.title} · Signalbox</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="preload" href="${pageFontPath}" as="font" type="font/woff2" crossorigin><style>${new Markup(pageStyle)}</style></head>
<body><header class="top"><a class="brand" href="/">${logo}Signalbox</a></header>
<main${wide && html` class="wide"`}><div id="view">${render(view)}</div>${
    whole &&
    html`<p id="say" role="status"></p><noscript><p class="hint bad">This page needs JavaScript. Allow it for this site, and open the page again.</p></noscript>`
  }</main>
<footer class="foot"><span>Signalbox at ${new URL(publicUrl).host}</span><a href="/docs">Documentation</a></footer>
${templates}${whole && html`<script>${new Markup(whole)}</script>`}</body>
</html>
`;
  return new Response(page.text, {
    status,
    headers: {
      ...baseHeaders,
      "content-type": "text/html; charset=UTF-8",
      "content-security-policy": policy,
      "cache-control": "no-store",
      ...headers,
    },
  });
}

/** A link that looks like a button. A page has one main button. */
export const linkButton = (href: string, text: string, kind: "main" | "other" = "main"): Markup =>
  html`<a class="btn${kind === "main" && " main"}" href="${href}">${text}</a>`;

export const actions = (...parts: Part[]): Markup => html`<div class="actions">${parts}</div>`;

/** `2026-11-15 18:20 UTC`: the server does not know the time zone of the reader. */
export const timeText = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
