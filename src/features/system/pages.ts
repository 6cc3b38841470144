import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  baseHeaders,
  createStaticFiles,
  type HttpHeaders,
  html,
  htmlPage,
  linkButton,
  type StaticFiles,
} from "../../platform/http/index.ts";
import { defineState } from "../../platform/state.ts";
import { loginCommand } from "../auth/index.ts";

const signOutScript = `
onSubmit($("out"), async () => {
  const reply = await send("/api/auth/sign-out");
  if (reply.ok || reply.status === 401) return openAgain();
  showProblem($("out"), reply);
});
`;

/** The start page: what Signalbox is, who is signed in, and the next steps. */
export const homePage = (publicUrl: string, email: string | undefined): Response =>
  htmlPage({
    publicUrl,
    wide: true,
    title: "Signalbox",
    lead: "The control plane of your organization's AI agents: who may do what, which servers and accounts agents may reach, what every run did and cost, and what changed at the code host.",
    body: html`${
      email
        ? html`<form id="out"><p class="who">You are signed in as <b>${email}</b>. <button class="quiet">Sign out</button></p></form>
${loginCommand(publicUrl, email)}`
        : html`<div class="stack"><h2>Create an account</h2><pre>curl -s ${publicUrl}/api/auth/sign-up/email \\
  -H 'content-type: application/json' \\
  -d '{"name":"Ada","email":"ada@example.com","password":"correct horse battery"}'</pre></div>
<div class="stack"><h2>Or sign in</h2><pre>signalbox login --url ${publicUrl}</pre>
<p class="aside">Forgot your password? <a href="/reset-password">Ask for a new one</a></p></div>`
    }
<nav class="actions" aria-label="More">${linkButton("/docs", "API reference")}${linkButton("/openapi.json", "openapi.json", "other")}${linkButton("/ready", "Status", "other")}</nav>`,
    ...(email ? { script: signOutScript } : {}),
  });

const init = `
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, persistAuthorization: false,
  docExpansion: "none", filter: true, tryItOutEnabled: true, validatorUrl: null });
`;

export function docsPage(): Response {
  return new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Signalbox</title><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><main id="reference"></main><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/init.js"></script></body></html>`,
    {
      headers: {
        ...baseHeaders,
        "content-type": "text/html; charset=UTF-8",
        "cache-control": "no-cache",
        // The reference page styles its parts inline; its scripts come from here and nowhere else.
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      },
    },
  );
}

const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

/** Serves what the reference page loads, and nothing else of its package. The files are read at the first request. */
export const docsAssets = defineState({ name: "assets of the API reference", create: createDocsAssets });

function createDocsAssets(): (file: string, headers: HttpHeaders) => Promise<Response> {
  let files: StaticFiles | undefined;
  const read = () =>
    createStaticFiles({
      "swagger-ui.css": readFileSync(join(folder, "swagger-ui.css")),
      "swagger-ui-bundle.js": readFileSync(join(folder, "swagger-ui-bundle.js")),
      "init.js": Buffer.from(init),
    });
  return (file, headers) => {
    files ??= read();
    return files.answer(file, headers);
  };
}
