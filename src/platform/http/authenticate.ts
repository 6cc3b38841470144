import type { Bus } from "../bus.ts";
import {
  type Caller,
  type CredentialKind,
  type Ctx,
  findRights,
  type MemberId,
  type OrgId,
  type Platform,
} from "../context.ts";
import type { Db, Sql } from "../db/index.ts";
import { unauthorized, unauthorizedKey } from "../errors.ts";
import { isId } from "../ids.ts";
import { hashSecret, isToken } from "../secrets.ts";
import type { HttpHeaders, HttpRequest } from "./request.ts";
import { refuseOtherSite } from "./site.ts";

type Asking = Pick<HttpRequest, "method" | "headers">;

/** Finds who a token belongs to. `orgId` is the organization that the request names, if any. */
export type FindCaller = (
  db: Db,
  tokenHash: string,
  orgId: string | undefined,
) => Promise<Caller | undefined>;

/** A kind of credential: how requests carry it, and how its owner is found. */
export interface CredentialType {
  kind: CredentialKind;
  /** `session` tokens have no prefix; they come as Bearer or in the cookie. */
  carrier: "session" | "x-api-key" | "bearer";
  /** What every token of this kind begins with. Sessions have none. */
  prefix?: string;
  /** The name of the cookie that carries a session. */
  cookieName?(publicUrl: string): string;
  find: FindCaller;
  /** Returns a `find` that uses what the process has in memory, for a kind with very many requests. */
  createFind?(state: Platform["state"]): FindCaller;
  /** False when the end of a credential is not announced on the bus: then every request looks it up. */
  cached?: boolean;
  /** Writes down that these credentials were used, some seconds later and for many at once. */
  recordUse?(db: Db, ids: string[]): Promise<unknown>;
  /**
   * Keeps the credential until the transaction ends, and returns the hash of its token. Undefined when it has ended. Only
   * for kinds with which credentials are created that outlive them.
   */
  keep?(tx: Db, id: string): Promise<string | undefined>;
  /** How all credentials of a person or member are ended at once. Missing for sessions. */
  ending?: CredentialEnding;
  /** How the API description names it. */
  scheme?: { name: string; description: string };
}

export interface CredentialEnding {
  /** `members` is a condition on the table `members m`. Returns a row for each credential that is counted. */
  end(db: Db, members: Sql): Promise<readonly { orgId: OrgId; memberId: MemberId }[]>;
  /** The name under which audit entries count them. */
  countedAs?: string;
  /** True for credentials that end with another kind. They are ended first, so that each is counted. */
  isDependent?: boolean;
}

const topic = "callers";

/** Removes the callers with this user, member, credential or organization from every cache; commits with `db`. */
export const invalidateCallers = (bus: Bus, db: Db, id: string) => bus.publish(db, topic, id);

/**
 * Calls the listener with the id of each user, member, credential or organization that changed. After a gap, any of
 * them may have changed.
 */
export const onInvalidation = (bus: Bus, listener: Parameters<Bus["subscribe"]>[1]) =>
  bus.subscribe(topic, listener);

/** Returns a hash that is equal for requests with the same credential and the same requested organization. */
export const hashCredential = ({ headers }: Pick<HttpRequest, "headers">): string =>
  hashSecret(
    JSON.stringify([
      headers["x-api-key"],
      headers.authorization,
      headers.cookie,
      headers["x-organization-id"],
    ]),
  );

/**
 * How long a caller stays in the cache. The end of a credential is announced and takes effect at once; if the
 * announcement is lost with its connection, it takes effect after this time.
 */
const cachedMs = 900;
const maxCached = 20_000;

