import type { Ids } from "./requests.ts";
import { operations } from "./requests.ts";

export interface Caller {
  name: string;
  headers: Record<string, string>;
}

/** The tenant that the attacker must never see. */
export interface Victim {
  ids: Ids;
  /** Words that occur in the victim's data and nowhere else: addresses, keys. */
  words: readonly string[];
}

export interface Attacker {
  callers: readonly Caller[];
  ids: Map<string, string[]>;
}

const idPattern = /\b([a-z]{2,4})_[0-9a-hjkmnp-tv-z]{26}\b/g;

/** Adds the ids in a text to those that are known. Keeps a limited number of each kind. */
export function collectIds(text: string, ids: Map<string, string[]>, limit = 40): void {
  for (const [id, prefix] of text.matchAll(idPattern)) {
    const known = ids.get(prefix!) ?? [];
    if (known.length < limit && !known.includes(id)) ids.set(prefix!, [...known, id]);
  }
}

/** Reads every list that a caller may read, and returns the ids in them. */
export async function readOwnIds(
  url: string,
  headers: Record<string, string>,
): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>();
  for (const { method, path } of operations) {
    if (method !== "GET" || path.includes("{") || !path.startsWith("/v1/") || path.endsWith("/export"))
      continue;
    const reply = await fetch(url + path, { headers, redirect: "manual" });
    const type = reply.headers.get("content-type") ?? "";
    if (type.startsWith("application/json")) collectIds(await reply.text(), ids);
    else await reply.body?.cancel();
  }
  return ids;
}

/** Ids of the victim that nobody else has. Some things, such as built-in roles, have the same id everywhere. */
export function withoutShared(victim: Ids, other: Ids): Ids {
  return new Map(
    [...victim].map(
      ([prefix, ids]) => [prefix, ids.filter((id) => !other.get(prefix)?.includes(id))] as const,
    ),
  );
}

const json = { "content-type": "application/json" };

/** One thing of each kind that needs no other server, so that requests with own ids reach something. */
const ownThings = (word: string): Record<string, unknown> => ({
  "/v1/teams": { name: "Attackers" },
  "/v1/templates": { name: "Notes", body: "# Notes" },
  "/v1/workers": { name: "machine", kind: "remote" },
  "/v1/worker-registration-tokens": { name: "Machines", kind: "remote" },
  "/v1/roles": { name: "Runner", permissions: ["automations:create"] },
  "/v1/invitations": { email: `guest-${word}@attacker.example`, role: "member" },
  // Nothing listens there, so no request leaves the machine.
  "/v1/webhook-endpoints": { url: "https://127.0.0.1:65500/hook" },
  "/v1/llm-providers": { kind: "openai_compatible", name: "Own", baseUrl: "https://127.0.0.1:65500/v1" },
});
const ownAutomation = { name: "Nightly", instructions: "Read.", schedule: { kind: "manual" } };

/** Makes an account, an organization with some things in it, a second person, keys and tokens through the API. */
export async function createAttacker(url: string): Promise<Attacker> {
  const word = Math.random().toString(36).slice(2, 10);
  const ask = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const reply = await fetch(url + path, {
      method: "POST",
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return { reply, body: (await reply.json()) as Record<string, unknown> };
  };
  const signUp = async (name: string) => {
    const { reply, body } = await ask("/api/auth/sign-up/email", {
      name,
      email: `${name.toLowerCase()}-${word}@attacker.example`,
      password: `correct horse ${word}`,
    });
    const token = reply.headers.get("set-auth-token") ?? String(body.token);
    return { authorization: `Bearer ${token}` };
  };
  const owner = await signUp("Mallory");
  await ask("/v1/organizations", { name: `Attackers ${word}` }, owner);
  const key = await ask("/v1/api-keys", { name: "attack" }, owner);
  const token = await ask("/v1/mcp/token", {}, owner);
  for (const [path, thing] of Object.entries(ownThings(word))) await ask(path, thing, owner);
  const { body } = await ask("/v1/automations", ownAutomation, owner);
  await ask(`/v1/automations/${(body.automation as { id: string }).id}/run`, {}, owner);
  const stranger = await signUp("Trudy");
  const withKey = { name: "key", headers: { "x-api-key": String(key.body.key) } };
  // Most requests come from somebody with rights: the others do not get past authentication.
  const callers: Caller[] = [
    ...Array.from({ length: 8 }, () => ({ name: "owner", headers: owner })),
    withKey,
    withKey,
    withKey,
    { name: "mcp token", headers: { authorization: `Bearer ${token.body.token}` } },
    { name: "person without an organization", headers: stranger },
    { name: "nobody", headers: {} },
    { name: "wrong key", headers: { "x-api-key": `sbx_${"0".repeat(40)}` } },
    { name: "two credentials", headers: { ...owner, "x-api-key": String(key.body.key) } },
  ];
  return { callers, ids: await readOwnIds(url, owner) };
}
