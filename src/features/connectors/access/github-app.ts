import { hash, sign } from "node:crypto";
import { type Egress, EgressError } from "../../../platform/egress/index.ts";
import { GitError } from "../../../platform/git/index.ts";

/** An application of GitHub, as it is installed at somebody's. */
export interface Installation {
  /** `https://github.com`, or one's own server. */
  baseUrl: string;
  appId: string;
  privateKey: string;
  installationId: string;
  /** `owner/name`: the token is good for this one alone. */
  repository: string;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Signed by the application's key; good for some minutes, and for asking for a token only. */
function applicationToken({ appId, privateKey }: Installation, now: number): string {
  const seconds = Math.floor(now / 1000);
  // A minute back, for clocks that differ; ten minutes is the most that GitHub takes.
  const claims = { iat: seconds - 60, exp: seconds + 9 * 60, iss: appId };
  const text = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

const apiBaseOf = (baseUrl: string): string =>
  new URL(baseUrl).hostname === "github.com" ? "https://api.github.com" : `${baseUrl}/api/v3`;

interface Kept {
  token: Promise<string>;
  until: number;
}

/** Tokens of an hour, in memory only: a process that ends has forgotten them. */
const kept = new Map<string, Kept>();
const mostKept = 1_000;
const earlyMs = 5 * 60_000;

const nameOf = (one: Installation) =>
  [one.baseUrl, one.appId, one.installationId, one.repository, hash("sha256", one.privateKey)].join(" ");

export const forgetToken = (installation: Installation): boolean => kept.delete(nameOf(installation));

/** Whoever asks at the same moment gets the same answer. */
export function installationToken(egress: Egress, installation: Installation): Promise<string> {
  const name = nameOf(installation);
  const known = kept.get(name);
  if (known && known.until > Date.now()) return known.token;
  const asking: Kept = {
    until: Date.now() + 60_000,
    token: ask(egress, installation).then(
      ({ token, expiresAt }) => {
        asking.until = expiresAt - earlyMs;
        return token;
      },
      (error) => {
        if (kept.get(name) === asking) kept.delete(name);
        throw error;
      },
    ),
  };
  kept.delete(name);
  kept.set(name, asking);
  if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
  return asking.token;
}

async function ask(
  egress: Egress,
  installation: Installation,
): Promise<{ token: string; expiresAt: number }> {
  const { baseUrl, installationId, repository } = installation;
  const reply = await egress
    .request(`${apiBaseOf(baseUrl)}/app/installations/${installationId}/access_tokens`, {
      method: "POST",
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${applicationToken(installation, Date.now())}`,
        "content-type": "application/json",
        "x-github-api-version": "2022-11-28",
      },
      body: JSON.stringify({
        repositories: [repository.split("/").at(-1)],
        permissions: { contents: "read" },
      }),
      redirects: 0,
      maxBytes: 256 * 1024,
    })
    .catch((error) => {
      if (!(error instanceof EgressError) || error.kind === "aborted") throw error;
      throw new GitError(error.kind === "refused_by_policy" ? "refused" : "unreachable", error.message);
    });
  if (reply.status !== 201 && reply.status !== 200) throw refusal(reply.status, installation);
  try {
    const { token, expires_at } = JSON.parse(reply.text()) as { token: unknown; expires_at: unknown };
    const expiresAt = Date.parse(String(expires_at));
    if (typeof token === "string" && /^[\x21-\x7e]{1,4000}$/.test(token) && Number.isFinite(expiresAt))
      return { token, expiresAt };
  } catch {
    // Told below.
  }
  throw new GitError("protocol", "GitHub's answer holds no token.");
}

function refusal(status: number, { installationId, repository, appId }: Installation): GitError {
  if (status === 401) {
    return new GitError(
      "access_refused",
      `GitHub does not accept the key of App ${appId} (401). Compare the App ID, make a new private key, and check the clock of this machine.`,
    );
  }
  if (status === 403)
    return new GitError(
      "access_refused",
      `Installation ${installationId} is suspended or may not read contents (403).`,
    );
  if (status === 404)
    return new GitError(
      "access_refused",
      `App ${appId} has no installation ${installationId} (404). Is it still installed?`,
    );
  if (status === 422) {
    return new GitError(
      "access_refused",
      `Installation ${installationId} does not cover ${repository}, or lacks “Contents: Read-only” (422).`,
    );
  }
  if (status === 429) return new GitError("rate_limited", "GitHub asks to be called less often (429).");
  if (status >= 500) return new GitError("server_error", `GitHub has trouble of its own (${status}).`);
  return new GitError("protocol", `GitHub answered ${status} when asked for a token.`);
}
