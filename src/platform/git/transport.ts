// Imports only the error: worker threads load this module too, and need no other part of egress.

import type { Egress, EgressStream } from "@signalbox/discovery/egress";
import { EgressError } from "@signalbox/discovery/egress/errors";
import { GitError } from "./errors.ts";
import type { GitLimits } from "./limits.ts";

/** A repository behind HTTP, and how requests to it are made. */
export interface Remote {
  egress: Pick<Egress, "open">;
  /** Without a slash at its end. */
  url: string;
  /** The value of the header, if one is sent. */
  authorization: string | undefined;
  signal: AbortSignal | undefined;
  limits: GitLimits;
}

const advertisementMs = 20_000;
const service = "git-upload-pack";

/** What the server can do; and the remote as it is to be asked from here on, when it has moved. */
export async function fetchAdvertisement(remote: Remote): Promise<{ remote: Remote; reply: EgressStream }> {
  const path = `/info/refs?service=${service}`;
  const reply = await exchange(remote, path, {
    // The second version is asked for; a server that does not know it does not look.
    headers: { "git-protocol": "version=2" },
    maxBytes: remote.limits.advertisementBytes,
    timeoutMs: Math.min(advertisementMs, remote.limits.timeoutMs),
  });
  expectType(reply, `application/x-${service}-advertisement`);
  if (reply.redirectedFrom.length === 0) return { remote, reply };
  const url = reply.url.endsWith(path) && reply.url.slice(0, -path.length);
  if (!url) {
    reply.close();
    throw new GitError("unsupported", `${getHost(remote.url)} redirects to something that is no repository.`);
  }
  // The credential of one server is not sent to another one.
  const same = new URL(url).origin === new URL(remote.url).origin;
  return { remote: { ...remote, url, authorization: same ? remote.authorization : undefined }, reply };
}

export async function postToService(
  remote: Remote,
  body: Buffer,
  { maxBytes, version }: { maxBytes: number; version: 0 | 2 },
): Promise<EgressStream> {
  const reply = await exchange(remote, `/${service}`, {
    method: "POST",
    headers: {
      "content-type": `application/x-${service}-request`,
      accept: `application/x-${service}-result`,
      ...(version === 2 ? { "git-protocol": "version=2" } : {}),
    },
    body,
    maxBytes,
    timeoutMs: remote.limits.timeoutMs,
    redirects: 0,
  });
  expectType(reply, `application/x-${service}-result`);
  return reply;
}

async function exchange(
  { egress, url, authorization, signal }: Remote,
  path: string,
  request: NonNullable<Parameters<Egress["open"]>[1]>,
): Promise<EgressStream> {
  const headers = { ...request.headers, ...(authorization === undefined ? {} : { authorization }) };
  const reply = await translateErrors(
    egress.open(url + path, { ...request, headers, ...(signal ? { signal } : {}) }),
  );
  if (reply.status !== 200) {
    reply.close();
    throw toRefusalError(reply, url, authorization !== undefined);
  }
  return { ...reply, chunks: translateChunkErrors(reply.chunks) };
}

async function* translateChunkErrors(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw toGitError(error);
  }
}

async function translateErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toGitError(error);
  }
}

function toGitError(error: unknown): unknown {
  if (!(error instanceof EgressError) || error.kind === "aborted") return error;
  switch (error.kind) {
    case "refused_by_policy":
    case "invalid_url":
    case "redirect_refused":
    case "too_many_redirects":
      return new GitError("refused", error.message);
    case "too_large":
      return new GitError("too_large", error.message);
    case "protocol_error":
    case "bad_encoding":
      return new GitError("protocol", error.message);
    default:
      return new GitError("unreachable", error.message);
  }
}

const getHost = (url: string) => new URL(url).host;

function toRefusalError({ status, headers }: EgressStream, url: string, known: boolean): GitError {
  const host = getHost(url);
  if (status === 429 || (status === 403 && headers["x-ratelimit-remaining"]?.[0] === "0"))
    return new GitError("rate_limited", `${host} asks to be called less often (${status}).`);
  if (status === 401 || status === 403 || status === 407) {
    return new GitError(
      "access_refused",
      known
        ? `${host} does not accept the token or key (${status}): it is wrong, has expired, or may not read this repository.`
        : `${host} wants a sign-in (${status}): the repository is private, or there is none of that name.`,
    );
  }
  if (status === 404 || status === 410) {
    return new GitError(
      "not_found",
      `${host} does not find the repository (${status}): it was deleted or renamed, or this access may not see it.`,
    );
  }
  if (status >= 500) return new GitError("server_error", `${host} has trouble of its own (${status}).`);
  if (status >= 300 && status < 400)
    return new GitError("refused", `${host} redirected where none is followed (${status}).`);
  return new GitError("protocol", `${host} answered ${status}, which git does not know.`);
}

function expectType(reply: EgressStream, wanted: string): void {
  const type = reply.headers["content-type"]?.[0]?.split(";")[0]?.trim().toLowerCase();
  if (type === wanted) return;
  reply.close();
  throw new GitError(
    "unsupported",
    `${getHost(reply.url)} has no git repository at this address, or only in the old form of plain files.`,
  );
}
