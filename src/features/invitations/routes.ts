import { on } from "../../platform/http/index.ts";
import { signInPage } from "../auth/index.ts";
import * as contract from "./contract.ts";
import * as service from "./service.ts";

export const routes = [
  on(contract.list, (ctx, { query }) => service.list(ctx, query)),
  on(contract.create, (ctx, { body }) => service.create(ctx, body)),
  on(contract.preview, (ctx, { query }) => service.preview(ctx.db, query.token)),
  on(contract.accept, (ctx, { body }) => service.accept(ctx, body)),
  on(contract.cancel, (ctx, { params }) => service.cancel(ctx, params.id)),
  on(contract.resend, (ctx, { params }) => service.resend(ctx, params.id)),
  on(contract.page, () =>
    signInPage({
      title: "You are invited",
      lead: "Sign in with the address that the invitation was sent to, or make an account with it.",
      action: "Accept the invitation",
      path: contract.accept.path,
      done: "You are a member now.",
    }),
  ),
];
