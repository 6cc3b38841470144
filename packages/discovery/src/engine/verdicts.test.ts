import { describe, expect, test } from "vitest";
import { Discovery } from "../../../../src/features/mcp-connections/discovery/contract.ts";
import {
  type Behaviour,
  buildVerdict,
  reduceFindingsToCodes,
} from "../../../../test/fixtures/mcp-hostile/behaviour.ts";
import { BEHAVIOURS } from "../../../../test/fixtures/mcp-hostile/index.ts";
import { type HostileServer, startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import { createEgress } from "../egress/index.ts";
import { discover as discoverServer } from "../index.ts";

const egress = createEgress({ allow: [], allowLoopback: true });

const redirectUri = (id: string) => `http://127.0.0.1:8787/v1/oauth-providers/${id}/connect/callback`;

async function examine(
  behaviour: Behaviour,
): Promise<{ server: HostileServer; url: string; result: Discovery }> {
  const server = await startHostileServer(behaviour.serve);
  const url = `${server.base}${behaviour.path ?? "/mcp"}`;
  try {
    const limits = behaviour.deadlineMs ? { deadlineMs: behaviour.deadlineMs } : {};
    const { result, closed } = await discoverServer(url, { egress, redirectUri, limits });
    await closed;
    return { server, url, result };
  } finally {
    await server.close();
  }
}

const QUESTIONS = ["server/discover", "initialize", "notifications/initialized", "tools/list"];
/** Everything that is ever sent: no credential, no cookie, no origin. */
const HEADERS = [
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "mcp-method",
  "mcp-protocol-version",
  "mcp-session-id",
  "user-agent",
];

/** Nothing but questions: no tool called, no endpoint of a sign-in touched, no session left behind. */
function expectNoSideEffects({ received, sessions }: HostileServer) {
  for (const { method, path, rpc, headers, body } of received) {
    expect(["GET", "POST", "DELETE"]).toContain(method);
    expect(path).not.toMatch(/\/(authorize|token|register|userinfo|revoke|introspect)\b/);
    expect(Object.keys(headers).filter((name) => !HEADERS.includes(name))).toEqual([]);
    if (method === "POST") expect(QUESTIONS).toContain(rpc);
    else expect(body).toBe("");
  }
  const closed = received.filter(({ method }) => method === "DELETE");
  expect(new Set(closed.map(({ headers }) => headers["mcp-session-id"]))).toEqual(sessions);
  expect(received.length).toBeLessThanOrEqual(22);
}

describe.concurrent("the verdict on a server", () => {
  test.each(BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const))(
    "%s",
    async (_, behaviour) => {
      const { server, url, result } = await examine(behaviour);
      expect(reduceFindingsToCodes(result)).toEqual(buildVerdict(behaviour.expect(server.base), url));
      expect(Discovery.parse(result)).toEqual(result);
      expectNoSideEffects(server);
    },
  );
});
