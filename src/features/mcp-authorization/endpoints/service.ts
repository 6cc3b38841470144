import type { Ctx } from "../../../platform/context.ts";
import { baseHeaders, countAttempt, toNetwork } from "../../../platform/http/index.ts";
import {
  ClientProblem,
  isDocumentUrl,
  prepareRegistration,
  recordClientUseAcrossOrganizations,
  refreshDocument,
} from "../clients/index.ts";
import { scopes } from "../contract.ts";
import { authorizationServer, cookies, filterScopes, paths, type ServerRequest } from "../server/index.ts";
import { type Problem, problemPage } from "./pages.ts";

/** The parameters that are used. Others, such as those of OpenID Connect, are ignored. */
const parameters = [
  ...["response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "prompt", "resource"],
  ...["code_challenge", "code_challenge_method"],
];

const perClient = { attempts: 60, perSeconds: 60 };

/** Answers the authorization endpoint. Nobody is sent to a client before a person has decided. */
export async function authorize(ctx: Ctx, search: string): Promise<Response> {
  const query = keepKnown(new URLSearchParams(search));
  const clientId = query.get("client_id") ?? "";
  const mode = query.get("response_mode") ?? "query";
  if (mode !== "query")
    return problemPage(ctx, { error: "invalid_request", description: "The only response mode is query." });
  // A client that starts again and again, or somebody in its name, does not use up the limit of its network.
  await countAttempt(ctx.db, `mcp_authorize ${toNetwork(ctx.address)} ${clientId}`, perClient);
  try {
    if (isDocumentUrl(clientId)) await refreshDocument(ctx, clientId);
    else await recordClientUseAcrossOrganizations(ctx.db, clientId);
  } catch (error) {
    if (!(error instanceof ClientProblem)) throw error;
    return problemPage(ctx, { error: error.code, description: error.message });
  }
  const { reply } = await answer(ctx, { method: "GET", target: `${paths.authorize}?${query}`, headers: {} });
  const location = reply.headers.get("location");
  if (location?.startsWith(`${paths.consent}/`)) return reply;
  return problemPage(ctx, location ? readRedirect(location) : await readProblem(reply));
}

function keepKnown(given: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams([...given].filter(([name]) => parameters.includes(name)));
  const known = filterScopes(given.get("scope") ?? "");
  // Without a scope that is known, the person is asked for all of them, and can give less.
  query.set("scope", (known.length > 0 ? known : scopes).join(" "));
  if (query.get("prompt") !== "none") query.delete("prompt");
  return query;
}

/** Answers after the decision: with a redirect to the client, or with a page when it is too late. */
export async function resume(ctx: Ctx, uid: string, cookie: string | undefined): Promise<Response> {
  const target = `${paths.authorize}/${encodeURIComponent(uid)}`;
  const reply = await answerInTransaction(ctx, { method: "GET", target, headers: { cookie: cookie ?? "" } });
  return reply.headers.has("location") ? reply : problemPage(ctx, await readProblem(reply));
}

/** One transaction, so that a crash leaves the code or token unused, and the client can send it again. */
export async function answerForm(ctx: Ctx, target: string, contentType: string | undefined, body: Buffer) {
  // The database cannot look for it.
  if (body.includes("\0") || body.includes("%00"))
    return refuseClient("invalid_request", "The form must not contain NUL.", 400);
  return answerInTransaction(ctx, {
    method: "POST",
    target,
    headers: { accept: "application/json", ...(contentType ? { "content-type": contentType } : {}) },
    body,
  });
}

const refuseClient = (error: string, error_description: string, status: number): Response =>
  Response.json({ error, error_description }, { status, headers: baseHeaders });

export async function register(ctx: Ctx, body: Buffer): Promise<Response> {
  try {
    const metadata = await prepareRegistration(ctx, body);
    const { reply } = await answer(ctx, {
      method: "POST",
      target: paths.register,
      headers: { accept: "application/json", "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(metadata)),
    });
    return reply;
  } catch (error) {
    if (!(error instanceof ClientProblem)) throw error;
    return refuseClient(error.code, error.message, error.code === "temporarily_unavailable" ? 503 : 400);
  }
}

/**
 * Answers in one transaction. A refused request changes nothing, so a client can correct it and send its code or token
 * again. The exception is a refusal that ends the grant.
 */
async function answerInTransaction(ctx: Ctx, request: ServerRequest): Promise<Response> {
  const refused: { reply?: Response } = {};
  try {
    return await ctx.db.transaction(async (tx) => {
      const { reply, hasEnded } = await answer({ ...ctx, db: tx }, request);
      if (reply.status < 400 || hasEnded) return reply;
      refused.reply = reply;
      throw new Error("The request was refused.");
    });
  } catch (error) {
    if (!refused.reply) throw error;
    return refused.reply;
  }
}

async function answer(ctx: Ctx, request: ServerRequest) {
  const { reply, hasEnded } = await ctx.state.get(authorizationServer).answer(ctx, request);
  const headers = new Headers({ ...baseHeaders, "cache-control": "no-store" });
  for (const name of ["content-type", "location"]) {
    const value = reply.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  for (const cookie of reply.headers.getSetCookie())
    if (!cookie.startsWith(cookies.session)) headers.append("set-cookie", cookie);
  return { reply: new Response(reply.body, { status: reply.status, headers }), hasEnded };
}

/** The library would redirect these errors. Anybody can register a client, so that would be an open redirect. */
function readRedirect(location: string): Problem {
  const url = new URL(location);
  const searchParams = new URLSearchParams(url.search || url.hash.slice(1));
  const description = searchParams.get("error_description");
  return {
    error: searchParams.get("error") ?? "server_error",
    returnTo: location,
    ...(description === null ? {} : { description }),
  };
}

async function readProblem(reply: Response): Promise<Problem> {
  const { error, error_description } = (await reply.json().catch(() => ({}))) as Record<string, unknown>;
  return {
    error: typeof error === "string" ? error : "invalid_request",
    ...(typeof error_description === "string" ? { description: error_description } : {}),
  };
}
