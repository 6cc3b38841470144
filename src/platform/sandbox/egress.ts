/**
 * Egress for a task in a worker thread. The guard, the sockets and the credentials stay in the main thread; the task
 * receives only the bytes of the reply, one chunk at a time on demand.
 */
import type { Egress, EgressErrorKind, EgressRequest, EgressStream } from "@signalbox/discovery/egress";
import { EgressError } from "@signalbox/discovery/egress/errors";
import type { Host, Service } from "./index.ts";

interface RemoteRequest {
  url: string;
  options: Omit<EgressRequest, "signal">;
}
type Item =
  | { type: "head"; head: Omit<EgressStream, "chunks" | "close"> }
  | { type: "chunk"; bytes: Uint8Array }
  | { type: "error"; kind: EgressErrorKind; message: string };

const service = "egress";

/** Placeholder for a credential that the thread does not receive. */
export const credentialPlaceholder = "held back by the process";

/** A credential for the server of one origin. */
export interface BoundCredential {
  origin: string;
  authorization: string;
}

/**
 * Serves the requests of a task in the main thread. It replaces the placeholder header by the credential, and only
 * for the credential's own server: the task works on untrusted bytes and might be taken over.
 */
export const createEgressService = (
  egress: Pick<Egress, "open">,
  credential?: BoundCredential,
): Record<typeof service, Service> => ({
  [service]: async function* (input, signal): AsyncGenerator<Item> {
    const { url, options } = input as RemoteRequest;
    const headers = { ...options.headers };
    if (headers.authorization === credentialPlaceholder) {
      if (credential && URL.parse(url)?.origin === credential.origin)
        headers.authorization = credential.authorization;
      else delete headers.authorization;
    }
    let reply: EgressStream | undefined;
    try {
      reply = await egress.open(url, { ...options, headers, signal });
      const { url: answered, status, headers: received, redirectedFrom } = reply;
      yield { type: "head", head: { url: answered, status, headers: { ...received }, redirectedFrom } };
      // A chunk is often a view of a larger buffer, and all of that buffer would be sent.
      for await (const chunk of reply.chunks) yield { type: "chunk", bytes: new Uint8Array(chunk) };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      yield { type: "error", kind: error.kind, message: error.message };
    } finally {
      reply?.close();
    }
  },
});

/** Sends the requests of a task from its thread to the main thread. */
export const createThreadEgress = (host: Pick<Host, "open">): Pick<Egress, "open"> => ({
  async open(url, { signal: _, ...options } = {}) {
    const request: RemoteRequest = { url: String(url), options };
    const items = (host.open(service, request) as AsyncIterable<Item>)[Symbol.asyncIterator]();
    const next = async (): Promise<Exclude<Item, { type: "error" }> | undefined> => {
      const { done, value } = await items.next();
      if (done) return undefined;
      if (value.type === "error") throw new EgressError(value.kind, value.message);
      return value;
    };
    const first = await next();
    if (first?.type !== "head") throw new EgressError("protocol_error", "The reply has no head.");
    async function* chunks() {
      for (let item = await next(); item?.type === "chunk"; item = await next()) yield item.bytes;
    }
    return { ...first.head, chunks: chunks(), close: () => void items.return?.() };
  },
});
