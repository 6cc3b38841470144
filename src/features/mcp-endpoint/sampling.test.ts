import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type SamplingServer,
  samplingQuestion,
  startSamplingModernServer,
  startSamplingSessionServer,
} from "../../../test/fixtures/mcp-servers/sampling.ts";
import { createMcpToken, createWorkspace, useServer, type Workspace } from "../../../test/harness.ts";
import {
  type ClientKind,
  clientKinds,
  connectClient,
  type SampledMessage,
} from "../../../test/mcp-clients.ts";
import { listNow } from "../../../test/mcp-tools.ts";

const server = useServer();
const eras = ["sessions", "modern"] as const;
let acme: Workspace;
let upstreams: Record<(typeof eras)[number], SamplingServer>;
beforeAll(async () => {
  acme = await createWorkspace(server);
  upstreams = { sessions: await startSamplingSessionServer(), modern: await startSamplingModernServer() };
});
afterAll(async () => {
  await Promise.all(Object.values(upstreams).map(({ close }) => close()));
});

const summary: SampledMessage = {
  model: "model-of-the-client",
  role: "assistant",
  content: { type: "text", text: "It is about a printer." },
};

/** Sampling is offered by a server of each generation, and asked for by each official client. */
describe.each(eras.flatMap((era) => clientKinds.map((kind) => [era, kind] as const)))(
  "a server with %s that asks the model of the client, %s",
  (era, kind: ClientKind) => {
    let name: string;
    let token: string;
    beforeEach(async () => {
      const upstream = upstreams[era];
      upstream.answers.length = 0;
      const { body } = await server.call("/v1/mcp-connections", {
        body: {
          ...{ url: upstream.url, credential: "shared", registration: "none" },
          access: { organization: true },
        },
        headers: acme.owner.auth,
      });
      await listNow(server, acme.orgId, body.connection.id);
      name = `${body.connection.slug}__summarize`;
      ({ token } = await createMcpToken(server, acme.owner, { scopes: ["mcp:read", "mcp:write"] }));
    });

    test("gets its answer, and the client gets the question as it was sent", async () => {
      const asked: unknown[] = [];
      const client = await connectClient(kind, `${server.url}/mcp`, token, {
        onSample: (params) => {
          asked.push(params);
          return summary;
        },
      });
      const { isError, content } = await client.callTool(name);
      expect(isError).toBeFalsy();
      expect(asked).toMatchObject([samplingQuestion]);
      expect(upstreams[era].answers).toMatchObject([summary]);
      expect(JSON.parse(content[0]!.text!)).toMatchObject(summary);
    });

    test("is told when the client has no model, and the client is not asked", async () => {
      const client = await connectClient(kind, `${server.url}/mcp`, token, {
        onElicit: () => ({ action: "decline" }),
      });
      const { isError, content } = await client.callTool(name);
      expect(isError).toBe(true);
      expect(content[0]!.text).toMatch(/sampling/i);
    });

    test("is told when the model of the client fails", async () => {
      const client = await connectClient(kind, `${server.url}/mcp`, token, {
        onSample: () => Promise.reject(new Error("The person declined.")),
      });
      // More often than a server may fail before it is paused for all callers.
      for (let i = 0; i < 6; i++) {
        const outcome = await client.callTool(name).catch((error: Error) => error);
        const said = JSON.stringify(outcome instanceof Error ? outcome.message : outcome.content);
        expect(outcome instanceof Error || outcome.isError).toBe(true);
        expect(said).toContain("The person declined.");
      }
    });
  },
);
