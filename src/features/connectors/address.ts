import { isLoopbackHost } from "../../platform/egress/index.ts";
import { invalidField } from "../../platform/errors.ts";
import type { CodeHost } from "./contract.ts";

/** Where the public service of each kind is; a plain git server has none. */
const publicHosts: Record<CodeHost, string | undefined> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  gitea: "https://gitea.com",
  forgejo: "https://codeberg.org",
  bitbucket: "https://bitbucket.org",
  git: undefined,
};

export const baseUrlOf = (codehost: CodeHost, baseUrl: string | null): string | undefined =>
  baseUrl ?? publicHosts[codehost];

/** All servers that receive the secret of a connector, as one string. */
export const serversOf = ({
  codehost,
  baseUrl,
  cloneUrl,
}: {
  codehost: CodeHost;
  baseUrl: string | null;
  cloneUrl: string;
}): string => {
  const { origin } = new URL(cloneUrl);
  return `${origin} ${baseUrlOf(codehost, baseUrl) ?? origin}`;
};

/** `main` → `refs/heads/main`; full names of branches and tags stay. The rules are those of git-check-ref-format. */
export function fullRef(given: string): string {
  const ref = /^refs\//.test(given) ? given : `refs/heads/${given}`;
  const wellFormed =
    /^refs\/(?:heads|tags)\/./.test(ref) &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in it
    !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|\/\.|\.lock(?:\/|$)/.test(ref);
  if (!wellFormed)
    throw invalidField(["ref"], "Name a branch (main, refs/heads/main) or a tag (refs/tags/v1).");
  return ref;
}

/** Without slashes at its ends; empty: the whole repository. */
export function plainFolder(given: string): string {
  const folder = given
    .replace(/^\.(?:\/|$)/, "")
    .replace(/^\/+|\/+$/g, "")
    .replace(/\/{2,}/g, "/");
  if (folder.split("/").some((part) => part === "." || part === ".."))
    throw invalidField(["folder"], "Name the folder from the root of the repository, without . or .. in it.");
  return folder;
}

/** What every code host lets people call one, and an address can hold as it is. */
export const isRepositoryName = (name: string): boolean =>
  name.split("/").every((part) => /^[\w.~-]+$/.test(part) && !/^\.+$/.test(part));

export function plainRepository(codehost: CodeHost, given: string): string {
  const repository = given.replace(/^\/+|\/+$/g, "").replace(/\.git$/i, "");
  const least = codehost === "git" ? 1 : 2;
  if (repository.split("/").length < least || !isRepositoryName(repository))
    throw invalidField(["repository"], "Write it as owner/name, as in the address of its page.");
  return repository;
}

export function plainBaseUrl(given: string): string {
  const url = webUrl(given, "baseUrl");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Given, or made from the code host and the repository. */
export function cloneUrlOf(
  codehost: CodeHost,
  baseUrl: string | null,
  repository: string,
  given: string | undefined,
): string {
  if (given !== undefined) return webUrl(given, "cloneUrl").href;
  const base = baseUrlOf(codehost, baseUrl);
  if (!base)
    throw invalidField(["cloneUrl"], "A git server has no address of its own. Give cloneUrl or baseUrl.");
  return `${base}/${repository}.git`;
}

function webUrl(given: string, field: string): URL {
  const url = URL.parse(given);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw invalidField([field], "Give an https or http address; ssh and local paths are not read.");
  if (url.username || url.password)
    throw invalidField([field], "Leave user and password out of the address. A token belongs into access.");
  if (url.search || url.hash) throw invalidField([field], "Leave ? and # out of the address.");
  return url;
}

/** A secret travels encrypted, or does not leave the machine. */
export const mayCarrySecrets = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || isLoopbackHost(hostname);
};
