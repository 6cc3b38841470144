import { randomBytes } from "node:crypto";
import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newIdAt } from "../../../platform/ids.ts";
import { hashArguments, normalizeListing, sealArguments, sealHeaders } from "../../mcp-connections/index.ts";
import type { Plan, PlannedServer, PlannedTool } from "../plan/index.ts";
import { insertRows } from "../store.ts";
import type { Ids } from "./ids.ts";
import { writeMcpAccounts } from "./mcp-accounts.ts";

const formatDate = (ms: number) => new Date(ms).toISOString();
const hourMs = 3600_000;

/** The real clock counts: no job may call a server of the demo while somebody looks at it. */
const inThirtyDays = () => formatDate(Date.now() + 30 * 24 * hourMs);

/** Writes saved MCP connections with everything that belongs to them. No server of them exists. */
export async function writeMcp(
  { keyring }: Pick<Platform, "keyring">,
  tx: Db,
  plan: Plan,
  ids: Ids,
): Promise<void> {
  const org = ids.organization;
  const { servers, approval, clients } = plan.mcp;
  await insertRows(
    tx,
    org,
    "mcp_connections",
    servers.map((server) => connectionRow(server, ids)),
  );
  await writeMcpAccounts(tx, servers, ids);
  await insertRows(
    tx,
    org,
    "mcp_connection_grants",
    servers.flatMap((server) => listGrants(server, ids)),
  );
  await insertRows(
    tx,
    org,
    "mcp_credentials",
    servers
      .filter(({ registration }) => registration === "bearer")
      .map(({ key, url, savedAt }) => {
        const id = newIdAt("mcc", savedAt);
        const headers = { authorization: `Bearer ${randomBytes(18).toString("hex")}` };
        return {
          ...{ id, connection_id: ids.mcpServer(key), member_id: null, updated_at: formatDate(savedAt) },
          secret: sealHeaders(keyring, { id, orgId: org, url }, headers),
        };
      }),
  );
  await insertRows(
    tx,
    org,
    "mcp_member_states",
    servers.flatMap(({ key, states }) =>
      states.map(({ member, state, missingScopes, reason }) => ({
        ...{ connection_id: ids.mcpServer(key), member_id: ids.member(member), state, reason },
        ...{ missing_scopes: missingScopes, since: formatDate(Date.now() - 5 * hourMs) },
        next_try_at: inThirtyDays(),
      })),
    ),
  );
  await insertRows(
    tx,
    org,
    "mcp_tools",
    servers.flatMap((server) => listTools(server, ids)),
  );
  await insertRows(
    tx,
    org,
    "mcp_client_grants",
    clients.map(({ member, clientId, name, registration, redirectHost, scopes, at }, place) => ({
      ...{ id: ids.mcpClients[place], member_id: ids.member(member), client_id: clientId, scopes },
      ...{ client_name: name, registration, redirect_host: redirectHost, created_at: formatDate(at) },
      ...{ expires_at: inThirtyDays(), last_used_at: formatDate(Date.now() - (place + 1) * 40 * 60_000) },
    })),
  );
  await writeCalls(tx, plan, ids);
  const { server, tool, member, at } = approval;
  const id = newIdAt("mca", at);
  const planned = servers.find(({ key }) => key === server)!.tools.find(({ name }) => name === tool)!;
  const text = JSON.stringify(approval.arguments);
  await insertRows(tx, org, "mcp_approvals", [
    {
      ...{ id, connection_id: ids.mcpServer(server), member_id: ids.member(member), run_id: null, tool },
      ...{ tool_hash: hashTool(planned).hash, arguments_hash: hashArguments(approval.arguments) },
      ...{ arguments: sealArguments(keyring, org, id, text), argument_bytes: Buffer.byteLength(text) },
      ...{ status: "pending", expires_at: inThirtyDays(), created_at: formatDate(at) },
    },
  ]);
}

