import type { CappedList } from "../../../platform/capped-list.ts";
import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { createYield } from "../../../platform/git/index.ts";
import { newId } from "../../../platform/ids.ts";
import { lockWriting } from "../store.ts";
import type { Problem } from "./front-matter.ts";
import { createPlan, type FoundFile, type Write } from "./plan.ts";
import * as store from "./store.ts";

/** The module that reads files as templates. Worker threads load it, because parsing must not block the event loop. */
export const fileReader = new URL("./reader.ts", import.meta.url);

/** The files of a connector that are stored, as path and hash of the content. */
export async function listKnownFiles(
  db: Db,
  orgId: OrgId,
  connectorId: string,
): Promise<Map<string, string | null>> {
  const rows = await store.listSynced(db, orgId, connectorId);
  return new Map(rows.map(({ path, source }) => [path, source]));
}

export interface Outcome {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  problems: CappedList<Problem>;
}

interface SyncLimits {
  maxTemplates: number;
  /** Called with what is written, before it is written. */
  reserve(writes: readonly Write[]): Promise<void>;
}

/**
 * Makes the templates of a connector equal to the files, in the caller's transaction. Returns undefined and writes
 * nothing when the organization would have too many templates.
 */
export async function applyFiles(
  tx: Db,
  orgId: OrgId,
  origin: store.Origin,
  files: readonly FoundFile[],
  { maxTemplates, reserve }: SyncLimits,
): Promise<Outcome | undefined> {
  await lockWriting(tx, orgId);
  const { connectorId } = origin;
  const stored = await store.listSynced(tx, orgId, connectorId);
  const slugs = files.flatMap(({ content }) => (content && "slug" in content ? [content.slug] : []));
  const takenSlugs = await store.listTakenSlugs(tx, orgId, connectorId, slugs);
  const owner = (name: string | null) =>
    name === null ? "a template made by hand" : `a template of the connector ${name}`;
  const plan = createPlan(files, stored, {
    slugs: new Map(takenSlugs.map(({ slug, connectorName }) => [slug, owner(connectorName)])),
    count: await store.countOthers(tx, orgId, connectorId),
    limit: maxTemplates,
  });
  if (!plan) return undefined;
  const { added, changed, moved, removed, unchanged, problems } = plan;
  // Files that were read and changed nothing take no storage.
  await reserve([...added, ...changed]);
  // The embedded engine runs on this thread. Statements are small, and other work gets its turn between them.
  const turn = createYield();
  for (const some of splitIntoChunks(removed, batchRows)) {
    await store.removeMany(tx, orgId, some);
    await turn();
  }
  for (const some of splitIntoChunks(moved, batchRows)) {
    await store.move(tx, orgId, some);
    await turn();
  }
  const batches = splitIntoBatches(changed);
  // Two templates can exchange slugs only within one statement. Across several they would conflict.
  if (batches.length > 1)
    await store.setTemporarySlugs(
      tx,
      orgId,
      changed.map(({ id }) => id),
    );
  for (const batch of batches) {
    await store.updateMany(tx, orgId, origin, batch);
    await turn();
  }
  for (const batch of splitIntoBatches(added.map((write) => ({ ...write, id: newId("tpl") })))) {
    await store.insertMany(tx, orgId, origin, batch);
    await turn();
  }
  return { added: added.length, changed: changed.length, removed: removed.length, unchanged, problems };
}

const batchBytes = 64 * 1024;
const batchRows = 200;

const splitIntoChunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

function splitIntoBatches<W extends Write>(writes: readonly W[]): W[][] {
  const batches: W[][] = [];
  let size = 0;
  for (const write of writes) {
    const last = batches.at(-1);
    const more = write.content.json.length;
    if (!last || last.length >= batchRows || size + more > batchBytes) {
      batches.push([write]);
      size = more;
    } else {
      last.push(write);
      size += more;
    }
  }
  return batches;
}
