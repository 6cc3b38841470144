import { createHttp, type HttpOptions, type Query } from "./http.ts";
import {
  type Body,
  createOperationCalls,
  type Input,
  type Item,
  type ListOperation,
  type OperationCalls,
} from "./operations.ts";
import { collectPages, type Page } from "./pages.ts";
import { type WatchOptions, watchRun } from "./watch-run.ts";

export type Client = ReturnType<typeof createClient>;

/** Filters of a list, and how many items to read. The server checks the values. */
export type Filter = Query & { limit?: number };

export function createClient(options: HttpOptions) {
  const http = createHttp({ userAgent: "signalbox-client", ...options });
  const calls = createOperationCalls(http);
  const { request } = calls;
  const list =
    <Name extends ListOperation>(name: Name) =>
    ({ limit = 50, ...query }: Filter = {}): Promise<Page<Item<Name>>> =>
      collectPages(limit, (page) => readPage(calls, name, { ...query, ...page }));

  return {
    ...calls,
    me: () => request("GET /v1/me"),
    auth: {
      signIn: (body: Body<"POST /api/auth/sign-in/email">) =>
        request("POST /api/auth/sign-in/email", { body }),
      signInTwoFactor: (body: Body<"POST /api/auth/sign-in/two-factor">) =>
        request("POST /api/auth/sign-in/two-factor", { body }),
      signOut: () => request("POST /api/auth/sign-out"),
      switchOrganization: (organizationId: string) =>
        request("POST /v1/me/active-organization", { body: { organizationId } }),
    },
    apiKeys: {
      // Sent without an Idempotency-Key, because the server would have to store the API key to repeat the reply.
      create: (body: Body<"POST /v1/api-keys">) =>
        request("POST /v1/api-keys", { body, idempotencyKey: false }),
      remove: (id: string) => request("DELETE /v1/api-keys/{id}", { path: { id } }),
    },
    automations: {
      list: list("GET /v1/automations"),
      read: (id: string) => request("GET /v1/automations/{id}", { path: { id } }),
      create: (body: Body<"POST /v1/automations">) => request("POST /v1/automations", { body }),
      change: (id: string, body: Body<"PATCH /v1/automations/{id}">) =>
        request("PATCH /v1/automations/{id}", { path: { id }, body }),
      run: (id: string) => request("POST /v1/automations/{id}/run", { path: { id } }),
      activate: (id: string) => request("POST /v1/automations/{id}/activate", { path: { id } }),
      deactivate: (id: string) => request("POST /v1/automations/{id}/deactivate", { path: { id } }),
      archive: (id: string) => request("POST /v1/automations/{id}/archive", { path: { id } }),
    },
    runs: {
      list: list("GET /v1/automation-runs"),
      read: (id: string) => request("GET /v1/automation-runs/{id}", { path: { id } }),
      /** Newest event first. */
      lastEvents: (id: string, limit: number) =>
        collectPages(limit, (page) =>
          request("GET /v1/automation-runs/{id}/events", { path: { id }, query: { order: "desc", ...page } }),
        ),
      watch: (id: string, options?: WatchOptions) => watchRun(http, id, options),
      cancel: (id: string) => request("POST /v1/automation-runs/{id}/cancel", { path: { id } }),
      retry: (id: string) => request("POST /v1/automation-runs/{id}/retry", { path: { id } }),
    },
    templates: {
      list: list("GET /v1/templates"),
      read: (id: string) => request("GET /v1/templates/{id}", { path: { id } }),
    },
    connections: {
      list: list("GET /v1/oauth-connections"),
      read: (id: string) => request("GET /v1/oauth-connections/{id}", { path: { id } }),
      grants: (id: string) => request("GET /v1/oauth-connections/{id}/grants", { path: { id } }),
    },
    mcpConnections: {
      list: list("GET /v1/mcp-connections"),
      read: (id: string) => request("GET /v1/mcp-connections/{id}", { path: { id } }),
      // Sent without an Idempotency-Key, because the body can have a secret.
      create: (body: Body<"POST /v1/mcp-connections">) =>
        request("POST /v1/mcp-connections", { body, idempotencyKey: false }),
      remove: (id: string) => request("DELETE /v1/mcp-connections/{id}", { path: { id } }),
      test: (id: string) => request("POST /v1/mcp-connections/{id}/test", { path: { id } }),
      startConnect: (id: string) => request("GET /v1/mcp-connections/{id}/connect/start", { path: { id } }),
      claim: (id: string, code: string) =>
        request("POST /v1/mcp-connections/{id}/connect/claim", { path: { id }, body: { code } }),
      disconnect: (id: string) => request("POST /v1/mcp-connections/{id}/disconnect", { path: { id } }),
      tools: (id: string, limit = 50) =>
        collectPages(limit, (query) =>
          request("GET /v1/mcp-connections/{id}/tools", { path: { id }, query }),
        ),
      /** One page of differences, with the revision that approves them. */
      drift: (id: string) =>
        request("GET /v1/mcp-connections/{id}/drift", { path: { id }, query: { limit: 100 } }),
      approve: (id: string, body: Body<"POST /v1/mcp-connections/{id}/drift/approve">) =>
        request("POST /v1/mcp-connections/{id}/drift/approve", { path: { id }, body }),
      calls: list("GET /v1/mcp-calls"),
      previewImport: (body: Body<"POST /v1/mcp-connections/import/preview">) =>
        request("POST /v1/mcp-connections/import/preview", { body }),
      exportConfiguration: (query: Input<"GET /v1/mcp-connections/export">["query"]) =>
        request("GET /v1/mcp-connections/export", { query }),
    },
    llmProviders: {
      list: list("GET /v1/llm-providers"),
      // Sent without an Idempotency-Key, because the body has a secret.
      create: (body: Body<"POST /v1/llm-providers">) =>
        request("POST /v1/llm-providers", { body, idempotencyKey: false }),
      addKey: (id: string, body: Body<"POST /v1/llm-providers/{id}/keys">) =>
        request("POST /v1/llm-providers/{id}/keys", { path: { id }, body, idempotencyKey: false }),
      test: (id: string, body: Body<"POST /v1/llm-providers/{id}/test">) =>
        request("POST /v1/llm-providers/{id}/test", { path: { id }, body }),
    },
    llmPrices: {
      list: list("GET /v1/llm-prices"),
      set: (body: Body<"PUT /v1/llm-prices">) => request("PUT /v1/llm-prices", { body }),
    },
    llmBudgets: {
      list: list("GET /v1/llm-budgets"),
      create: (body: Body<"POST /v1/llm-budgets">) => request("POST /v1/llm-budgets", { body }),
      change: (id: string, body: Body<"PATCH /v1/llm-budgets/{id}">) =>
        request("PATCH /v1/llm-budgets/{id}", { path: { id }, body }),
    },
    /** Needs a session of somebody who administers the instance. */
    admin: {
      overview: (days: number) => request("GET /v1/admin/overview", { query: { days } }),
      organizations: list("GET /v1/admin/organizations"),
      organization: (id: string) => request("GET /v1/admin/organizations/{id}", { path: { id } }),
      suspend: (id: string, reason: string) =>
        request("POST /v1/admin/organizations/{id}/suspend", { path: { id }, body: { reason } }),
      restore: (id: string) => request("POST /v1/admin/organizations/{id}/restore", { path: { id } }),
      setLimits: (id: string, limits: Record<string, number>) =>
        request("PUT /v1/admin/organizations/{id}/limits", { path: { id }, body: { limits } }),
    },
    members: { list: list("GET /v1/members") },
    teams: { list: list("GET /v1/teams") },
  };
}

/** Reads a page with filters that were not checked against the types of the operation. */
async function readPage<Name extends ListOperation>(
  { request }: OperationCalls,
  name: Name,
  query: Query,
): Promise<Page<Item<Name>>> {
  const ask = request as (name: Name, input: { query: Query }) => Promise<unknown>;
  return (await ask(name, { query })) as Page<Item<Name>>;
}
