import type { Egress } from "@signalbox/discovery/egress";
import type { Platform } from "../../../platform/context.ts";
import { GitError } from "../../../platform/git/index.ts";
import type { CodeHost } from "../code-hosts.ts";
import { type Installation, installationTokens } from "./github-app.ts";
import { openAccess } from "./sealing.ts";

/** The fields of a connector that decide how its repository is read. */
export interface Credentials {
  id: string;
  orgId: string;
  codehost: CodeHost;
  baseUrl: string;
  cloneUrl: string;
  repository: string;
  installationId: string | null;
  accessKind: "none" | "token" | "github_app";
  accessSecret: string | null;
  accessSettings: { username?: string; appId?: string; installationId?: string };
}

/** The username that each code host expects with a token. Most check only the token. */
const usernames: Record<CodeHost, string> = {
  github: "x-access-token",
  gitlab: "oauth2",
  gitea: "oauth2",
  forgejo: "oauth2",
  bitbucket: "x-token-auth",
  git: "git",
};

const formatBasicAuth = (username: string, token: string) =>
  `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}`;

/**
 * Calls `work` with the `authorization` header of the repository. When a cached installation token is refused, a new
 * one is requested once.
 */
export async function withAuthorization<T>(
  { keyring, egress, state }: Pick<Platform, "keyring" | "state"> & { egress: Egress },
  connector: Credentials,
  work: (authorization: string | undefined) => Promise<T>,
): Promise<T> {
  const { accessKind, accessSettings, codehost } = connector;
  if (accessKind === "none") return work(undefined);
  const secret = openAccess(keyring, connector, connector.accessSecret ?? "");
  if (accessKind === "token")
    return work(formatBasicAuth(accessSettings.username ?? usernames[codehost], secret));
  const installation: Installation = {
    baseUrl: connector.baseUrl,
    appId: accessSettings.appId ?? "",
    privateKey: secret,
    installationId: accessSettings.installationId ?? connector.installationId ?? "",
    repository: connector.repository,
  };
  const tokens = state.get(installationTokens);
  const withToken = async () =>
    work(formatBasicAuth(usernames.github, await tokens.get(egress, installation)));
  try {
    return await withToken();
  } catch (error) {
    const refused = error instanceof GitError && error.kind === "access_refused";
    if (!refused || !tokens.forget(installation)) throw error;
    return withToken();
  }
}
