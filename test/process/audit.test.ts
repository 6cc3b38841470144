import { afterAll, describe, expect, test } from "vitest";
import { ada, cleanUp, freshFolder, serve, signalbox } from "./kit.ts";

afterAll(cleanUp);

describe("signalbox audit verify", () => {
  test("finds the log whole, beside the running server and without it, and says what was noted differs", async () => {
    const folder = freshFolder();
    const server = await serve(folder);
    const { token } = (await server.call("/api/auth/sign-up/email", { body: ada })).body;
    const headers = { authorization: `Bearer ${token}` };
    await server.call("/v1/organizations", { body: { name: "Acme" }, headers });
    const beside = await signalbox(["audit", "verify"], folder);
    expect(beside.stdout).toMatch(/^✓ org_\w+: 1 entries, up to org_\w+:1:[0-9a-f]{64}\n$/m);
    expect(beside.code).toBe(0);
    await server.end("SIGTERM");
    const json = await signalbox(["audit", "verify", "--json"], folder);
    const { scope, sequence, hash, faults } = JSON.parse(json.stdout.trim().split("\n").at(-1)!);
    expect(faults).toEqual([]);
    const noted = await signalbox(["audit", "verify", "--expect", `${scope}:${sequence}:${hash}`], folder);
    expect(noted.code).toBe(0);
    const other = `${scope}:${sequence}:${"0".repeat(64)}`;
    const differs = await signalbox(["audit", "verify", "--expect", other], folder);
    expect(differs).toMatchObject({ code: 1, stdout: expect.stringContaining("not the one that was noted") });
    const wrong = await signalbox(["audit", "prune"], folder);
    expect(wrong.code).toBe(2);
  });
});
