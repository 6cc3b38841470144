/** The challenges of a reply, and what follows from them. */
export interface Challenges {
  list: Challenge[];
  /** The challenge that leads to a token, if there is one. */
  token: Challenge | undefined;
  /** The scopes that this challenge requires. */
  scopes: string[];
}

export const noChallenges: Challenges = { list: [], token: undefined, scopes: [] };

/** One challenge of a `WWW-Authenticate` field. Scheme and parameter names are in lower case. */
export interface Challenge {
  scheme: string;
  token68?: string;
  params: Record<string, string>;
}

const tokenPattern = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const token68Pattern = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const blankPattern = /[ \t]*/y;
const separatorPattern = /[ \t,;]*/y;
const looseValuePattern = /[^\s,;]*/y;

/**
 * Reads the values of all `WWW-Authenticate` fields (RFC 9110 §11.6.1). Common violations of the grammar that are
 * unambiguous, such as an unquoted URL or a missing comma, are accepted.
 */
export function readChallenges(fields: readonly string[] = []): Challenges {
  const list = fields.flatMap(readField);
  const token = findTokenChallenge(list);
  return { list, token, scopes: readScopes(token) };
}

function readField(field: string): Challenge[] {
  const challenges: Challenge[] = [];
  let at = 0;

  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(field);
    if (found) at = pattern.lastIndex;
    return found?.[0] ?? "";
  };

  while (at < field.length) {
    take(separatorPattern);
    const name = take(tokenPattern);
    if (name === "") {
      // Skip what the grammar does not allow. A quoted string is skipped as a whole.
      if (field[at] === '"') readQuoted();
      else at += 1;
      continue;
    }
    const current = challenges.at(-1);
    const afterName = at;
    take(blankPattern);
    if (field[at] === "=") {
      at += 1;
      take(blankPattern);
      const value = field[at] === '"' ? readQuoted() : take(looseValuePattern);
      if (current) addParam(current, name, value);
      continue;
    }
    // A name without "=" starts a new challenge.
    challenges.push(startChallenge(name, afterName));
  }
  return challenges;

  function startChallenge(scheme: string, afterName: number): Challenge {
    const challenge: Challenge = { scheme: scheme.toLowerCase(), params: {} };
    if (at === afterName) return challenge;
    const token68 = take(token68Pattern);
    if (token68 !== "") challenge.token68 = token68;
    return challenge;
  }

  function readQuoted(): string {
    let value = "";
    at += 1;
    while (at < field.length) {
      const end = findQuoteEnd(field, at);
      value += field.slice(at, end);
      at = end + 1;
      if (field[end] !== "\\") return value;
      value += field[at] ?? "";
      at += 1;
    }
    return value;
  }
}

/** Returns the index of the next quote or backslash, or the end of the field if there is none. */
function findQuoteEnd(field: string, from: number): number {
  for (let at = from; at < field.length; at += 1) {
    if (field[at] === '"' || field[at] === "\\") return at;
  }
  return field.length;
}

/** A parameter may occur once (RFC 9110 §11.2). The first value is kept. */
function addParam(challenge: Challenge, name: string, value: string) {
  const key = name.toLowerCase();
  if (key === "__proto__" || Object.hasOwn(challenge.params, key)) return;
  challenge.params[key] = value;
}

/** Returns the challenge that leads to a token. One that names metadata is preferred, then Bearer, then DPoP. */
function findTokenChallenge(challenges: readonly Challenge[]): Challenge | undefined {
  const candidates = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const named = candidates.find(({ params }) => params.resource_metadata !== undefined);
  return named ?? candidates.find(({ scheme }) => scheme === "bearer") ?? candidates[0];
}

/** Returns the valid scopes of a challenge without duplicates (RFC 6749 §3.3). */
function readScopes(challenge: Challenge | undefined): string[] {
  const words = (challenge?.params.scope ?? "").split(/\s+/);
  return [...new Set(words.filter((word) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(word)))].slice(0, 100);
}
