import { baseHeaders, on, type Route } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import * as pages from "./pages.ts";
import * as service from "./service.ts";

/** The only room that needs to know every other one's contract: it publishes them. */
export const createRoutes = (api: () => Record<string, unknown>): Route[] => [
  on(contract.home, ({ config }) => pages.home(config.publicUrl)),
  on(contract.health, () => ({ status: "ok" as const })),
  on(contract.ready, (ctx) => service.readiness(ctx)),
  on(contract.version, (ctx) => service.version(ctx)),
  on(contract.openapi, () => api()),
  on(contract.docs, () => pages.docs()),
  on(contract.docsAsset, (_ctx, { params }) => pages.docsAsset(params.file)),
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
