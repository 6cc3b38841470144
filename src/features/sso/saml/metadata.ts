import { createHash } from "node:crypto";
import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, notFound, Refusal } from "../../../platform/errors.ts";
import { recordAsSystem } from "../../audit/index.ts";
import { changeRow, findConnectorByAddress, type SamlRow } from "../connectors/index.ts";
import { listAdmins } from "../domains/index.ts";
import { recordOutcome } from "../events/index.ts";
import { compareMetadata, type IdentityProvider, type MetadataChange } from "../saml-protocol/index.ts";
import type { Metadata } from "./contract.ts";
import { createMetadataChangeMail } from "./mails.ts";
import { fetchMetadata, MetadataFailure, parseMetadata } from "./provider.ts";
import { notSaml, refuseFailures, requireSaml } from "./rules.ts";
import * as store from "./store.ts";

/** Names a change by its content, so that nobody approves another one than they saw. */
const nameChange = (pending: IdentityProvider): string => {
  const { entityId, endpoints, certificates, wantsSignedRequests } = pending;
  const content = JSON.stringify([
    entityId,
    endpoints.map(({ binding, url }) => [binding, url]),
    certificates,
    wantsSignedRequests,
  ]);
  return createHash("sha256").update(content).digest("hex").slice(0, 32);
};

function toMetadata({ settings }: SamlRow, row: store.MetadataRow): { metadata: Metadata } {
  const { url, checkedAt, failureCode, failure, pending, pendingSince } = row;
  const difference = pending && compareMetadata(settings.provider, pending);
  if (!pending || !difference) return { metadata: { url, checkedAt, failureCode, failure, change: null } };
  const { entityId: _, ...change } = difference;
  return {
    metadata: {
      url,
      checkedAt,
      failureCode,
      failure,
      change: { id: nameChange(pending), since: pendingSince ?? 0, ...change },
    },
  };
}

export async function readMetadata(ctx: MemberCtx, id: string) {
  const connector = await requireSaml(ctx, id);
  return toMetadata(connector, (await store.find(ctx.db, ctx.orgId, connector.id))!);
}

export async function refreshMetadata(
  ctx: MemberCtx,
  id: string,
  { metadataXml }: { metadataXml?: string | undefined },
) {
  const connector = await requireSaml(ctx, id);
  const { url } = (await store.find(ctx.db, ctx.orgId, connector.id))!;
  if (metadataXml === undefined && url === null)
    throw conflict("no_metadata_url", "This connector has no address of metadata. Send metadataXml.");
  const { entityId } = connector.settings.provider;
  const row = await refuseFailures(() =>
    checkProvider(ctx, connector, async () =>
      metadataXml === undefined
        ? fetchMetadata(ctx, ctx.orgId, url!, entityId)
        : parseMetadata(metadataXml, entityId),
    ),
  );
  return toMetadata(connector, row);
}

/** Reads metadata and records what is different, or why it failed. `announce` is called for a new difference. */
async function checkProvider(
  platform: Pick<Platform, "db">,
  connector: SamlRow,
  read: () => Promise<IdentityProvider>,
  announce?: (tx: Db, change: MetadataChange) => Promise<void>,
): Promise<store.MetadataRow> {
  const { orgId, id, settings } = connector;
  let provider: IdentityProvider;
  try {
    provider = await read();
  } catch (error) {
    if (!(error instanceof MetadataFailure)) throw error;
    await recordProblem(platform, orgId, id, error);
    throw error;
  }
  const isOther = compareMetadata(settings.provider, provider) !== null;
  return platform.db.transaction(async (tx) => {
    const before = await store.find(tx, orgId, id);
    const after = await store.recordCheck(tx, orgId, id, isOther ? provider : null);
    if (!before || !after) throw notFound("sso_connector");
    if (after.pending && (!before.pending || nameChange(before.pending) !== nameChange(after.pending))) {
      const change = compareMetadata(settings.provider, after.pending);
      await recordOutcome(null, tx, orgId, id, {
        purpose: "metadata",
        outcome: "succeeded",
        code: "metadata_change_found",
        message:
          "The provider changed its metadata. GET /v1/sso/{id}/metadata shows the change; approve it there.",
      });
      await recordAsSystem(tx, orgId, {
        action: "sso.metadata_change_found",
        target: { type: "sso_connector", id },
        after: { change },
      });
      if (change) await announce?.(tx, change);
    }
    return after;
  });
}

async function recordProblem(
  { db }: Pick<Platform, "db">,
  orgId: OrgId,
  id: SamlRow["id"],
  { code, message }: MetadataFailure,
): Promise<void> {
  await db.transaction(async (tx) => {
    await store.recordFailure(tx, orgId, id, { code, message });
    await recordOutcome(null, tx, orgId, id, { purpose: "metadata", outcome: "refused", code, message });
  });
}

export const approveMetadata = (
  ctx: MemberCtx,
  id: string,
  { changeId }: { changeId?: string | undefined },
) =>
  changeRow(
    ctx,
    id,
    async (before, tx) => {
      if (before.kind !== "saml") throw notSaml();
      const pending = (await store.find(tx, ctx.orgId, before.id))?.pending;
      if (!pending) throw conflict("no_metadata_change", "No change of the metadata waits for approval.");
      if (changeId !== undefined && changeId !== nameChange(pending))
        throw conflict(
          "metadata_changed_again",
          "The provider changed its metadata again. Look at the new change before you approve it.",
        );
      await store.recordCheck(tx, ctx.orgId, before.id, null);
      const isOffered = pending.endpoints.some(({ binding }) => binding === before.settings.binding);
      const binding = isOffered ? before.settings.binding : null;
      return { ...before, settings: { ...before.settings, provider: pending, binding }, keepsTest: false };
    },
    "sso.metadata_approved",
  );

async function mailAdmins(
  { mail, config }: Platform,
  tx: Db,
  { orgId, id, name }: SamlRow,
  { certificatesAdded: added, certificatesRemoved: removed }: MetadataChange,
): Promise<void> {
  for (const admin of await listAdmins(tx, orgId))
    await mail.send(
      tx,
      createMetadataChangeMail(config.publicUrl, admin, { id, connector: name, added, removed }),
    );
}

const checksAtOnce = 5;
/** Providers may take long to answer, and a job must end before the queue gives it up. */
const runMs = 120_000;

/** Reads the metadata of providers again that is due. A change waits for approval. */
export async function checkDueMetadata(platform: Platform): Promise<void> {
  const end = Date.now() + runMs;
  while (Date.now() < end) {
    const due = await store.claimDueAcrossOrganizations(platform.db, checksAtOnce);
    if (due.length === 0) return;
    await Promise.all(due.map((row) => checkDue(platform, row)));
  }
}

async function checkDue(platform: Platform, { connectorId, orgId, url }: store.MetadataRow): Promise<void> {
  const connector = await findConnectorByAddress(platform.db, connectorId);
  if (connector?.kind !== "saml" || url === null) return;
  try {
    await checkProvider(
      platform,
      connector,
      () => fetchMetadata(platform, orgId, url, connector.settings.provider.entityId),
      (tx, change) => mailAdmins(platform, tx, connector, change),
    );
  } catch (error) {
    // The failure is in the log of the connector. A connector that was removed meanwhile has none.
    if (!(error instanceof MetadataFailure || error instanceof Refusal)) throw error;
  }
}
