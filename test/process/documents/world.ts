import type { Block } from "./blocks.ts";
import { type Given, preparations } from "./given.ts";
import { demoOwner, type Instance, password } from "./instance.ts";
import type { World } from "./recorded.ts";

export const findPreparation = ({ file, text }: Block) =>
  preparations.find((one) => one.file === file && text.includes(one.text));

/** What the blocks of a page leave for the blocks below them, as in one terminal. */
export interface Terminal {
  /** The variables and functions that they set. */
  file: string;
  ids: World["ids"];
  texts: World["texts"];
}

const lists = [
  "/v1/automations",
  "/v1/automation-runs",
  "/v1/templates",
  "/v1/connectors",
  "/v1/oauth-connections",
  "/v1/teams",
  "/v1/members",
  "/v1/api-keys",
  "/v1/webhook-endpoints",
];

/** The world of a block: ids of the demo, and what its preparation made. */
export async function prepareWorld(
  instance: Instance,
  block: Block,
  terminal?: Terminal,
): Promise<World & Given> {
  const ids: World["ids"] = {};
  for (const path of lists) {
    // The owner may have left the organization, as docs/identity.md shows.
    const last = (await instance.ask(path).catch(() => undefined))?.items.at(-1);
    if (last) ids[last.id.split("_")[0]!] = last.id;
  }
  const given = (await findPreparation(block)?.prepare(instance)) ?? {};
  const token = given.token ?? instance.token ?? (await instance.signIn(demoOwner).catch(() => undefined));
  return {
    lines: [],
    key: instance.key,
    password: given.token ? password : instance.password,
    ...given,
    ...(token ? { token } : {}),
    ids: { ...ids, ...terminal?.ids, ...given.ids },
    texts: { ...terminal?.texts, ...given.texts },
  };
}
