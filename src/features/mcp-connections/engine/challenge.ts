/** One challenge of a `WWW-Authenticate` field. Scheme and parameter names are in lower case. */
export interface Challenge {
  scheme: string;
  token68?: string;
  params: Record<string, string>;
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const BLANK = /[ \t]*/y;
const BETWEEN = /[ \t,;]*/y;
const LOOSE_VALUE = /[^\s,;]*/y;

/**
 * Reads the values of all `WWW-Authenticate` fields (RFC 9110 §11.6.1): several fields, several challenges in
 * one field, quoted strings with escapes, token68, any case, white space around "=". Where real servers break
 * the grammar in a way that leaves one reading only (an unquoted URL, a missing comma), that reading is taken.
 */
export function readChallenges(fields: readonly string[]): Challenge[] {
  return fields.flatMap(readField);
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
    take(BETWEEN);
    const name = take(TOKEN);
    if (name === "") {
      // Something that belongs to no grammar: step over it, and never let a quote hide what follows it.
      if (field[at] === '"') readQuoted();
      else at += 1;
      continue;
    }
    const current = challenges.at(-1);
    const afterName = at;
    take(BLANK);
    if (field[at] === "=") {
      at += 1;
      take(BLANK);
      const value = field[at] === '"' ? readQuoted() : take(LOOSE_VALUE);
      if (current) addParam(current, name, value);
      continue;
    }
    // A name that no "=" follows begins a new challenge.
    challenges.push(startChallenge(name, afterName));
  }
  return challenges;

  function startChallenge(scheme: string, afterName: number): Challenge {
    const challenge: Challenge = { scheme: scheme.toLowerCase(), params: {} };
    if (at === afterName) return challenge;
    const token68 = take(TOKEN68);
    if (token68 !== "") challenge.token68 = token68;
    return challenge;
  }

  function readQuoted(): string {
    let value = "";
    at += 1;
    while (at < field.length) {
      const stop = nextStop(field, at);
      value += field.slice(at, stop);
      at = stop + 1;
      if (field[stop] !== "\\") return value;
      value += field[at] ?? "";
      at += 1;
    }
    return value;
  }
}

/** The next quote or backslash, or the end of the field: a quote that is never closed runs to the end. */
function nextStop(field: string, from: number): number {
  for (let at = from; at < field.length; at += 1) {
    if (field[at] === '"' || field[at] === "\\") return at;
  }
  return field.length;
}

/** A parameter may occur once (RFC 9110 §11.2). The first one stands: a second must not override it. */
function addParam(challenge: Challenge, name: string, value: string) {
  const key = name.toLowerCase();
  if (key === "__proto__" || Object.hasOwn(challenge.params, key)) return;
  challenge.params[key] = value;
}

/** The challenge that leads to a token: one that names metadata before one that does not, Bearer before DPoP. */
export function tokenChallenge(challenges: readonly Challenge[]): Challenge | undefined {
  const candidates = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const named = candidates.find(({ params }) => params.resource_metadata !== undefined);
  return named ?? candidates.find(({ scheme }) => scheme === "bearer") ?? candidates[0];
}

/** The scopes of a challenge, in order and once each; what no scope can contain is left out (RFC 6749 §3.3). */
export function scopesOf(challenge: Challenge | undefined): string[] {
  const words = (challenge?.params.scope ?? "").split(/\s+/);
  return [...new Set(words.filter((word) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(word)))].slice(0, 100);
}
