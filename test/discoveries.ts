import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import type { TestServer } from "./harness.ts";

/** Inserts a kept verdict, as a discovery of a server that needs nothing leaves it. */
export async function seedDiscovery(server: TestServer, orgId: string): Promise<string> {
  const id = newId("mcd");
  const url = "https://mcp.example.com/mcp";
  const result = {
    status: "ready",
    server: { url, initialize: "succeeded" },
    authentication: {
      ...{ kind: "none", authorizationServers: [], requiredScopes: [], recommendedScopes: [] },
      ...{ refreshSupport: "unknown", availableRegistrationMethods: ["pre_registered"] },
      recommendedRegistrationMethod: "pre_registered",
    },
    tools: { visibility: "available_without_auth" },
    ...{ manualRequirements: [], warnings: [] },
  };
  await server.platform.db.run(sql`
    insert into mcp_discoveries (id, org_id, url, status, result, evidence, duration_ms)
    values (${id}, ${orgId}, ${url}, 'ready', ${JSON.stringify(result)}::text::jsonb, '[]', 12)`);
  return id;
}
