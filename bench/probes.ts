import { z } from "zod";
import { can } from "../src/features/permissions/index.ts";
import { on, open, route } from "../src/platform/http/index.ts";
import { insertConnector } from "../test/webhooks.ts";

const spec = {
  method: "get",
  tag: "Bench",
  summary: "Nothing at all",
  replies: { 200: z.strictObject({ ok: z.literal(true) }) },
} as const;

export const openPath = "/v1/bench/open";
export const memberPath = "/v1/bench/member";

/** Two routes that differ in their access and in nothing else, and one to make what webhooks are about. */
export const probes = [
  on(route({ ...spec, path: openPath, access: open }), () => ({ ok: true as const })),
  on(route({ ...spec, path: memberPath, access: can("api_keys:create") }), () => ({ ok: true as const })),
  on(
    route({
      ...spec,
      method: "post",
      path: "/v1/bench/connectors",
      access: can("connectors:manage"),
      body: z.strictObject({ repository: z.string() }),
    }),
    async (ctx, { body }) => {
      await insertConnector(ctx, ctx.orgId, { ...body, cloneUrl: "http://127.0.0.9:60999/nobody.git" });
      return { ok: true as const };
    },
  ),
];
