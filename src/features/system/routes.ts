import { baseHeaders, on, type Route } from "../../platform/http/index.ts";
import { findVisitor } from "../auth/index.ts";
import * as contract from "./contract.ts";
import { createDescription } from "./description.ts";
import * as pages from "./pages.ts";
import * as service from "./service.ts";

/** The only room that needs to know every other one's contract: it publishes them. */
export function createRoutes(api: () => Record<string, unknown>): Route[] {
  const description = createDescription(api);
  const docsAsset = pages.createDocsAssets();
  return [
    on(contract.home, async (ctx, { headers }) =>
      pages.homePage(ctx.config.publicUrl, (await findVisitor(ctx, headers.cookie))?.email),
    ),
    on(contract.health, () => ({ status: "ok" as const })),
    on(contract.ready, (ctx) => service.readReadiness(ctx)),
    on(contract.version, (ctx) => service.version(ctx)),
    on(contract.openapi, (_ctx, { headers }) => description(headers)),
    on(contract.docs, () => pages.docsPage()),
    on(contract.docsAsset, (_ctx, { params, headers }) => docsAsset(params.file, headers)),
    on(
      contract.metrics,
      (ctx, { headers }) =>
        new Response(service.metrics(ctx, headers), {
          headers: {
            ...baseHeaders,
            "content-type": "text/plain; version=0.0.4; charset=utf-8",
            "cache-control": "no-store",
          },
        }),
    ),
  ];
}
