import { baseHeaders, on, type Route } from "../../platform/http/index.ts";
import * as contract from "./contract.ts";
import { description } from "./description.ts";
import { instanceFacts } from "./instance.ts";
import * as service from "./service.ts";

export const routes: readonly Route[] = [
  on(contract.health, () => ({ status: "ok" as const })),
  on(contract.ready, (ctx) => service.readReadiness(ctx)),
  on(contract.version, (ctx) => service.version(ctx)),
  on(contract.instance, ({ state }) => state.get(instanceFacts).read()),
  on(contract.openapi, ({ state }, { headers }) => state.get(description).answer(headers)),
  on(
    contract.metrics,
    async (ctx, { headers }) =>
      new Response(await service.metrics(ctx, headers), {
        headers: {
          ...baseHeaders,
          "content-type": "text/plain; version=0.0.4; charset=utf-8",
          "cache-control": "no-store",
        },
      }),
  ),
];
