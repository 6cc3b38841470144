import type { MemberCtx } from "../../../platform/context.ts";
import type { Source } from "../../../platform/http/index.ts";
import { createConfiguration } from "./clients/index.ts";
import type { ClientConfiguration, ClientName, ImportInput, Preview } from "./contract.ts";
import { fillTemplate } from "./files/index.ts";
import { toItem } from "./items.ts";
import { planImport, readFile } from "./plan.ts";
import * as store from "./store.ts";
import { type ImportActions, normalizeUrl, streamImport } from "./stream.ts";

export async function preview(
  { db, orgId }: MemberCtx,
  input: Pick<ImportInput, "text" | "document">,
): Promise<Preview> {
  const { format, servers } = readFile(input);
  const saved = await indexAddresses(db, orgId);
  return {
    format,
    items: servers.map((server) => {
      const found = saved.get(normalizeUrl((server.url && fillTemplate(server.url, {})) ?? ""));
      return { ...toItem(server), existing: found ? { id: found.id, name: found.name } : null };
    }),
  };
}

export function importServers(
  ctx: MemberCtx,
  input: ImportInput,
  save: ImportActions["save"],
  eventStream: (source: Source) => Response,
): Response {
  const plans = planImport(input);
  const findSaved: ImportActions["findSaved"] = async (url) =>
    (await indexAddresses(ctx.db, ctx.orgId)).get(normalizeUrl(url));
  return eventStream((signal) => streamImport(ctx, plans, { findSaved, save }, signal));
}

/** The saved connections by their address. The oldest of several counts. */
async function indexAddresses(db: MemberCtx["db"], orgId: MemberCtx["orgId"]) {
  const saved = await store.listAddresses(db, orgId);
  return new Map(saved.toReversed().map((connection) => [normalizeUrl(connection.url), connection]));
}

export const exportConfiguration = (
  { config }: MemberCtx,
  { client, credential }: { client: ClientName; credential: "oauth" | "token" },
): { configuration: ClientConfiguration } => ({
  configuration: createConfiguration(client, config.publicUrl, credential),
});
