import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import type { Auth } from "./automations.ts";
import type { TestServer } from "./harness.ts";

/** A key as a provider would issue it. */
export const providerKey = "sk-test-0123456789abcdefghijklmnop-WXYZ";

export interface FakeReply {
  status?: number;
  headers?: Record<string, string>;
  /** Text is sent as it is, anything else as JSON. */
  body?: unknown;
  /** Never answers. */
  silent?: true;
}

export interface FakeProvider {
  url: string;
  requests: { method: string; path: string; headers: IncomingMessage["headers"] }[];
  /** Decides each reply. */
  answer: (path: string) => FakeReply;
}

/** A server on this machine that answers like an LLM provider. */
export function useFakeProvider(): FakeProvider {
  const fake: FakeProvider = { url: "", requests: [], answer: () => ({ body: { data: [] } }) };
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? "";
      fake.requests.push({ method: request.method ?? "", path, headers: request.headers });
      const { status = 200, headers = {}, body = "", silent } = fake.answer(path);
      if (silent) return;
      const isText = typeof body === "string";
      response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers });
      response.end(isText ? body : JSON.stringify(body));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return fake;
}

let made = 0;

export async function createProvider(server: TestServer, headers: Auth, body: Record<string, unknown> = {}) {
  const reply = await server.call("/v1/llm-providers", {
    body: { kind: "anthropic", name: `Provider ${++made}`, apiKey: providerKey, ...body },
    headers,
  });
  if (reply.status !== 201)
    throw new Error(`LLM provider failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.llmProvider;
}

export const setAccess = (server: TestServer, headers: Auth, id: string, body: object) =>
  server.call(`/v1/llm-providers/${id}/access`, { method: "PUT", body, headers });

export const getCredential = (server: TestServer, headers: Auth, id: string, query = "") =>
  server.call(`/v1/llm-providers/${id}/credential${query}`, { headers });

export async function createBudget(server: TestServer, headers: Auth, body: Record<string, unknown>) {
  const reply = await server.call("/v1/llm-budgets", {
    body: { subject: { kind: "organization" }, period: "month", ...body },
    headers,
  });
  if (reply.status !== 201) throw new Error(`budget failed: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.budget;
}

export const readBudget = async (server: TestServer, headers: Auth, id: string) =>
  (await server.call(`/v1/llm-budgets/${id}`, { headers })).body.budget;
