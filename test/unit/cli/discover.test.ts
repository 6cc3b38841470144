import { expect, test } from "vitest";
import { discover } from "../../../src/commands/discover.ts";
import type { Io } from "../../../src/commands/io.ts";
import { readConfig } from "../../../src/platform/config.ts";
import { oauth, serverMetadata } from "../../fixtures/mcp-hostile/parts.ts";
import { startHostileServer } from "../../fixtures/mcp-hostile/server.ts";

test.each([
  [{}, "http://127.0.0.1:8787/v1/oauth-providers/"],
  [{ PORT: "9000" }, "http://127.0.0.1:9000/v1/oauth-providers/"],
  [{ PUBLIC_URL: "https://signalbox.example/" }, "https://signalbox.example/v1/oauth-providers/"],
])(
  "signalbox discover with %j advises the redirect URI of this instance",
  async (environment, redirectUri) => {
    const server = await startHostileServer(
      oauth({ server: (base) => serverMetadata(base, { registration_endpoint: undefined }) }),
    );
    const out: string[] = [];
    const io = {
      out: (line: string) => void out.push(line),
      err: (line: string) => void out.push(line),
      config: () => readConfig(environment),
    } as Io;
    expect(await discover([`${server.base}/mcp`, "--json"], io)).toBe(2);
    expect(JSON.parse(out.join("\n")).manualRequirements[0].reason).toContain(redirectUri);
    await server.close();
  },
);
