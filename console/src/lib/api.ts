import {
  createClient,
  createHttp,
  type Input,
  type Operation,
  RefusedError,
  type Reply,
  RequestError,
  type Streams,
} from "@signalbox/client";
import type { Identity, IdentityReason } from "./identity.ts";

export type StreamInput<Name extends keyof Streams> = Streams[Name]["input"];
export type { Input, Item, ListOperation, Operation, Reply } from "@signalbox/client";
export { RefusedError, RequestError };

export interface CallOptions {
  /** The organization that the request acts on. Without it, the session decides. */
  organizationId?: string | undefined;
  signal?: AbortSignal | undefined;
  /** False: a 401 is thrown instead of asking the person to sign in. */
  asks?: boolean;
}

export type Api = ReturnType<typeof createApi>;

/** Calls the API of the server that sent this page. The browser adds the session cookie. */
export function createApi(origin: string, identity: Identity) {
  const client = createClient({ url: origin, userAgent: undefined });
  const http = createHttp({ url: origin });
  const createHeaders = (organizationId: string | undefined): Record<string, string> =>
    organizationId === undefined ? {} : { "x-organization-id": organizationId };

  async function request<Name extends Operation>(
    name: Name,
    input: Input<Name>,
    { organizationId, signal, asks = true }: CallOptions = {},
  ): Promise<Reply<Name>> {
    const send = client.request as (name: Name, input: object) => Promise<Reply<Name>>;
    const call = () =>
      send(name, { ...input, headers: createHeaders(organizationId), ...(signal ? { signal } : {}) });
    try {
      return await call();
    } catch (error) {
      const reason = asks ? findReason(error) : undefined;
      const isBackground = name.startsWith("GET ");
      // What the person entered stays on the page. The same request is sent once more after the proof.
      if (reason === undefined || !(await identity.ask(reason, { organizationId, isBackground })))
        throw error;
      return await call();
    }
  }

  /** Follows a run to its end. Each event is yielded once and in order. */
  const watchRun = (id: string, { organizationId, signal }: Omit<CallOptions, "asks"> = {}) =>
    client.runs.watch(id, { headers: createHeaders(organizationId), signal });

  /** Sends a request whose reply is a stream of messages, and yields their names and values. */
  async function* stream<Name extends "POST /v1/mcp-discoveries" | "POST /v1/mcp-connections/import">(
    name: Name,
    input: StreamInput<Name>,
    { organizationId, signal }: CallOptions = {},
  ): AsyncGenerator<{ event: string; data: unknown }> {
    const send = client.stream as (name: Name, input: object) => ReturnType<typeof client.stream>;
    const open = () =>
      send(name, { ...input, headers: createHeaders(organizationId), ...(signal ? { signal } : {}) });
    let isBegun = false;
    for (;;) {
      try {
        for await (const update of open()) {
          isBegun = true;
          if (update.type === "message")
            yield { event: update.message.event, data: JSON.parse(update.message.data) };
        }
        return;
      } catch (error) {
        const reason = isBegun ? undefined : findReason(error);
        if (reason === undefined || !(await identity.ask(reason))) throw error;
      }
    }
  }

  /** Reads a file, such as an export. */
  async function download(
    path: string,
    query: Record<string, string | undefined>,
    { organizationId }: CallOptions = {},
  ): Promise<Blob> {
    const read = async () => {
      const response = await http.open({ path, query, headers: createHeaders(organizationId) });
      return response.blob();
    };
    try {
      return await read();
    } catch (error) {
      const reason = findReason(error);
      if (reason === undefined || !(await identity.ask(reason))) throw error;
      return read();
    }
  }

  return { request, stream, watchRun, download, client, createHeaders };
}

/** Why the server wants a proof of identity before it executes a request. Undefined when it does not. */
function findReason(error: unknown): IdentityReason | undefined {
  if (!(error instanceof RefusedError)) return undefined;
  if (error.status === 401) return "signed_out";
  const { reason } = error.body;
  if (error.code !== "reauth") return undefined;
  return reason === "session_too_old" || reason === "sso_required" ? reason : undefined;
}

/** Whether the error says that the caller lacks a permission. */
export const isForbidden = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && error.status === 403;

/** The permission that a refusal names. The API writes it into the message. */
export const findPermission = ({ body }: RefusedError): string | undefined =>
  body.reason === "missing_permission" ? /\b[a-z_]+:[a-z_]+\b/.exec(String(body.message))?.[0] : undefined;

export const isNotFound = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && error.status === 404;

/** The messages of a refused body, by the path of their field. */
export function readFieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof RefusedError) || !Array.isArray(error.body.details)) return {};
  const entries = error.body.details.map((detail: { path?: unknown; message?: unknown }) => [
    Array.isArray(detail.path) ? detail.path.join(".") : "",
    String(detail.message ?? ""),
  ]);
  return Object.fromEntries(entries);
}
