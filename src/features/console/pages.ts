import { html, htmlPage, linkButton } from "../../platform/http/index.ts";

/** Shown instead of the console when it was not built. */
export const notBuiltPage = (publicUrl: string): Response =>
  htmlPage({
    publicUrl,
    status: 503,
    title: "The console is not built",
    lead: "The service runs, and its API answers. Only its web pages are missing.",
    body: html`<div class="stack"><h2>Build it once</h2><pre>npm run build:console</pre>
<p class="aside">Then reload this page. <code>npm ci</code> does the same, unless it was told to run no scripts.</p></div>
<nav class="actions" aria-label="More">${linkButton("/docs", "Documentation")}${linkButton("/ready", "Status", "other")}</nav>`,
  });
