/** A client of the HTTP API. It takes only types from the server's code. */
import type { ApiKey } from "../features/api-keys/index.ts";
import type { Automation, NamedRun, Run, RunDetail, RunEvent } from "../features/automations/index.ts";
import type { Member } from "../features/members/index.ts";
import type { Connection, Grants } from "../features/oauth-providers/index.ts";
import type { Template, TemplateSummary } from "../features/templates/index.ts";
import type { Me } from "../features/users/index.ts";
import { createHttp, type HttpOptions, type Query, type Request } from "./http.ts";
import { collect, type Page } from "./pages.ts";
import { watchRun } from "./watch.ts";

export { RefusedError, UnreachableError } from "./errors.ts";
export { isEnded } from "./watch.ts";
export type {
  ApiKey,
  Automation,
  Connection,
  Grants,
  Me,
  Member,
  NamedRun,
  Run,
  RunDetail,
  RunEvent,
  Template,
  TemplateSummary,
};

type Filter = Query & { limit?: number };
type SignInReply = { token: string } | { twoFactorToken: string };

export type Client = ReturnType<typeof createClient>;

export function createClient(options: HttpOptions) {
  const http = createHttp(options);
  const ask = async <Reply>(request: Request) => (await http.request(request)) as Reply;
  const get = <Reply>(path: string, query?: Query) => ask<Reply>({ path, ...(query ? { query } : {}) });
  const post = <Reply>(path: string, body?: unknown) => ask<Reply>({ method: "POST", path, body });
  const create = <Reply>(path: string, body?: unknown) =>
    ask<Reply>({ method: "POST", path, body, creates: true });
  const list = <Item>(path: string, { limit = 50, ...query }: Filter = {}) =>
    collect<Item>(limit, (page) => get<Page<Item>>(path, { ...query, ...page }));
  const at = (path: string, id: string, verb = "") =>
    `${path}/${encodeURIComponent(id)}${verb && `/${verb}`}`;

  const automations = "/v1/automations";
  const runs = "/v1/automation-runs";
  const connections = "/v1/oauth-connections";
  const automationVerb = (verb: string) => (id: string) =>
    post<{ automation: Automation }>(at(automations, id, verb));

  return {
    me: () => get<Me>("/v1/me"),
    auth: {
      signIn: (body: { email: string; password: string }) =>
        post<SignInReply>("/api/auth/sign-in/email", body),
      signInTwoFactor: (body: { twoFactorToken: string; code: string }) =>
        post<{ token: string }>("/api/auth/sign-in/two-factor", body),
      signOut: () => post("/api/auth/sign-out"),
      switchOrganization: (organizationId: string) => post("/v1/me/active-organization", { organizationId }),
    },
    apiKeys: {
      // Sent without an Idempotency-Key, because the server would have to store the API key to repeat the reply.
      create: (body: { name: string }) => post<{ apiKey: ApiKey; key: string }>("/v1/api-keys", body),
      remove: (id: string) => ask({ method: "DELETE", path: at("/v1/api-keys", id) }),
    },
    automations: {
      list: (filter?: Filter) => list<Automation>(automations, filter),
      read: (id: string) => get<{ automation: Automation }>(at(automations, id)),
      create: (body: unknown) => create<{ automation: Automation }>(automations, body),
      change: (id: string, body: unknown) =>
        ask<{ automation: Automation }>({ method: "PATCH", path: at(automations, id), body }),
      run: (id: string) => create<{ run: NamedRun }>(at(automations, id, "run")),
      activate: automationVerb("activate"),
      deactivate: automationVerb("deactivate"),
      archive: automationVerb("archive"),
    },
    runs: {
      list: (filter?: Filter) => list<NamedRun>(runs, filter),
      read: (id: string) => get<RunDetail>(at(runs, id)),
      /** Newest event first. */
      lastEvents: (id: string, limit: number) =>
        list<RunEvent>(at(runs, id, "events"), { limit, order: "desc" }),
      watch: (id: string) => watchRun(http, id, options.signal),
      cancel: (id: string) => post<{ run: NamedRun }>(at(runs, id, "cancel")),
      retry: (id: string) => create<{ run: NamedRun }>(at(runs, id, "retry")),
    },
    templates: {
      list: (filter?: Filter) => list<TemplateSummary>("/v1/templates", filter),
      read: (id: string) => get<{ template: Template }>(at("/v1/templates", id)),
    },
    connections: {
      list: (filter?: Filter) => list<Connection>(connections, filter),
      read: (id: string) => get<{ connection: Connection }>(at(connections, id)),
      grants: (id: string) => get<{ grants: Grants }>(at(connections, id, "grants")),
    },
    members: { list: (filter?: Filter) => list<Member>("/v1/members", filter) },
    teams: { list: (filter?: Filter) => list<{ id: string; name: string }>("/v1/teams", filter) },
  };
}
