import type { MemberCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, invalidField } from "../../platform/errors.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { saveMcpProvider, toProviderId } from "../oauth-providers/index.ts";
import { takeQuota } from "../quotas/index.ts";
import { addGrants } from "./access/index.ts";
import type { NewConnection } from "./contract.ts";
import { storeCredential, toHeaders } from "./credentials/index.ts";
import {
  createRedaction,
  type Discovery,
  type EvidenceItem,
  fitForKeeping,
  runDiscovery,
} from "./discovery/index.ts";
import { requestFirstListing } from "./first-listing.ts";
import type { ConnectionId, NewAccess } from "./model.ts";
import { keepClient, type Plan, planConnection } from "./registration/index.ts";
import { sealUrl } from "./sealing.ts";
import * as store from "./store.ts";

export interface PreparedConnection {
  verdict: Discovery;
  evidence: EvidenceItem[];
  plan: Plan;
}

/** Discovers the server and registers this instance there. Sends requests, so no transaction may be open. */
export async function prepareConnection(ctx: MemberCtx, body: NewConnection): Promise<PreparedConnection> {
  const refusal = ctx.egress.refusal(body.url);
  if (refusal) throw invalidField(["url"], refusal);
  const { verdict, evidence } = await findVerdict(ctx, body);
  checkTransport(verdict);
  const plan = await planConnection(ctx, body, verdict);
  return { ...toKept(body.url, verdict, evidence), plan };
}

/** A server of the 2024 transport can be discovered but not called, however it is registered. */
function checkTransport({ warnings }: Discovery): void {
  const reason = warnings.find(({ code }) => code === "legacy_sse_transport");
  if (reason) throw conflict("mcp_server_unsupported", reason.message);
}

/** The verdict as it is stored and shown: without credentials of the address, and not too large. */
export const toKept = (url: string, verdict: Discovery, evidence: EvidenceItem[]) =>
  fitForKeeping(createRedaction(url)({ verdict, evidence }));

async function findVerdict(ctx: MemberCtx, { url, discoveryId }: NewConnection) {
  if (discoveryId !== undefined) {
    const kept = isId("mcd", discoveryId)
      ? await store.findKeptVerdict(ctx.db, ctx.orgId, discoveryId)
      : undefined;
    if (!kept)
      throw invalidField(
        ["discoveryId"],
        "There is no such verdict, or it is older than an hour. Leave it out to discover the server again.",
      );
    if (kept.url !== createRedaction(url)(url))
      throw invalidField(["discoveryId"], "This verdict is about another address.");
    // A verdict about an address with a secret was kept without it, so parts that are needed may be missing.
    if (kept.url === url) return { verdict: kept.result, evidence: kept.evidence };
  }
  const { result, evidence } = await runDiscovery(ctx, url);
  return { verdict: result, evidence };
}

/** Saves the connection, its client, its credential and its grants. Returns its id. */
export async function saveConnection(
  ctx: MemberCtx,
  body: NewConnection,
  { plan, verdict, evidence }: PreparedConnection,
): Promise<ConnectionId> {
  const { orgId, member } = ctx;
  const id = newId("mcn");
  const { registration, client, scopes } = plan;
  const name = body.name ?? suggestName(body.url);
  const url = createRedaction(body.url)(body.url);
  await ctx.db.transaction(async (tx) => {
    await takeQuota(ctx, tx, orgId, "mcp_connections");
    const slug = await insertWithSlug(tx, ctx, name, {
      ...{ id, name, url, registration, scopes, verdict, evidence, credential: body.credential },
      sealedUrl: url === body.url ? null : sealUrl(ctx.keyring, { id, orgId, url }, body.url),
      providerId: client ? toProviderId(id) : null,
      authorizationServer: client?.server.issuer ?? null,
      resource: client ? createRedaction(body.url)(client.resource) : null,
      protocolVersion: verdict.server.protocolVersion ?? null,
      createdBy: member.id,
    });
    if (client) {
      await saveMcpProvider(ctx, tx, {
        ...{ mcpConnectionId: id, name, scopes, ...client },
        shared: body.credential === "shared",
        secretResource: findSecretResource(client.resource),
      });
      if (client.registrationId !== undefined) await keepClient(tx, orgId, client.registrationId, id);
    }
    const headers = toHeaders(body);
    if (Object.keys(headers).length > 0)
      await storeCredential(ctx, tx, { id, url }, body.credential === "shared" ? null : member.id, headers);
    await requestFirstListing(ctx, tx, orgId, id);
    const access = await addGrants(tx, orgId, id, body.access ?? onlyCreator(ctx), ["access"]);
    await record(ctx, tx, {
      action: "mcp_connection.saved",
      target: { type: "mcp_connection", id },
      after: {
        ...{ name, slug, url, registration, scopes, access, credential: body.credential },
        authorizationServer: client?.server.issuer ?? null,
        headers: Object.keys(headers),
      },
    });
  });
  return id;
}

/** The resource, if it is shown without a part that looks like a secret. */
export const findSecretResource = (resource: string): string | undefined =>
  createRedaction(resource)(resource) === resource ? undefined : resource;

const onlyCreator = ({ member }: MemberCtx): NewAccess => ({
  ...{ organization: false, teamIds: [], memberIds: [member.id], automationIds: [] },
});

/** `https://mcp.tickets.example.com/mcp` → `tickets.example.com`. */
const suggestName = (url: string): string =>
  new URL(url).host.replace(/^(?:www|mcp|api)\.(?=[^.]+\.)/, "").slice(0, 80);

/** The prefix of tool names: short, because names of tools have at most 64 characters. */
const toSlug = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 20)
    .replace(/^-+|-+$/g, "") || "server";

const reservedSlugs = new Set(["signalbox"]);

async function insertWithSlug(
  tx: Db,
  { orgId }: MemberCtx,
  name: string,
  row: Omit<store.NewRow, "slug">,
): Promise<string> {
  const base = toSlug(name);
  for (let n = 1; ; n++) {
    const slug = n === 1 ? base : `${base}-${n}`;
    if (!reservedSlugs.has(slug) && (await store.insert(tx, orgId, { ...row, slug })) === 1) return slug;
  }
}
