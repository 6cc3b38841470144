import { z } from "zod";
import { pageOf, pageQuery, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";
import { dialects, refusalReasons } from "../dialects/index.ts";

const RefusedDelivery = z
  .strictObject({
    id: z.string(),
    address: z.string().describe("Where it came from, as far as `TRUSTED_PROXIES` can tell."),
    dialect: z.enum(dialects).nullable().describe("Told by the headers; null: by none that is known."),
    reason: z.enum(refusalReasons),
    refusedAt: z.int(),
  })
  .meta({ id: "RefusedDelivery" });
export type RefusedDelivery = z.output<typeof RefusedDelivery>;

export const list = route({
  method: "get",
  path: "/v1/connectors/{id}/refused-deliveries",
  tag: "Webhooks",
  summary: "Deliveries that were refused because of their signature",
  description:
    "Those that named this connector in their URL: the last 50, at most 25 of them from one network, newest first, without their bodies. They appear within a few seconds. Anybody can send such a request, so address and dialect prove nothing.",
  access: can("connectors:read"),
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  query: pageQuery,
  replies: { 200: pageOf(RefusedDelivery).meta({ id: "RefusedDeliveryPage" }) },
});
