import type { Plan } from "../plan/index.ts";
import type { Ids } from "./ids.ts";
import { createPastChange, type PastChange } from "./past-change.ts";

/** Who saved which MCP connection, and who switched one off. */
export function listMcpChanges({ mcp }: Plan, ids: Ids): PastChange[] {
  return mcp.servers.flatMap((server) => {
    const { key, name, slug, url, registration, scopes, credential, issuer, savedBy, savedAt } = server;
    const about = { type: "mcp_connection", id: ids.mcpServer(key) };
    const { organization, teams, members } = server.access;
    const access = {
      ...{ organization, teamIds: teams.map(ids.team), memberIds: members.map(ids.member) },
      automationIds: [],
    };
    return [
      createPastChange(savedAt, savedBy, "mcp_connection.saved", about, {
        ...{ name, slug, url, registration, scopes, access, credential, authorizationServer: issuer },
        headers: registration === "bearer" ? ["authorization"] : [],
      }),
      ...(server.enabled
        ? []
        : [
            createPastChange(
              savedAt + 5 * 24 * 3600_000,
              savedBy,
              "mcp_connection.changed",
              about,
              { enabled: false },
              { enabled: true },
            ),
          ]),
    ];
  });
}
