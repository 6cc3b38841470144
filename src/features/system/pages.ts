import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  baseHeaders,
  createStaticFiles,
  type HttpHeaders,
  type StaticFiles,
} from "../../platform/http/index.ts";
import { defineState } from "../../platform/state.ts";

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
