import { beforeAll, describe, expect, test } from "vitest";
import { runCommandInProcess } from "../cli.ts";
import { createKey, createWorkspace, useServer, type Workspace } from "../harness.ts";
import { createProvider, providerKey, useFakeProvider } from "../llm-providers.ts";

describe("signalbox llm-providers", () => {
  const server = useServer({ env: { EGRESS_ALLOW: "127.0.0.1" } });
  const fake = useFakeProvider();
  let acme: Workspace;
  let environment: Record<string, string>;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    const { key } = await createKey(server, acme.owner);
    environment = { SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: key };
  });
  const run = (args: string[], input = "") =>
    runCommandInProcess(["llm-providers", ...args], environment, input);

  test("create and add-key read the password and the key from stdin, and show neither", async () => {
    const { password } = acme.owner;
    const created = await run(
      ["create", "--kind", "openai_compatible", "--name", "Own", "--base-url", `${fake.url}/v1`],
      `${password}\n${providerKey}\n`,
    );
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Own is added as llp_/) });
    const id = /llp_\w+/.exec(created.stdout)![0];
    const second = await run(["add-key", id, "--name", "Second"], `${password}\n${providerKey}-2\n`);
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('The key "Second" (llk_') });
    for (const text of [created, second].flatMap(({ stdout, stderr }) => [stdout, stderr]))
      expect(text).not.toMatch(new RegExp(`${providerKey}|${password}`));
    const listed = await run(["list"]);
    expect(listed.stdout).toMatch(/^ID +NAME +KIND +ADDRESS +STATUS +KEYS +KEY +CHANGED\n/);
    expect(listed.stdout).toMatch(new RegExp(`${id} +Own +openai_compatible .* active +2 `));
    // The session that the command used has ended.
    const sessions = await server.call("/v1/me/sessions", { headers: acme.owner.auth });
    expect(sessions.body.items).toHaveLength(1);
  });

  test("create without a key, and what is refused", async () => {
    const body = ["--kind", "ollama", "--name", "Local", "--base-url", "http://127.0.0.1:11434"];
    const local = await run(["create", ...body, "--without-key"], `${acme.owner.password}\n`);
    expect(local).toMatchObject({ code: 0 });
    expect(await run(["create", ...body, "--without-key"], "wrong\n")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("the password is wrong"),
    });
    expect(await run(["create", "--kind", "ollama"])).toMatchObject({ code: 2 });
    expect(
      await run(["add-key", "llp_00000000000000000000000000"], `${acme.owner.password}\nk\n`),
    ).toMatchObject({
      code: 5,
    });
  });

  test("test says what was found, with an exit code", async () => {
    const { id } = await createProvider(server, acme.owner.auth, {
      ...{ kind: "openai_compatible", baseUrl: `${fake.url}/v1` },
    });
    fake.answer = () => ({ body: { data: [{ id: "large" }] } });
    expect(await run(["test", id])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^verdict +valid\n/),
    });
    fake.answer = () => ({ status: 401, body: { error: "no" } });
    expect(await run(["test", id])).toMatchObject({ code: 1, stdout: expect.stringContaining("refused") });
  });

  test("set-price and prices take and show dollars per million tokens", async () => {
    const set = await run(["set-price", "anthropic/own-model", "--input", "3", "--output", "15.5"]);
    expect(set).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("The price of own-model is set from"),
    });
    const { items } = JSON.parse((await run(["prices", "--json"])).stdout);
    expect(items).toMatchObject([{ model: "own-model", rates: { input: 3_000_000, output: 15_500_000 } }]);
    expect((await run(["prices"])).stdout).toMatch(/anthropic +own-model +20.* 3\.00 +15\.50/);
    expect(await run(["set-price", "own-model", "--input", "3"])).toMatchObject({ code: 2 });
    expect(await run(["set-price", "anthropic/own-model", "--input", "3 $"])).toMatchObject({ code: 2 });
  });

  test("set-budget creates a budget, and changes the one that exists", async () => {
    const set = (...more: string[]) => run(["set-budget", "organization", "--limit", ...more]);
    expect(await set("100")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The budget per month is set \(lbg_.*0\.00 of 100\.00 are spent\.\n$/),
    });
    expect(await set("250.50", "--alert")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("250.50"),
    });
    const { stdout } = await run(["budgets"]);
    expect(stdout.trim().split("\n")).toHaveLength(2);
    expect(stdout).toMatch(/organization .* month +alert +0\.00 +250\.50 +within/);
    expect(await run(["set-budget", "everybody", "--limit", "1"])).toMatchObject({ code: 2 });
  });
});
