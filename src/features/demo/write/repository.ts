import { hash } from "node:crypto";
import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { createSecret } from "../../code-host/index.ts";
import {
  applyFiles,
  type FileReader,
  type FoundFile,
  fileReader,
  type Problem,
} from "../../templates/index.ts";
import {
  hashBlob,
  type Plan,
  type PlannedCommit,
  type PlannedSync,
  sampleRepository,
} from "../plan/index.ts";
import { insertRows, type Row, setSecretTimes, setTemplateTimes } from "../store.ts";
import type { Ids } from "./ids.ts";

const formatDate = (ms: number) => new Date(ms).toISOString();

/** The result of each sync, in the order of the plan. Undefined for a failed sync. */
export type SyncedRepository = (Awaited<ReturnType<typeof applyFiles>> | undefined)[];

export async function writeRepository(
  { keyring }: Pick<Platform, "keyring">,
  tx: Db,
  { repository }: Plan,
  ids: Ids,
): Promise<SyncedRepository> {
  const org = ids.organization;
  const { syncs, deliveries, createdAt, disabledAt } = repository;
  const last = syncs.at(-1)!;
  await insertRows(tx, org, "connectors", [
    {
      ...{
        id: ids.connector,
        name: sampleRepository.name,
        codehost: sampleRepository.codehost,
        base_url: sampleRepository.baseUrl,
      },
      ...{
        repository: sampleRepository.repository,
        repository_key: sampleRepository.repository,
        clone_url: sampleRepository.cloneUrl,
      },
      ...{
        ref: sampleRepository.ref,
        folder: sampleRepository.folder,
        access_kind: "none",
        access_settings: {},
      },
      ...{ status: "disabled", status_reason: "Switched off by a member." },
      ...{
        synced_commit: last.commit.id,
        synced_at: formatDate(last.finishedAt),
        checked_at: formatDate(disabledAt - 70_000),
      },
      ...{
        created_by: ids.member("bruno"),
        created_at: formatDate(createdAt),
        updated_at: formatDate(disabledAt),
      },
    },
  ]);
  await createSecret(keyring, tx, org, ids.connector);
  await setSecretTimes(tx, org, createdAt, deliveries.at(-1)!.receivedAt);

  const reader = (await import(fileReader.href)) as typeof FileReader;
  const noLimits = { maxTemplates: Number.MAX_SAFE_INTEGER, reserve: async () => {} };
  const synced: SyncedRepository = [];
  const rows: Row[] = [];
  for (const [index, sync] of syncs.entries()) {
    const { commit, error, finishedAt } = sync;
    const origin = { connectorId: ids.connector, commit: commit.id, author: commit.author.name };
    const outcome =
      error === undefined
        ? await applyFiles(tx, org, origin, readFiles(reader, commit), noLimits)
        : undefined;
    if (outcome) await setTemplateTimes(tx, org, commit.id, finishedAt);
    synced.push(outcome);
    rows.push(syncRow(sync, index, ids, outcome));
  }
  await insertRows(tx, org, "connector_syncs", rows);
  await insertRows(
    tx,
    org,
    "webhook_delivery_keys",
    deliveries.map(({ deliveryId }, index) => ({
      scope: ids.connector,
      delivery_id: deliveryId,
      id: ids.deliveries[index],
    })),
  );
  await insertRows(
    tx,
    org,
    "webhook_deliveries",
    deliveries.map((delivery, index) => {
      const bytes = Buffer.from(delivery.body);
      const isKept = delivery.outcome === "accepted";
      return {
        ...{
          id: ids.deliveries[index],
          scope: ids.connector,
          delivery_id: delivery.deliveryId,
          dialect: "forgejo",
        },
        ...{ event: delivery.event, action: delivery.action },
        repository: delivery.outcome === "invalid" ? null : sampleRepository.repository,
        ...{ ref: delivery.ref, head: delivery.head, outcome: delivery.outcome, reason: delivery.reason },
        headers: {
          "content-type": "application/json",
          "user-agent": "Go-http-client/1.1",
          "x-forgejo-delivery": delivery.deliveryId,
          "x-forgejo-event": delivery.event,
          "x-forgejo-signature": "[redacted]",
        },
        body: isKept ? `\\x${bytes.toString("hex")}` : "\\x",
        body_digest: `\\x${hash("sha256", bytes, "hex")}`,
        dropped_body_bytes: isKept ? null : bytes.length,
        ...{ repeats: delivery.repeats, altered_at: delivery.alteredAt && formatDate(delivery.alteredAt) },
        ...{
          received_at: formatDate(delivery.receivedAt),
          last_received_at: formatDate(delivery.lastReceivedAt),
        },
        ...{ target_connector_id: ids.connector, target_org_id: org },
        target_sync_id: delivery.sync === null ? null : ids.syncs[delivery.sync],
      };
    }),
  );
  return synced;
}

/** The template files of the folder, as a sync would find them. */
function readFiles(reader: typeof FileReader, { files }: PlannedCommit): FoundFile[] {
  const folder = `${sampleRepository.folder}/`;
  return [...files]
    .filter(([path]) => path.startsWith(folder))
    .flatMap(([path, text]) => {
      const content = reader.toFileTemplate(
        reader.parseFile(Buffer.from(text)),
        path,
        path.slice(folder.length),
      );
      return content ? [{ path, source: hashBlob(text), content }] : [];
    });
}

function syncRow(sync: PlannedSync, index: number, ids: Ids, outcome: SyncedRepository[number]): Row {
  const { cause, commit, createdAt, startedAt, finishedAt, attempt, requestedBy, error } = sync;
  const problems: Problem[] = outcome ? [...outcome.problems.items] : [];
  return {
    ...{
      id: ids.syncs[index],
      connector_id: ids.connector,
      cause,
      head: cause === "push" ? commit.id : null,
    },
    ...{
      status: error === undefined ? "succeeded" : "failed",
      attempt,
      requested_by: requestedBy && ids.member(requestedBy),
    },
    commit_sha: error === undefined ? commit.id : null,
    ...{ error_code: error === undefined ? null : "unreachable", error_message: error ?? null },
    error_retryable: error === undefined ? null : true,
    ...{
      added: outcome?.added,
      changed: outcome?.changed,
      removed: outcome?.removed,
      unchanged: outcome?.unchanged,
    },
    ...{ problems, problem_count: outcome?.problems.count ?? 0 },
    ...{ due_at: formatDate(startedAt), created_at: formatDate(createdAt) },
    ...{ started_at: formatDate(startedAt), finished_at: formatDate(finishedAt) },
  };
}
