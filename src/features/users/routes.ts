import { on } from "../../platform/http/index.ts";
import { createExpiredSessionCookie } from "../auth/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.readMe, (ctx) => service.readMe(ctx)),
  on(contract.changeMe, (ctx, { body }) => service.changeMe(ctx, body)),
  on(contract.removeMe, async (ctx, { body, setHeader }) => {
    await service.removeMe(ctx, body);
    setHeader("set-cookie", createExpiredSessionCookie(ctx.config.publicUrl));
  }),
  on(contract.switchOrganization, (ctx, { body }) => service.switchOrganization(ctx, body)),
];
