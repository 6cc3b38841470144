import type { Platform } from "../../../platform/context.ts";
import type { Egress } from "../../../platform/egress/index.ts";
import { GitError } from "../../../platform/git/index.ts";
import type { CodeHost } from "../contract.ts";
import { forgetToken, type Installation, installationToken } from "./github-app.ts";
import { openAccess } from "./keep.ts";

/** What of a connector decides how its repository is read. */
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

/** The name that each kind of code host wants beside a token; most look at the token alone. */
const usernames: Record<CodeHost, string> = {
  github: "x-access-token",
  gitlab: "oauth2",
  gitea: "oauth2",
  forgejo: "oauth2",
  bitbucket: "x-token-auth",
  git: "git",
};

const basic = (username: string, token: string) =>
  `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}`;

/**
 * Does the work with whatever opens the repository: the value of the `authorization` header. A token of an
 * application that was remembered and is refused is asked for anew, once.
 */
export async function authorized<T>(
  { keyring, egress }: Pick<Platform, "keyring"> & { egress: Egress },
  connector: Credentials,
  work: (authorization: string | undefined) => Promise<T>,
): Promise<T> {
  const { accessKind, accessSettings, codehost } = connector;
  if (accessKind === "none") return work(undefined);
  const secret = openAccess(keyring, connector, connector.accessSecret ?? "");
  if (accessKind === "token") return work(basic(accessSettings.username ?? usernames[codehost], secret));
  const installation: Installation = {
    baseUrl: connector.baseUrl,
    appId: accessSettings.appId ?? "",
    privateKey: secret,
    installationId: accessSettings.installationId ?? connector.installationId ?? "",
    repository: connector.repository,
  };
  const withToken = async () => work(basic(usernames.github, await installationToken(egress, installation)));
  try {
    return await withToken();
  } catch (error) {
    const refused = error instanceof GitError && error.kind === "access_refused";
    if (!refused || !forgetToken(installation)) throw error;
    return withToken();
  }
}