export function createAuthenticator(
  {
    bus,
    state,
    config: { publicUrl },
  }: { bus: Bus; state?: Platform["state"]; config: Pick<Platform["config"], "publicUrl"> },
  declared: readonly CredentialType[],
) {
  const credentials = declared.map((type) =>
    type.createFind && state ? { ...type, find: type.createFind(state) } : type,
  );
  const session = credentials.find(({ carrier }) => carrier === "session");
  const key = credentials.find(({ carrier }) => carrier === "x-api-key");
  const tokens = credentials.filter(({ carrier }) => carrier === "bearer");
  const otherPrefixes = credentials.flatMap(({ carrier, prefix }) =>
    carrier !== "session" && prefix ? prefix : [],
  );
  const cookieName = session?.cookieName?.(publicUrl);
  // The key is the token itself, so that a busy credential is not hashed for every request.
  const cache = new Map<string, CachedCaller>();
  bus.subscribe(topic, {
    onMessage: (id) => {
      // An entry still being looked up has no ids yet: its answer may be from before the change.
      for (const [key, entry] of cache)
        if (entry.ids.length === 0 || entry.ids.includes(id)) cache.delete(key);
    },
    onGap: () => cache.clear(),
  });

  /** Returns the entry of a token that was looked up a moment ago. */
  function findKnown(token: string, orgId: string | undefined): CachedCaller | undefined {
    const known = cache.get(toCacheKey(token, orgId));
    return known && known.until > performance.now() ? known : undefined;
  }

  /** Requests with the same token share a lookup. */
  function findCached(
    db: Db,
    find: FindCaller,
    token: string,
    orgId: string | undefined,
  ): Caller | Promise<Caller | undefined> {
    const known = findKnown(token, orgId);
    if (known) return known.found ?? known.caller;
    const key = toCacheKey(token, orgId);
    const now = performance.now();
    cache.delete(key);
    // Entries are ordered by age. Removes expired entries, and the oldest ones when there are too many.
    for (const [oldest, { until }] of cache) {
      if (until > now && cache.size < maxCached) break;
      cache.delete(oldest);
    }
    const entry: CachedCaller = {
      caller: find(db, hashSecret(token), orgId),
      found: undefined,
      ids: [],
      until: now + cachedMs,
    };
    cache.set(key, entry);
    const drop = () => {
      if (cache.get(key) === entry) cache.delete(key);
    };
    entry.caller.then((caller) => {
      // Unknown tokens are not cached: somebody could fill the memory with them.
      if (!caller) return drop();
      entry.ids = listCallerIds(caller);
      entry.found = caller;
    }, drop);
    return entry.caller;
  }

  /** Returns a caller that is in the cache at once, and a promise for any other. */
  return function authenticate(
    { db }: Pick<Ctx, "db">,
    request: Asking,
  ): Caller | Promise<Caller> | undefined {
    const { headers } = request;
    const apiKey = headers["x-api-key"];
    if (apiKey !== undefined && key) {
      const known = findKnown(apiKey, undefined)?.found;
      if (known?.credential === key.kind) return known;
      const { prefix = "", find } = key;
      if (!apiKey.startsWith(prefix))
        throw unauthorizedKey(
          `This is not an API key: API keys begin with ${prefix}. Send tokens as Bearer.`,
        );
      if (!isToken(prefix, apiKey))
        throw unauthorizedKey("The API key is not complete, or a character is wrong. Copy it again.");
      return orRefuse(findCached(db, find, apiKey, undefined), refuseKey);
    }
    const orgId = readOrganization(headers);
    const { authorization } = headers;
    if (authorization !== undefined) {
      const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
      if (!token || !isPlain(token))
        throw unauthorized("invalid_token", "Send the token as Authorization: Bearer, then the token.");
      if (key?.prefix && token.startsWith(key.prefix))
        throw unauthorized("invalid_token", "An API key is sent in the header x-api-key, not as Bearer.");
      const type = tokens.find(({ prefix = "" }) => token.startsWith(prefix)) ?? session;
      if (!type || (type.prefix && !isToken(type.prefix, token))) refuse();
      const found =
        type.cached === false
          ? type.find(db, hashSecret(token), orgId)
          : findCached(db, type.find, token, orgId);
      return orRefuse(found, refuse);
    }
    const cookie = cookieName && readCookie(headers.cookie, cookieName);
    if (cookie === undefined || !session) return undefined;
    // The cache does not know how a token was sent, so a token of another kind is refused before it is looked up there.
    if (!isPlain(cookie) || otherPrefixes.some((prefix) => cookie.startsWith(prefix))) refuse();
    if (request.method !== "GET" && request.method !== "HEAD") refuseOtherSite(headers);
    return orRefuse(findCached(db, session.find, cookie, orgId), refuse);
  };
}

interface CachedCaller {
  caller: Promise<Caller | undefined>;
  /** The caller, once the lookup has ended. */
  found: Caller | undefined;
  ids: readonly string[];
  until: number;
}

/** Tokens have no spaces, so two pairs never have the same key. */
const toCacheKey = (token: string, orgId: string | undefined) =>
  orgId === undefined ? token : `${token} ${orgId}`;

const orRefuse = (found: Caller | Promise<Caller | undefined>, refuse: () => never) =>
  found instanceof Promise ? found.then((caller) => caller ?? refuse()) : found;

function refuseKey(): never {
  throw unauthorizedKey("The key is unknown, has expired or was removed.");
}

/** A text that is not an id becomes an empty one, so that it needs no place of its own in the cache. */
function readOrganization(headers: HttpHeaders): string | undefined {
  const given = headers["x-organization-id"];
  return given === undefined ? undefined : isId("org", given) ? given : "";
}

/** Our tokens have at most 1024 characters, all of them printable ASCII. */
const isPlain = (token: string) => /^[\x21-\x7e]{1,1024}$/.test(token);

/** Uses one message for all cases, so that nobody can tell a token that has ended from an unknown one. */
function refuse(): never {
  throw unauthorized("invalid_token", "The token is unknown, has expired or was revoked.");
}

/** Announcing any of these ids removes the caller from the cache. */
export function listCallerIds(caller: Caller): string[] {
  const { credentialId, madeWith, userId, member } = caller;
  return [credentialId, madeWith, userId, member?.id, findRights(caller)?.orgId].filter(
    (id) => id !== undefined,
  );
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
