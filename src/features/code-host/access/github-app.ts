import { hash, sign } from "node:crypto";
import { type Egress, EgressError } from "@signalbox/discovery/egress";
import { GitError } from "../../../platform/git/index.ts";
import { defineState } from "../../../platform/state.ts";

/** A GitHub App that is installed in an organization or account. */
export interface Installation {
  /** `https://github.com`, or the URL of a GitHub Enterprise server. */
  baseUrl: string;
  appId: string;
  privateKey: string;
  installationId: string;
  /** `owner/name`. The token gives access to this repository only. */
  repository: string;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JWT signed with the key of the App. It is valid for minutes, and only to request a token. */
function signAppToken({ appId, privateKey }: Installation, now: number): string {
  const seconds = Math.floor(now / 1000);
  // One minute back, because clocks differ. GitHub accepts at most ten minutes.
  const claims = { iat: seconds - 60, exp: seconds + 9 * 60, iss: appId };
  const text = `${encode({ alg: "RS256", typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

const findApiUrl = (baseUrl: string): string =>
  new URL(baseUrl).hostname === "github.com" ? "https://api.github.com" : `${baseUrl}/api/v3`;

interface CachedToken {
  token: Promise<string>;
  validUntil: number;
}

/** Access tokens of GitHub App installations. They are valid for an hour and never stored. */
interface InstallationTokens {
  /** Returns the cached token, or requests one. Concurrent calls share a request. */
  get(egress: Egress, installation: Installation): Promise<string>;
  /** Returns false when no token was cached. */
  forget(installation: Installation): boolean;
}

const maxCached = 1_000;
/** A token is replaced this long before it expires. */
const renewBeforeMs = 5 * 60_000;

const cacheKey = (one: Installation) =>
  [one.baseUrl, one.appId, one.installationId, one.repository, hash("sha256", one.privateKey)].join(" ");

export const installationTokens = defineState({
  name: "GitHub App tokens",
  create: createInstallationTokens,
});

function createInstallationTokens(): InstallationTokens {
  const cache = new Map<string, CachedToken>();
  return {
    forget: (installation) => cache.delete(cacheKey(installation)),
    get(egress, installation) {
      const key = cacheKey(installation);
      const known = cache.get(key);
      if (known && known.validUntil > Date.now()) return known.token;
      const requested: CachedToken = {
        validUntil: Date.now() + 60_000,
        token: requestToken(egress, installation).then(
          ({ token, expiresAt }) => {
            requested.validUntil = expiresAt - renewBeforeMs;
            return token;
          },
          (error) => {
            if (cache.get(key) === requested) cache.delete(key);
            throw error;
          },
        ),
      };
      cache.delete(key);
      cache.set(key, requested);
      if (cache.size > maxCached) cache.delete(cache.keys().next().value!);
      return requested.token;
    },
  };
}

async function requestToken(
  egress: Egress,
  installation: Installation,
): Promise<{ token: string; expiresAt: number }> {
  const { baseUrl, installationId, repository } = installation;
  const reply = await egress
    .request(`${findApiUrl(baseUrl)}/app/installations/${installationId}/access_tokens`, {
      method: "POST",
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${signAppToken(installation, Date.now())}`,
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
  if (reply.status !== 201 && reply.status !== 200) throw describeRefusal(reply, installation);
  try {
    const { token, expires_at } = JSON.parse(reply.text()) as { token: unknown; expires_at: unknown };
    const expiresAt = Date.parse(String(expires_at));
    if (typeof token === "string" && /^[\x21-\x7e]{1,4000}$/.test(token) && Number.isFinite(expiresAt))
      return { token, expiresAt };
  } catch {
    // Reported below.
  }
  throw new GitError("protocol", "GitHub's answer holds no token.");
}

type Reply = Awaited<ReturnType<Egress["request"]>>;

function describeRefusal(
  { status, headers }: Pick<Reply, "status" | "headers">,
  { installationId, repository, appId }: Installation,
): GitError {
  const isLimited = headers["x-ratelimit-remaining"]?.[0] === "0" || headers["retry-after"] !== undefined;
  if (status === 429 || (status === 403 && isLimited))
    return new GitError("rate_limited", `GitHub asks to be called less often (${status}).`);
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
  if (status >= 500) return new GitError("server_error", `GitHub has trouble of its own (${status}).`);
  return new GitError("protocol", `GitHub answered ${status} when asked for a token.`);
}
