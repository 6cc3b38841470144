import { on } from "../../../platform/http/index.ts";
import { createSessionCookie } from "../cookie.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.read, (ctx) => service.read(ctx)),
  on(contract.begin, (ctx) => service.begin(ctx)),
  on(contract.confirm, (ctx, { body }) => service.confirm(ctx, body)),
  on(contract.renewBackupCodes, (ctx, { body }) => service.renewBackupCodes(ctx, body)),
  on(contract.remove, (ctx, { body }) => service.remove(ctx, body)),
  on(contract.signIn, async (ctx, { body, setHeader }) => {
    const session = await service.signIn(ctx, body);
    setHeader("set-cookie", createSessionCookie(ctx.config.publicUrl, session.token));
    return session;
  }),
];
