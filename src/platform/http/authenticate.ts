import type { Bus } from "../bus.ts";
import type { Caller, Ctx } from "../context.ts";
import type { Db } from "../db/index.ts";
import { forbidden, unauthorized } from "../errors.ts";
import { isId } from "../ids.ts";
import { hashSecret, isToken } from "../secrets.ts";
import type { HttpHeaders, HttpRequest } from "./request.ts";

type Asking = Pick<HttpRequest, "method" | "headers">;

/** Finds who a token belongs to. `orgId` is the organization the caller asked for, if they did. */
export type Resolver = (db: Db, tokenHash: string, orgId: string | undefined) => Promise<Caller | undefined>;

export interface Resolvers {
  /** Tokens without a prefix of ours, as Bearer or in the cookie. */
  session: Resolver;
  /** `x-api-key`, with this prefix. */
  key: { prefix: string; resolve: Resolver };
  /** Bearer tokens for machines, by prefix. */
  tokens: Record<string, Resolver>;
}

const topic = "callers";

/** Ends what any process remembers of this user, member, key, session or organization; commits with `db`. */
export const forgetCallers = (bus: Bus, db: Db, id: string) => bus.publish(db, topic, id);

/** Calls back when something about this caller has changed, or may have: time to look again. */
export function onForgotten(bus: Bus, caller: Caller, onChange: () => void): () => void {
  const ids = idsOf(caller);
  return bus.subscribe(topic, {
    onMessage: (id) => {
      if (ids.includes(id)) onChange();
    },
    onGap: onChange,
  });
}

/**
 * How long an answer may be remembered. A revocation is announced and takes effect at once; should the
 * announcement be lost with its connection, this is how long it takes at most.
 */
const rememberMs = 900;
const maxRemembered = 20_000;

export function createAuthenticator(bus: Bus, resolvers: Resolvers, cookieName: string) {
  const remembered = new Map<
    string,
    { caller: Promise<Caller | undefined>; ids: readonly string[]; until: number }
  >();
  const tokenPrefixes = Object.keys(resolvers.tokens);
  bus.subscribe(topic, {
    onMessage: (id) => {
      // An entry still being looked up has no ids yet: its answer may be from before the change.
      for (const [key, entry] of remembered)
        if (entry.ids.length === 0 || entry.ids.includes(id)) remembered.delete(key);
    },
    onGap: () => remembered.clear(),
  });

  function resolve(
    db: Db,
    resolver: Resolver,
    token: string,
    orgId: string | undefined,
  ): Promise<Caller | undefined> {
    const hash = hashSecret(token);
    const key = orgId === undefined ? hash : `${hash} ${orgId}`;
    const now = performance.now();
    const known = remembered.get(key);
    if (known && known.until > now) return known.caller;
    if (remembered.size >= maxRemembered) remembered.clear();
    const entry = {
      caller: resolver(db, hash, orgId),
      ids: [] as readonly string[],
      until: now + rememberMs,
    };
    remembered.set(key, entry);
    const drop = () => {
      if (remembered.get(key) === entry) remembered.delete(key);
    };
    entry.caller.then((caller) => {
      // An unknown token is not worth remembering, and someone could fill the memory with them.
      if (caller) entry.ids = idsOf(caller);
      else drop();
    }, drop);
    return entry.caller;
  }

  return async function authenticate({ db }: Ctx, request: Asking): Promise<Caller | undefined> {
    const { headers } = request;
    const apiKey = headers["x-api-key"];
    if (apiKey !== undefined) {
      if (!isToken(resolvers.key.prefix, apiKey)) throw unauthorized("invalid_token");
      return (await resolve(db, resolvers.key.resolve, apiKey, undefined)) ?? refuse();
    }
    const orgId = organizationOf(headers);
    const { authorization } = headers;
    if (authorization !== undefined) {
      const token = /^bearer +([^\s]+)$/i.exec(authorization)?.[1];
      if (!token || token.startsWith(resolvers.key.prefix)) throw unauthorized("invalid_token");
      const prefix = tokenPrefixes.find((known) => token.startsWith(known));
      if (prefix && !isToken(prefix, token)) throw unauthorized("invalid_token");
      const resolver = prefix ? resolvers.tokens[prefix]! : resolvers.session;
      return (await resolve(db, resolver, token, orgId)) ?? refuse();
    }
    const cookie = cookieValue(headers.cookie, cookieName);
    if (cookie === undefined) return undefined;
    if (!isSameOrigin(request)) {
      throw forbidden(
        "cross_site_request",
        "A cookie only counts on requests from this site's own pages. Send a token.",
      );
    }
    return (await resolve(db, resolvers.session, cookie, orgId)) ?? refuse();
  };
}

/** Nobody is a member of what is no id; it is not worth a query, nor a place in the memory. */
function organizationOf(headers: HttpHeaders): string | undefined {
  const given = headers["x-organization-id"];
  return given === undefined ? undefined : isId("org", given) ? given : "";
}

function refuse(): never {
  throw unauthorized("invalid_token");
}

function idsOf({ credentialId, madeWith, userId, member }: Caller): string[] {
  return [credentialId, madeWith, userId, member?.id, member?.orgId].filter((id) => id !== undefined);
}

export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * A browser sends our cookie with requests that other sites make. Reading is harmless (they cannot see
 * the reply); for the rest the browser itself must say that the request came from our own page.
 */
function isSameOrigin({ method, headers }: Asking): boolean {
  if (method === "GET" || method === "HEAD") return true;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin !== undefined && URL.parse(headers.origin)?.host === headers.host;
}
