import { afterAll, describe, expect, inject, test } from "vitest";
import { ada, cleanUp, copyFolder, serve, signalbox } from "./kit.ts";

afterAll(cleanUp);

describe("signalbox audit verify", () => {
  test("finds no failure, with and without a running server, and reports a noted entry that differs", {
    timeout: 300_000,
  }, async () => {
    const folder = copyFolder(inject("preparedFolder"));
    const server = await serve(folder);
    const { token } = (await server.call("/api/auth/sign-up/email", { body: ada })).body;
    const headers = { authorization: `Bearer ${token}` };
    await server.call("/v1/organizations", { body: { name: "Acme" }, headers });
    const beside = await signalbox(["audit", "verify"], folder);
    expect(beside.stdout).toMatch(/^✓ org_\w+: 1 entries, up to org_\w+:1:[0-9a-f]{64}$/m);
    expect(beside.stdout).toMatch(/^2 chains, 2 entries, 0 pruned, 0 failures$/m);
    expect(beside.code).toBe(0);
    await server.end("SIGTERM");
    const json = await signalbox(["audit", "verify", "--json"], folder);
    const lines = json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toEqual({ summary: { chains: 2, entries: 2, pruned: 0, failures: 0 } });
    const { scope, sequence, hash, faults } = lines.at(-2);
    expect(faults).toEqual([]);
    const noted = await signalbox(["audit", "verify", "--expect", `${scope}:${sequence}:${hash}`], folder);
    expect(noted.code).toBe(0);
    const other = `${scope}:${sequence}:${"0".repeat(64)}`;
    const differs = await signalbox(["audit", "verify", "--expect", other], folder);
    expect(differs).toMatchObject({ code: 1, stdout: expect.stringContaining("not the one that was noted") });
    const wrong = await signalbox(["audit", "prune"], folder);
    expect(wrong.code).toBe(2);
    const again = await signalbox(["audit", "sign"], folder);
    expect(again).toMatchObject({ code: 0, stdout: "Nothing to sign.\n" });
    // The configured secret is not the one that signed the log.
    const foreign = await signalbox(["audit", "verify"], folder, {
      SIGNALBOX_SECRET: "another secret that is long enough",
    });
    expect(foreign.code).toBe(1);
    expect(foreign.stdout).toContain("signed under a secret that is not configured");
    expect(foreign.stdout).toContain("2 chains, 2 entries, 0 pruned, 2 failures");
  });
});