function connectionRow(server: PlannedServer, ids: Ids) {
  const { key, tools, drift, failingSince, savedAt, approvedAt } = server;
  const id = ids.mcpServer(key);
  const checkedAt = formatDate(Date.now() - 4 * 60_000);
  return {
    ...{ id, name: server.name, slug: server.slug, url: server.url, credential: server.credential },
    ...{ registration: server.registration, provider_id: server.issuer && `mcp-${id.slice(4)}` },
    ...{ authorization_server: server.issuer, resource: server.issuer && server.url, scopes: server.scopes },
    ...{ enabled: server.enabled, verdict: server.verdict, evidence: [], discovered_at: formatDate(savedAt) },
    health: failingSince === null ? "ok" : "failing",
    health_step: failingSince === null ? null : "reach",
    health_code: failingSince === null ? null : "connect_timeout",
    health_message:
      failingSince === null
        ? null
        : `${new URL(server.url).host} does not answer. Check that the server runs and that this instance can reach it.`,
    health_since: formatDate(failingSince ?? approvedAt),
    ...{ checked_at: checkedAt, next_check_at: inThirtyDays(), protocol_version: "2025-11-25" },
    ...{ policy: server.policy, limits: {}, tool_count: tools.length, held_tools: drift.length },
    ...{ tools_at: checkedAt, baseline_at: formatDate(approvedAt), created_by: ids.member(server.savedBy) },
    ...{ created_at: formatDate(savedAt), updated_at: formatDate(savedAt) },
  };
}

function listGrants({ key, access, savedAt }: PlannedServer, ids: Ids) {
  const row = (subject: string, more: { team_id?: string; member_id?: string }) => ({
    ...{ connection_id: ids.mcpServer(key), subject_kind: subject, team_id: null, member_id: null },
    ...{ automation_id: null, created_at: formatDate(savedAt), ...more },
  });
  return [
    ...(access.organization ? [row("organization", {})] : []),
    ...access.teams.map((team) => row("team", { team_id: ids.team(team) })),
    ...access.members.map((member) => row("member", { member_id: ids.member(member) })),
  ];
}

/** The definition and hash as the service would store them. */
const hashTool = (tool: PlannedTool) => normalizeListing({ tools: [tool] }).tools.get(tool.name)!;

function listTools({ key, tools, drift, savedBy, savedAt, approvedAt, driftAt }: PlannedServer, ids: Ids) {
  return tools.map((tool) => {
    const change = drift.find(({ latest }) => latest.name === tool.name);
    const approved = hashTool(tool);
    const latest = change ? hashTool(change.latest) : approved;
    return {
      ...{ connection_id: ids.mcpServer(key), name: tool.name },
      ...{ approved: approved.definition, approved_hash: approved.hash },
      ...{ approved_by: ids.member(savedBy), approved_at: formatDate(approvedAt) },
      ...{ latest: latest.definition, latest_hash: latest.hash, drift: change?.kinds ?? [] },
      ...{ renamed_from: null, first_seen_at: formatDate(savedAt), seen_at: formatDate(Date.now()) },
      changed_at: formatDate((change && driftAt) ?? savedAt),
    };
  });
}

/** Calls by MCP clients, and by the token of somebody who connected none. */
async function writeCalls(tx: Db, { mcp }: Plan, ids: Ids): Promise<void> {
  let last = 0;
  const rows = mcp.calls.map((call) => {
    const place = mcp.clients.findIndex(({ member }) => member === call.member);
    const client = mcp.clients[place];
    // Ids sort by time, so each call needs its own millisecond.
    last = Math.max(call.at, last + 1);
    return {
      ...{ id: newIdAt("mcl", last), connection_id: ids.mcpServer(call.server), tool: call.tool },
      ...{ member_id: ids.member(call.member), credential: client ? "mcp_client" : "mcp" },
      credential_id: client ? ids.mcpClients[place] : ids.mcpToken,
      ...{ client: client?.name ?? call.client, outcome: call.outcome, code: call.code, ms: call.ms },
      ...{ request_bytes: call.requestBytes, result_bytes: call.resultBytes, run_id: null, attempt: null },
      created_at: formatDate(last),
    };
  });
  await insertRows(tx, ids.organization, "mcp_calls", rows);
}
