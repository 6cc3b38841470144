import { EgressError } from "@signalbox/discovery/egress";
import type { Ctx } from "../../../platform/context.ts";
import { countAttempt, toNetwork } from "../../../platform/http/index.ts";
import { ClientProblem, readMetadata } from "./metadata.ts";
import { makeRoom } from "./room.ts";
import * as store from "./store.ts";

const maxBytes = 32 * 1024;
const timeoutMs = 5_000;
const perHour = { attempts: 120, perSeconds: 3_600 };

/** Nobody has signed in yet, so these requests have connections and a share of the resolver of their own. */
const egressShare = "mcp-client-documents";

/** True for an id that is the URL of a client metadata document. */
export const isDocumentUrl = (id: string): boolean => /^https?:\/\//i.test(id);

/** Why this URL cannot be the id of a client. */
function findUrlProblem(id: string): string | undefined {
  const url = URL.parse(id);
  // Only the normal form is accepted, because ids are compared as text.
  if (!url || url.href !== id || id.length > 2_000) return "is not a URL in its normal form.";
  if (url.pathname === "/") return "must have a path.";
  if (id.includes("#") || url.username || url.password) return "must not have a fragment or a user name.";
  if (url.protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(url.hostname))
    return "must use https.";
  return undefined;
}

/**
 * Reads the metadata document of a client, unless the stored copy is still fresh. The requests go through the egress
 * guard. Only the authorization endpoint calls this: other endpoints use the stored copy, so that a client stays
 * connected while its site is down.
 */
export async function refreshDocument(ctx: Ctx, id: string): Promise<void> {
  const problem = findUrlProblem(id);
  if (problem) throw new ClientProblem("invalid_client", `The client_id ${problem}`);
  const known = await store.findAcrossOrganizations(ctx.db, id);
  if (known?.isFresh) return store.recordUseAcrossOrganizations(ctx.db, id).then(() => {});
  await countAttempt(ctx.db, `mcp client document ${toNetwork(ctx.address)}`, perHour);
  if (!known) await makeRoom(ctx.db, "client_metadata");
  const { metadata, freshSeconds } = await fetchDocument(ctx, id);
  await store.upsertAcrossOrganizations(ctx.db, {
    id,
    registration: "client_metadata",
    metadata: { ...metadata, client_id: id },
    freshSeconds,
  });
}

async function fetchDocument({ egress }: Ctx, id: string) {
  const fail = (why: string) =>
    new ClientProblem("invalid_client", `The client's metadata document cannot be used: ${why}`);
  const headers = { accept: "application/json" };
  const reply = await egress
    .forOrganization(egressShare)
    .request(id, { headers, maxBytes, timeoutMs, redirects: 0 })
    .catch((error: unknown) => {
      throw error instanceof EgressError ? fail(error.message) : error;
    });
  if (reply.status !== 200) throw fail(`its server replied with HTTP ${reply.status}.`);
  const document = parseObject(reply.text());
  if (!document) throw fail("it is not a JSON object.");
  if (document.client_id !== id) throw fail("its client_id is not its own URL.");
  if ("client_secret" in document) throw fail("it must not contain a secret.");
  if ((document.token_endpoint_auth_method ?? "none") !== "none")
    throw fail("token_endpoint_auth_method must be none.");
  return { metadata: readMetadata(document), freshSeconds: findFreshSeconds(reply.headers["cache-control"]) };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The document's own wish, between five minutes and a day. An hour without a wish. */
function findFreshSeconds(cacheControl: readonly string[] = []): number {
  const wish = /(?:^|[,\s])max-age=(\d{1,9})/i.exec(cacheControl.join(","))?.[1];
  return Math.min(Math.max(wish === undefined ? 3_600 : Number(wish), 300), 86_400);
}
