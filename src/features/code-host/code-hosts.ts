import { isLoopbackHost } from "@signalbox/discovery/egress";
import { invalidField } from "../../platform/errors.ts";

export const codehosts = ["github", "gitlab", "gitea", "forgejo", "bitbucket", "git"] as const;
export type CodeHost = (typeof codehosts)[number];

/** The public service of each code host. A plain git server has none. */
const publicHosts: Record<CodeHost, string | undefined> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  gitea: "https://gitea.com",
  forgejo: "https://codeberg.org",
  bitbucket: "https://bitbucket.org",
  git: undefined,
};

export const findBaseUrl = (codehost: CodeHost, baseUrl: string | null): string | undefined =>
  baseUrl ?? publicHosts[codehost];

/** All servers that receive the secret of a connector, as one string. */
export const listServers = ({
  codehost,
  baseUrl,
  cloneUrl,
}: {
  codehost: CodeHost;
  baseUrl: string | null;
  cloneUrl: string;
}): string => {
  const { origin } = new URL(cloneUrl);
  return `${origin} ${findBaseUrl(codehost, baseUrl) ?? origin}`;
};

/** Turns `main` into `refs/heads/main`. Full names of branches and tags stay. The rules are those of git-check-ref-format. */
export function normalizeRef(given: string): string {
  const ref = /^refs\//.test(given) ? given : `refs/heads/${given}`;
  const wellFormed =
    /^refs\/(?:heads|tags)\/./.test(ref) &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in it
    !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|\/\.|\.lock(?:\/|$)/.test(ref);
  if (!wellFormed)
    throw invalidField(["ref"], "Name a branch (main, refs/heads/main) or a tag (refs/tags/v1).");
  return ref;
}

/** Removes slashes at both ends. An empty folder means the whole repository. */
export function normalizeFolder(given: string): string {
  const folder = given
    .replace(/^\.(?:\/|$)/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\/{2,}/g, "/");
  if (folder.split("/").some((part) => part === "." || part === ".."))
    throw invalidField(["folder"], "Name the folder from the root of the repository, without . or .. in it.");
  return folder;
}

/** True for names that every code host accepts and that a URL can contain without escaping. */
export const isRepositoryName = (name: string): boolean =>
  name.split("/").every((part) => /^[\w.~-]+$/.test(part) && !/^\.+$/.test(part));

export function normalizeRepository(codehost: CodeHost, given: string): string {
  const repository = given.replace(/^\/+|\/+$/g, "").replace(/\.git$/i, "");
  const minParts = codehost === "git" ? 1 : 2;
  if (repository.split("/").length < minParts || !isRepositoryName(repository))
    throw invalidField(["repository"], "Write it as owner/name, as in the address of its page.");
  return repository;
}

export function normalizeBaseUrl(given: string): string {
  const url = parseWebUrl(given, "baseUrl");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Checks the given clone URL, or builds one from the code host and the repository. */
export function buildCloneUrl(
  codehost: CodeHost,
  baseUrl: string | null,
  repository: string,
  given: string | undefined,
): string {
  if (given !== undefined) return parseWebUrl(given, "cloneUrl").href;
  const base = findBaseUrl(codehost, baseUrl);
  if (!base)
    throw invalidField(["cloneUrl"], "A git server has no address of its own. Give cloneUrl or baseUrl.");
  return `${base}/${repository}.git`;
}

function parseWebUrl(given: string, field: string): URL {
  const url = URL.parse(given);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw invalidField([field], "Give an https or http address; ssh and local paths are not read.");
  if (url.username || url.password)
    throw invalidField([field], "Leave user and password out of the address. Put a token into access.");
  if (url.search || url.hash) throw invalidField([field], "Leave ? and # out of the address.");
  return url;
}

/** True when a request to the URL is encrypted or does not leave the machine. */
export const mayCarrySecrets = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || isLoopbackHost(hostname);
};
