import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";
import { dialects, refusalReasons } from "../dialects/index.ts";

const RefusedDelivery = z
  .strictObject({
    id: idSchema("rfd"),
    address: z.string().describe("The sender's IP address, determined with `TRUSTED_PROXIES`."),
    dialect: z
      .enum(dialects)
      .nullable()
      .describe("The code host that the headers name. Null when they match no known code host."),
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
    "Deliveries whose URL names this connector: the last 50, at most 25 of them from one network, newest first, without their bodies. They appear within a few seconds. Anybody can send such a request, so the address and the dialect do not prove who sent it.",
  access: can("connectors:read"),
  params: z.strictObject({ id: z.string().min(1).max(160) }),
  query: pageQuery,
  replies: { 200: definePage(RefusedDelivery).meta({ id: "RefusedDeliveryPage" }) },
});
