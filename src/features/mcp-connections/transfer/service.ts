import type { MemberCtx } from "../../../platform/context.ts";
import type { OpenStream } from "../../../platform/http/index.ts";
import { prepareConnection } from "../saving.ts";
import { openUrl } from "../sealing.ts";
import { create } from "../service.ts";
import { createConfiguration } from "./clients/index.ts";
import type { ClientConfiguration, ClientName, ImportInput, Preview } from "./contract.ts";
import { fillTemplate } from "./files/index.ts";
import { toItem } from "./items.ts";
import { planImport, readFile } from "./plan.ts";
import * as store from "./store.ts";
import { type ImportActions, normalizeUrl, streamImport } from "./stream.ts";

export async function preview(
  ctx: MemberCtx,
  input: Pick<ImportInput, "text" | "document">,
): Promise<Preview> {
  const { format, servers } = readFile(input);
  const saved = await indexAddresses(ctx);
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
  eventStream: OpenStream,
): Promise<Response> {
  const plans = planImport(input);
  const taken = new Set<string>();
  const actions: ImportActions = {
    findSaved: async (url) => (await indexAddresses(ctx)).get(normalizeUrl(url)),
    save: async (body) => {
      const named = { ...body, name: await findFreeName(ctx, body.name, taken) };
      return (await create(ctx, named, await prepareConnection(ctx, named))).connection;
    },
  };
  return eventStream((signal) => streamImport(ctx, plans, actions, signal));
}

/** People tell connections apart by their names, so one that is taken gets a number. `taken` are those of this import. */
async function findFreeName(
  { db, orgId }: MemberCtx,
  name: string | undefined,
  taken: Set<string>,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const names = new Set((await store.listAddresses(db, orgId)).map((one) => one.name));
  const isTaken = (text: string) => names.has(text) || taken.has(text);
  // Without half a character at its end.
  const start = name.slice(0, 74).replace(/[\ud800-\udbff]$/, "");
  let free = name;
  for (let n = 2; isTaken(free); n++) free = `${start} ${n}`;
  taken.add(free);
  return free;
}

/** The saved connections by their address. The oldest of several counts. */
async function indexAddresses({ db, orgId, keyring }: MemberCtx): Promise<Map<string, store.SavedAddress>> {
  const saved = await store.listAddresses(db, orgId);
  return new Map(
    saved.toReversed().map((connection) => {
      const { url, sealedUrl } = connection;
      const whole = sealedUrl === null ? url : openUrl(keyring, { ...connection, orgId }, sealedUrl);
      return [normalizeUrl(whole), connection];
    }),
  );
}

export const exportConfiguration = (
  { config }: MemberCtx,
  { client, credential }: { client: ClientName; credential: "oauth" | "token" },
): { configuration: ClientConfiguration } => ({
  configuration: createConfiguration(client, config.publicUrl, credential),
});
