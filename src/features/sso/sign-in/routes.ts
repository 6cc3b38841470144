import type { Ctx } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import { on } from "../../../platform/http/index.ts";
import { createSessionCookie } from "../../auth/index.ts";
import { handleCallback } from "./callback.ts";
import { confirm, openConfirmation } from "./confirm.ts";
import { confirmPage } from "./confirm-page.ts";
import * as contract from "./contract.ts";
import { link, openLink } from "./link.ts";
import * as pages from "./pages.ts";
import { continueSaml, handleSamlResponse } from "./saml.ts";
import { resolve, start, startTest } from "./start.ts";

/** Everybody can open these addresses. An unknown one is answered with the page of a link that is not valid. */
async function answerPage(ctx: Ctx, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    return pages.completedPage(ctx.config.publicUrl, ctx.requestId, { kind: "unknown" });
  }
}

export const routes = [
  on(contract.resolve, (ctx, { query }) => resolve(ctx, query.email)),
  on(contract.linkPage, async (ctx, { query, headers }) =>
    pages.linkPage(ctx.config.publicUrl, await openLink(ctx, query.token, headers.cookie)),
  ),
  on(contract.link, async (ctx, { body, headers, setHeader }) => {
    const { token, returnTo } = await link(ctx, body.token, headers.cookie);
    setHeader("set-cookie", createSessionCookie(ctx.config.publicUrl, token));
    return { returnTo };
  }),
  on(contract.confirmPage, async (ctx, { query, headers }) =>
    confirmPage(ctx.config.publicUrl, await openConfirmation(ctx, query.token, headers.cookie)),
  ),
  on(contract.confirm, async (ctx, { body, headers, setHeader }) => {
    const { token, location } = await confirm(ctx, body, headers);
    if (token !== undefined) setHeader("set-cookie", createSessionCookie(ctx.config.publicUrl, token));
    return { location };
  }),
  on(contract.start, (ctx, { params, query, headers }) =>
    answerPage(ctx, async () =>
      pages.sendToProvider(ctx.config.publicUrl, await start(ctx, params.id, query, headers)),
    ),
  ),
  on(contract.callback, (ctx, { params, search, headers }) =>
    answerPage(ctx, async () =>
      pages.completedPage(
        ctx.config.publicUrl,
        ctx.requestId,
        await handleCallback(ctx, params.id, new URLSearchParams(search), headers.cookie),
      ),
    ),
  ),
  on(contract.assertionConsumer, (ctx, { params, readBytes }) =>
    answerPage(ctx, async () => {
      const form = new URLSearchParams((await readBytes()).toString());
      const result = await handleSamlResponse(ctx, params.id, form);
      return result.kind === "received"
        ? pages.continueReceived(ctx.config.publicUrl, result)
        : pages.completedPage(ctx.config.publicUrl, ctx.requestId, result);
    }),
  ),
  on(contract.continueSaml, (ctx, { params, query, headers }) =>
    answerPage(ctx, async () =>
      pages.completedPage(
        ctx.config.publicUrl,
        ctx.requestId,
        await continueSaml(ctx, params.id, query.token ?? "", headers.cookie),
      ),
    ),
  ),
  on(contract.test, (ctx, { params }) => startTest(ctx, params.id)),
];
