/** The official MCP clients, as one: the old one, and the new one in both eras. */
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

export const clientKinds = ["old", "legacy", "modern"] as const;
export type ClientKind = (typeof clientKinds)[number];

export interface ToolResult {
  content: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

export interface CallSettings {
  signal?: AbortSignal;
  onprogress?(progress: { progress: number; total?: number; message?: string }): void;
  timeout?: number;
}

export interface McpClient {
  kind: ClientKind;
  listTools(cursor?: string): Promise<{
    tools: { name: string; description?: string; annotations?: Record<string, unknown> }[];
    nextCursor?: string;
  }>;
  callTool(name: string, args?: Record<string, unknown>, settings?: CallSettings): Promise<ToolResult>;
  close(): Promise<void>;
  raw: OldClient | NewClient;
}

export interface ClientOptions {
  /** Called for each request of the server to the client. */
  onElicit?(params: unknown): { action: "accept" | "decline"; content?: Record<string, string> };
  /** The model of the client. */
  onSample?(params: unknown): SampledMessage | Promise<SampledMessage>;
  /** Sends the requests, for example to different replicas. */
  fetch?(url: string | URL, init?: RequestInit): Promise<Response>;
}

export interface SampledMessage {
  model: string;
  role: "assistant";
  content: { type: "text"; text: string };
}

/** Connects a client and closes it after the test. */
export async function connectClient(
  kind: ClientKind,
  url: string,
  token: string,
  { onElicit, onSample, fetch }: ClientOptions = {},
): Promise<McpClient> {
  const settings = {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    ...(fetch ? { fetch } : {}),
  };
  const info = { name: `test-${kind}`, version: "1.0.0" };
  const capabilities = {
    ...(onElicit ? { elicitation: {} } : {}),
    ...(onSample ? { sampling: {} } : {}),
  };
  const client =
    kind === "old"
      ? new OldClient(info, { capabilities })
      : new NewClient(info, {
          capabilities,
          versionNegotiation: { mode: kind === "legacy" ? "legacy" : { pin: "2026-07-28" } },
        });
  if (client instanceof OldClient) {
    const { CreateMessageRequestSchema, ElicitRequestSchema } = await import(
      "@modelcontextprotocol/sdk/types.js"
    );
    if (onElicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => onElicit(params));
    if (onSample)
      client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => ({
        ...(await onSample(params)),
      }));
    // The type of the transport differs from the client's own interface in an optional field only.
    await client.connect(new OldTransport(new URL(url), settings) as Parameters<OldClient["connect"]>[0]);
  } else {
    if (onElicit) client.setRequestHandler("elicitation/create", ({ params }) => onElicit(params));
    if (onSample)
      client.setRequestHandler("sampling/createMessage", async ({ params }) => ({
        ...(await onSample(params)),
      }));
    await client.connect(new NewTransport(new URL(url), settings));
  }
  onTestFinished(() => client.close());
  return {
    kind,
    raw: client,
    listTools: async (cursor) => client.listTools(cursor === undefined ? undefined : { cursor }) as never,
    callTool: async (name, args = {}, settings = {}) =>
      (client instanceof OldClient
        ? await client.callTool({ name, arguments: args }, undefined, settings)
        : await client.callTool({ name, arguments: args }, settings)) as ToolResult,
    close: () => client.close(),
  };
}

/** Sends JSON-RPC as it is, without a client. */
export async function postMcp(
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
