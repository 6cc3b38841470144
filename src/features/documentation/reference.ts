import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { baseHeaders } from "../../platform/http/index.ts";

// `/theme.js` has applied the theme that was chosen in the console. Without a choice, the system's applies.
const init = `
const { theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" } = document.documentElement.dataset;
document.documentElement.classList.toggle("dark-mode", theme === "dark");
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, persistAuthorization: false,
  docExpansion: "none", filter: true, tryItOutEnabled: true, validatorUrl: null });
`;

/** The API reference is a page of its own: it brings its own style and needs a wider policy than the other pages. */
export function renderReferencePage(): Response {
  return new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Signalbox</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><script src="/theme.js"></script><link rel="stylesheet" href="/docs/reference/swagger-ui.css"><link rel="stylesheet" href="/docs/reference/page.css"></head>
<body><nav aria-label="Documentation"><a href="/docs">← Documentation</a></nav><main id="reference"></main><script src="/docs/reference/swagger-ui-bundle.js"></script><script src="/docs/reference/init.js"></script></body></html>`,
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

const style = `
:root { color-scheme: light dark; }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
body { margin: 0; background: light-dark(#fff, #1c2022); }
nav { padding: 14px 20px 0; font: 500 14px/20px ui-sans-serif, system-ui, sans-serif; }
nav a { color: light-dark(#0056c5, #86b6fd); text-decoration: none; }
nav a:hover { text-decoration: underline; }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding-right: 40px; position: relative; }
  .swagger-ui .opblock-tag small { flex: 1 0 100%; padding: 4px 0 0; }
  .swagger-ui .opblock-tag .expand-operation { position: absolute; top: 14px; right: 0; }
  .swagger-ui .filter .operation-filter-input { min-width: 100%; }
}
`;

/** The files that the reference page loads. Nothing else of its package is served. */
export function readReferenceFiles(): Record<string, Uint8Array> {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  return {
    "reference/swagger-ui.css": readFileSync(join(folder, "swagger-ui.css")),
    "reference/swagger-ui-bundle.js": readFileSync(join(folder, "swagger-ui-bundle.js")),
    "reference/init.js": Buffer.from(init),
    "reference/page.css": Buffer.from(style),
  };
}
