import type { Ctx, MemberCtx, PersonCtx } from "../../../platform/context.ts";
import { conflict, invalidField, notFound, Refusal } from "../../../platform/errors.ts";
import { readCookie } from "../../../platform/http/index.ts";
import { newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { keepCredential } from "../../credentials/index.ts";
import { listOrganizations } from "../../organizations/index.ts";
import { takeQuota } from "../../quotas/index.ts";
import { describeRedirect, findClientAcrossOrganizations, isDocumentUrl } from "../clients/index.ts";
import type { McpClient } from "../contract.ts";
import { authorizationServer, cookies as cookieNames, type Decision, lifetimes } from "../server/index.ts";
import * as grants from "../store.ts";

const maxPerMember = 50;

/** What a client asks for, and who asks. */
export interface Question {
  clientId: string;
  name: string;
  registration: McpClient["registration"];
  redirect: ReturnType<typeof describeRedirect>;
  scopes: McpClient["scopes"];
}

/**
 * Finds what a client asks for. The browser must be the one in which the client was started: nobody can send the link of
 * a consent page to another person.
 */
async function findQuestion(ctx: Ctx, uid: string, cookies: string | undefined): Promise<Question> {
  const isStarter = readCookie(cookies, cookieNames.interaction) === uid;
  const asked = isStarter ? await ctx.state.get(authorizationServer).findInteraction(ctx, uid) : undefined;
  const client = asked && (await findClientAcrossOrganizations(ctx.db, asked.clientId));
  if (!client) throw notFound("mcp_consent");
  return {
    clientId: asked.clientId,
    name: client.metadata.client_name,
    registration: isDocumentUrl(asked.clientId) ? "client_metadata" : "dynamic",
    redirect: describeRedirect(asked.redirectUri),
    scopes: asked.scopes,
  };
}

/** Who asks, for a page that is shown before anybody has signed in. Undefined when it is over. */
export const findAsker = (
  ctx: Ctx,
  uid: string,
  cookies: string | undefined,
): Promise<Question | undefined> =>
  findQuestion(ctx, uid, cookies).catch((error) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });

/** The organizations that the session may act in. */
export async function prepare(ctx: PersonCtx, uid: string, cookies: string | undefined) {
  const question = await findQuestion(ctx, uid, cookies);
  const organizations = await listOrganizations(ctx.db, ctx.userId, ctx.caller.onlyOrgId ?? null, "~", 100);
  return { question, organizations, activeOrgId: ctx.caller.member?.orgId };
}

export async function allow(
  ctx: MemberCtx,
  uid: string,
  scopes: McpClient["scopes"],
  cookies: string | undefined,
): Promise<{ continueAt: string }> {
  const { clientId, name, registration, redirect, scopes: asked } = await findQuestion(ctx, uid, cookies);
  const given = asked.filter((scope) => scopes.includes(scope));
  if (given.length !== new Set(scopes).size)
    throw invalidField(["scopes"], "Only scopes that the client asks for can be allowed.");
  return ctx.db.transaction(async (tx) => {
    await takeQuota(ctx, tx, ctx.orgId, "mcp_clients");
    await keepCredential(ctx, tx);
    if ((await grants.countOfMember(tx, ctx.orgId, ctx.member.id)) >= maxPerMember)
      throw conflict(
        "mcp_client_limit",
        `You have connected ${maxPerMember} MCP clients already. End some of them in the console, then try again.`,
      );
    const id = newId("mcg");
    const client = await grants.insert(tx, ctx.orgId, {
      id,
      memberId: ctx.member.id,
      clientId,
      name,
      registration,
      redirectHost: redirect.host,
      scopes: given,
      seconds: 2 * lifetimes.AuthorizationCode,
    });
    const account = { orgId: ctx.orgId, memberId: ctx.member.id };
    const decision = { allowed: true, grantId: id, account, scopes: given } as const;
    const continueAt = await finish({ ...ctx, db: tx }, uid, decision);
    const target = { type: "mcp_client", id };
    await record(ctx, tx, { action: "mcp_client.connected", target, after: client });
    return { continueAt };
  });
}

export async function deny(ctx: PersonCtx, uid: string, cookies: string | undefined) {
  await findQuestion(ctx, uid, cookies);
  return { continueAt: await finish(ctx, uid, { allowed: false }) };
}

async function finish(ctx: Ctx, uid: string, decision: Decision): Promise<string> {
  const continueAt = await ctx.state.get(authorizationServer).finishInteraction(ctx, uid, decision);
  if (continueAt === undefined) throw notFound("mcp_consent");
  return continueAt;
}
