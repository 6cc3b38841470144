import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { codeAt, stepAt } from "../../src/features/auth/two-factor/totp.ts";
import type { Body } from "../body.ts";
import { runCommandInProcess } from "../cli.ts";
import {
  ada,
  adaSignIn,
  cleanUp,
  copyFolder,
  type Env,
  freePort,
  freshFolder,
  type RunningServer,
  serve,
  signalbox,
  start,
} from "./kit.ts";
import { openProxy, openWorkspace, type Workspace } from "./runner-kit.ts";

let server: RunningServer;
let workspace: Workspace;
beforeAll(async () => {
  server = await serve(copyFolder(inject("preparedFolder")));
  workspace = await openWorkspace(() => server.url);
});
afterAll(cleanUp);

/** A new configuration folder, and the command line that uses it. */
function person(env: Env = {}) {
  const config = freshFolder();
  const environment = { XDG_CONFIG_HOME: config, TZ: "UTC", ...env };
  const file = join(config, "signalbox/logins.json");
  return {
    file,
    environment,
    /** Runs the command as a new process. */
    spawn: (args: string[], input?: string) => signalbox(args, undefined, environment, input),
    /** Runs the command in this process, which is much faster. */
    run: (args: string[], input?: string, more: Env = {}) =>
      runCommandInProcess(args, { ...environment, ...more }, input),
    stored: () => JSON.parse(readFileSync(file, "utf8")).profiles,
    mode: (path: string) => (statSync(path).mode & 0o777).toString(8),
  };
}

async function signedIn() {
  const someone = person();
  const { code, stderr } = await someone.run(["login", "--url", server.url], workspace.key);
  if (code !== 0) throw new Error(stderr);
  return someone;
}

/** Calls the API with the key of the workspace. */
async function ask(
  path: string,
  body?: unknown,
  method = body === undefined ? "GET" : "POST",
): Promise<Body> {
  const response = await fetch(server.url + path, {
    method,
    headers: { "x-api-key": workspace.key, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const report = (runId: string, sequence: number, type: string, payload: unknown) =>
  ask(`/v1/automation-runs/${runId}/events`, {
    attempt: 1,
    sequence,
    type,
    payload,
    createdAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  });

const complete = (runId: string, more: Record<string, unknown>) =>
  ask(`/v1/automation-runs/${runId}/complete`, { attempt: 1, ...more });

// Not among the concurrent tests, which create and revoke keys too.
test("a key that cannot be stored is revoked", async () => {
  const me = person();
  const keys = async () => ((await ask("/v1/api-keys")).items as { id: string }[]).map(({ id }) => id).sort();
  const before = await keys();
  const config = me.environment.XDG_CONFIG_HOME!;
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "signalbox"), "a file where the folder would be");
  const login = await me.run(["login", "--url", server.url, "--email", ada.email], `${ada.password}\n`);
  expect(login).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^\S+logins\.json cannot be written: [^\n]+ set XDG_CONFIG_HOME to another one\.\n$/,
    ),
  });
  expect(await keys()).toEqual(before);
});

describe.concurrent("signing in", () => {
  test("a key from stdin is checked and stored where only its owner can read it", async () => {
    const me = person();
    const login = await me.spawn(["login", "--url", server.url], `${workspace.key}\n`);
    expect(login).toMatchObject({
      code: 0,
      stdout: `Signed in to ${server.url} as Ada <ada@example.com> in Acme.\n`,
    });
    expect(login.stdout + login.stderr).not.toContain(workspace.key);
    expect(me.mode(me.file)).toBe("600");
    expect(me.mode(join(me.file, ".."))).toBe("700");
    expect(me.stored()).toEqual({
      default: { url: server.url, key: workspace.key, email: "ada@example.com", organization: "Acme" },
    });
    const whoami = await me.spawn(["whoami"]);
    expect(whoami).toMatchObject({ code: 0, stderr: "" });
    expect(whoami.stdout).toMatch(/^person +Ada <ada@example\.com>$/m);
    expect(whoami.stdout).toMatch(/^organization +Acme \(org_\w+\)$/m);
    expect(JSON.parse((await me.run(["whoami", "--json"])).stdout)).toMatchObject({
      user: { email: "ada@example.com" },
      credential: "key",
    });

    // Other programs may use a key that was typed in, so logout forgets it but does not revoke it.
    expect(await me.run(["logout"])).toMatchObject({ code: 0, stdout: `Signed out of ${server.url}.\n` });
    expect(await me.run(["whoami"])).toMatchObject({
      code: 4,
      stderr: "You are not signed in. Run `signalbox login`, or set SIGNALBOX_API_KEY.\n",
    });
    expect((await ask("/v1/me")).credential).toBe("key");
  });

  test("a wrong key is refused with one sentence and not stored", async () => {
    const me = person();
    const wrong = await me.run(
      ["login", "--url", server.url],
      "sbx_0000000000000000000000000000000000000000000\n",
    );
    expect(wrong).toEqual({
      code: 4,
      stdout: "",
      stderr:
        "The server does not accept this API key: it is unknown, expired or revoked. Run `signalbox login`.\n",
    });
    expect(() => me.stored()).toThrow("ENOENT");
    expect(await me.run(["login", "--url", server.url], "hunter2\n")).toMatchObject({ code: 2 });
    expect(await me.run(["login", "--url", server.url], "")).toMatchObject({ code: 2 });
  });

  test("e-mail and password create a key for this machine, which logout revokes", async () => {
    const me = person();
    const args = ["login", "--url", server.url, "--email", ada.email];
    expect(await me.run(args, "not the password\n")).toEqual({
      code: 4,
      stdout: "",
      stderr: "The e-mail address or the password is wrong. Type them again, or reset the password.\n",
    });
    const login = await me.run(args, `${ada.password}\n`);
    expect(login).toMatchObject({ code: 0 });
    expect(login.stdout + login.stderr + readFileSync(me.file, "utf8")).not.toContain(ada.password);
    const { key, keyId } = me.stored().default;
    const keys = async () => (await ask("/v1/api-keys")).items as { id: string; name: string }[];
    expect((await keys()).find(({ id }) => id === keyId)?.name).toMatch(/^signalbox CLI on /);

    // A second sign-in replaces the key and revokes the old one.
    expect((await me.run(args, `${ada.password}\n`)).code).toBe(0);
    const second = me.stored().default;
    expect(second.key).not.toBe(key);
    expect((await keys()).map(({ id }) => id)).not.toContain(keyId);

    expect((await me.run(["logout"])).code).toBe(0);
    expect((await keys()).map(({ id }) => id)).not.toContain(second.keyId);
    const ended = { SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: second.key };
    expect(await me.run(["whoami"], undefined, ended)).toMatchObject({ code: 4 });
  });

  test("a second factor is asked for where the account has one", async () => {
    const folder = copyFolder(inject("preparedFolder"));
    const server = await serve(folder);
    const eve = { name: "Eve", email: "eve@example.com", password: "correct horse battery" };
    const { token } = (await server.call("/api/auth/sign-up/email", { body: eve })).body;
    const headers = { authorization: `Bearer ${token}` };
    await server.call("/v1/organizations", { body: { name: "Eve's" }, headers });
    const mail = (await signalbox(["mail", "--last"], folder)).stdout;
    const [, confirmation] = /verify-email\?token=([\w.-]+)/.exec(mail)!;
    await server.call("/api/auth/verify-email", { body: { token: confirmation } });
    const begun = await fetch(`${server.url}/v1/me/two-factor`, { method: "POST", headers });
    const { secret } = (await begun.json()) as { secret: string };
    const setUp = await server.call("/v1/me/two-factor/confirm", {
      body: { code: codeAt(secret, stepAt(Date.now())) },
      headers,
    });
    const [backupCode] = setUp.body.backupCodes;
    const me = person();
    const args = ["login", "--url", server.url, "--email", eve.email];
    expect(await me.run(args, `${eve.password}\n000000\n`)).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/^The code is wrong/),
    });
    expect(await me.run(args, `${eve.password}\n`)).toMatchObject({ code: 2 });
    expect(await me.run(args, `${eve.password}\n${backupCode}\n`)).toMatchObject({ code: 0 });
    expect((await me.run(["whoami"])).stdout).toContain("eve@example.com");

    // The operator removes the second factor while the server runs. Then the password is enough again.
    expect(await signalbox(["two-factor", "reset", eve.email], folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("The second factor of eve@example.com is removed."),
    });
    expect((await server.call("/v1/me", { headers })).status).toBe(401);
    expect(await me.run(args, `${eve.password}\n`)).toMatchObject({ code: 0 });
  });

  test("profiles are separate, and a stored key is sent to no other server", async () => {
    const me = await signedIn();
    expect(await me.run(["login", "--profile", "second", "--url", server.url], workspace.key)).toMatchObject({
      code: 0,
    });
    expect(Object.keys(me.stored())).toEqual(["default", "second"]);
    expect(await me.run(["whoami", "--profile", "third"])).toMatchObject({
      code: 4,
      stderr: "There is no profile third. Run `signalbox login --profile third`.\n",
    });
    expect((await me.run(["logout", "--profile", "second"])).code).toBe(0);
    expect(Object.keys(me.stored())).toEqual(["default"]);

    const other = await openProxy(server);
    try {
      const refused = await me.run(["whoami", "--url", other.url]);
      expect(refused).toMatchObject({ code: 4, stdout: "" });
      expect(refused.stderr).toMatch(/^You are signed in to .*, not to /);
      const key = join(freshFolder(), "..", "key");
      writeFileSync(key, `${workspace.key}\n`);
      expect((await me.run(["whoami", "--url", other.url, "--key-file", key])).code).toBe(0);
    } finally {
      other.close();
    }
  });

  test("sign-ins and sign-outs at the same time keep each other's profiles", async () => {
    const me = await signedIn();
    const login = (name: string) => me.run(["login", "--profile", name, "--url", server.url], workspace.key);
    await Promise.all(["one", "two", "three"].map(login));
    expect(Object.keys(me.stored()).sort()).toEqual(["default", "one", "three", "two"]);
    const withPassword = ["login", "--profile", "made", "--url", server.url, "--email", ada.email];
    expect((await me.run(withPassword, `${ada.password}\n`)).code).toBe(0);
    const leave = (name: string) => me.run(["logout", "--profile", name]);
    expect((await Promise.all([leave("made"), leave("one")])).map(({ code }) => code)).toEqual([0, 0]);
    expect(Object.keys(me.stored()).sort()).toEqual(["default", "three", "two"]);
  });

  test("the environment has precedence over the file", async () => {
    const me = await signedIn();
    const wrong = "sbx_1111111111111111111111111111111111111111111";
    expect((await me.run(["whoami"], undefined, { SIGNALBOX_API_KEY: wrong })).code).toBe(4);
    expect((await me.run(["whoami"], undefined, { SIGNALBOX_URL: "http://127.0.0.1:9" })).code).toBe(4);
    const key = join(freshFolder(), "..", "key");
    writeFileSync(key, wrong);
    expect((await me.run(["whoami"], undefined, { SIGNALBOX_API_KEY_FILE: key })).code).toBe(4);
    const stranger = person({ SIGNALBOX_URL: server.url, SIGNALBOX_API_KEY: workspace.key });
    expect((await stranger.run(["whoami"])).code).toBe(0);
  });

  test("a file with keys that others can read is not used", async () => {
    const me = person();
    mkdirSync(join(me.file, ".."), { recursive: true });
    writeFileSync(me.file, "{}", { mode: 0o644 });
    const refused = await me.run(["whoami"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^Other users can read .*chmod 600/);
  });

  test("the runner uses the stored login", async () => {
    const me = await signedIn();
    const runId = await workspace.queue("Say hello.");
    const state = join(freshFolder(), "runner");
    const runner = start(["runner", "--once", "--state", state, "--", "/bin/cat"], me.environment);
    expect((await workspace.waitForStatus(runId, "succeeded")).status).toBe("succeeded");
    expect(await runner.ended).toBe(0);
  });
});

describe.concurrent("automations", () => {
  test("are created from options or a file, listed, shown, run and archived", async () => {
    const me = await signedIn();
    const made = await me.run([
      "automations",
      "create",
      "--name",
      "Morning \u001b[31mreport",
      "--instructions",
      "Look at\nnew issues.",
      "--weekly",
      "mon,thu@09:05",
      "--timezone",
      "Europe/Berlin",
      "--model",
      "acme/large",
      "--max-runtime",
      "60",
      "--json",
    ]);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const { automation } = JSON.parse(made.stdout);
    expect(automation).toMatchObject({
      schedule: { kind: "weekly", daysOfWeek: [1, 4], hour: 9, minute: 5, timezone: "Europe/Berlin" },
      model: { providerId: "acme", modelId: "large" },
      maxRuntimeSeconds: 60,
      status: "active",
    });
    const body = { name: "From a file", instructions: "Do it.", schedule: { kind: "manual" } };
    const fromFile = await me.spawn(["automations", "create", "--file", "-"], JSON.stringify(body));
    expect(fromFile.stdout).toMatch(
      /^Created (aut_\w+): From a file\. Run it with `signalbox automations run \1`\.\n$/,
    );

    const list = await me.run(["automations", "list"]);
    expect(list.stdout).toMatch(/^ID +NAME +STATUS +SCHEDULE +NEXT RUN\n/);
    // A name cannot send control codes to the terminal.
    expect(list.stdout).not.toContain("\u001b");
    expect(list.stdout).toContain(
      `${automation.id}  Morning \ufffd[31mreport  active  mon,thu 09:05 Europe/Berlin`,
    );
    expect(
      JSON.parse((await me.run(["automations", "list", "--json", "--limit", "1"])).stdout),
    ).toMatchObject({
      items: [{ name: expect.any(String) }],
      nextCursor: expect.any(String),
    });

    const shown = await me.run(["automations", "show", automation.id]);
    expect(shown.stdout).toMatch(/^status +active$/m);
    expect(shown.stdout).toContain("\nLook at\nnew issues.\n");

    expect((await me.run(["automations", "deactivate", automation.id])).stdout).toContain("is inactive.");
    expect((await me.run(["automations", "activate", automation.id])).stdout).toContain(
      "is active. Its next run",
    );
    const run = await me.run(["automations", "run", automation.id]);
    expect(run.stdout).toMatch(/^Queued (run_\w+)\. Follow it with `signalbox runs watch \1`\.\n$/);
    expect((await me.run(["automations", "archive", automation.id])).stdout).toContain("is archived.");
    expect(await me.run(["automations", "run", automation.id])).toEqual({
      code: 1,
      stdout: "",
      stderr: "This automation is archived. Create a new one with the same instructions.\n",
    });
  });

  test.for([
    [["automations"], "Say what to do: list, show, create, update, run, activate, deactivate, archive."],
    [
      ["automations", "lits"],
      'There is no action "lits". Use one of: list, show, create, update, run, activate, deactivate, archive.',
    ],
    [["automations", "show"], "Name the automation's id."],
    [["automations", "list", "--limit", "0"], "--limit must be a whole number from 1 to 10000."],
    [["automations", "create"], "--name is missing; or give a whole automation with --file."],
    [
      ["automations", "create", "--name", "a", "--instructions", "b", "--daily", "25:00"],
      "--daily takes a time of day such as 09:00.",
    ],
    [
      [
        "automations",
        "create",
        "--name",
        "a",
        "--instructions",
        "b",
        "--daily",
        "9:00",
        "--cron",
        "* * * * *",
      ],
      "Choose one schedule: --daily or --cron.",
    ],
    [["runs", "list", "--status", "done"], /^--status takes some of queued,/],
    [["runs", "watch"], "Name the run's id."],
    [["templates", "search"], "Give the words to search for."],
  ] as [string[], string | RegExp][])("%j gives one sentence and exit code 2", async ([args, sentence]) => {
    const { code, stdout, stderr } = await person().run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.replace(/ See `signalbox \w+ --help`\.\n$/, "")).toMatch(sentence);
  });
});

describe.concurrent("runs", () => {
  test("are listed and shown with reason, usage, cost and the last events", async () => {
    const me = await signedIn();
    const runId = await workspace.queue("Fail.", { name: "Nightly check" });
    await report(runId, 0, "user", { text: "first" });
    for (let n = 1; n <= 11; n++) await report(runId, n, "assistant", { text: `step ${n}` });
    await report(runId, 12, "usage", { inputTokens: 1200, outputTokens: 80, costMicros: 4100 });
    await complete(runId, { status: "failed", error: { message: "No\u0007 network." } });

    const list = await me.run(["runs", "list", "--status", "failed"]);
    expect(list).toMatchObject({ code: 0, stderr: "" });
    expect(list.stdout).toMatch(
      new RegExp(`^${runId}  Nightly check +failed +20\\d\\d-.* No\ufffd network\\.$`, "m"),
    );

    const shown = await me.run(["runs", "show", runId]);
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toMatch(/^status +failed$/m);
    expect(shown.stdout).toMatch(/^why +reported: No\ufffd network\.$/m);
    expect(shown.stdout).toMatch(/^tokens +1,200 in, 80 out$/m);
    expect(shown.stdout).toMatch(/^cost +0\.0041$/m);
    expect(shown.stdout).toMatch(/the last 10 events\n03:04:05 {2}assistant {2}step 3\n/);
    expect(shown.stdout).toMatch(/03:04:05 {2}usage {6}1,200 tokens in, 80 out, cost 0\.0041\n$/);
    expect(shown.stdout).not.toContain("first");
    const json = JSON.parse((await me.run(["runs", "show", runId, "--json", "--events", "2"])).stdout);
    expect(json).toMatchObject({
      run: { id: runId },
      usage: { costMicros: 4100 },
      lastEvents: [{ sequence: 11 }, { sequence: 12 }],
    });
    const { automationId } = json.run;
    const narrowed = await me.run(["runs", "list", "--automation", automationId, "--json"]);
    expect(JSON.parse(narrowed.stdout)).toMatchObject({ items: [{ id: runId }], nextCursor: null });
  });

  test("watch shows events as they are reported, survives a lost connection, and ends with the run", async () => {
    const proxy = await openProxy(server);
    try {
      const env = { SIGNALBOX_URL: proxy.url, SIGNALBOX_API_KEY: workspace.key, TZ: "UTC" };
      const runId = await workspace.queue("Work.");
      const watch = start(["runs", "watch", runId], env);
      const json = start(["runs", "watch", runId, "--json"], env);
      await Promise.all([watch.waitForOutput(/queued/), json.waitForOutput(/queued/)]);
      await report(runId, 0, "assistant", { text: "one\ntwo" });
      await Promise.all([watch.waitForOutput(/one/), json.waitForOutput(/one/)]);
      proxy.cut();
      await report(runId, 1, "warning", { text: "while \u001b]0;away\u0007" });
      proxy.mend();
      await Promise.all([watch.waitForOutput(/while/), json.waitForOutput(/while/)]);
      await report(runId, 2, "capability_execution", { name: "read_file", path: "a.txt" });
      await complete(runId, { status: "succeeded" });
      expect(await Promise.all([watch.ended, json.ended])).toEqual([0, 0]);
      // State changes are left out, because their position among the events depends on timing.
      const events = watch.output.stdout.split("\n").filter((line) => /^(?:03:04:05| )/.test(line));
      expect(events).toEqual([
        "03:04:05  assistant  one",
        "                     two",
        "03:04:05  warning    while \ufffd]0;away\ufffd",
        '03:04:05  execute    read_file {"name":"read_file","path":"a.txt"}',
      ]);
      expect(watch.output.stdout).toMatch(/succeeded {2}after [\d.]+ s\n$/);
      expect(watch.output.stderr).toContain("Connecting again.");
      const updates = json.output.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(updates.filter(({ type }) => type === "event").map(({ event }) => event.sequence)).toEqual([
        0, 1, 2,
      ]);
      expect(updates.at(-1)).toMatchObject({ type: "run", run: { status: "succeeded" } });
    } finally {
      proxy.close();
    }
  });

  test("a cancelled run ends watch with exit code 1, and a retry repeats the run", async () => {
    const me = await signedIn();
    const runId = await workspace.queue("Wait.");
    expect(await me.run(["runs", "retry", runId])).toEqual({
      code: 1,
      stdout: "",
      stderr: "The run is still queued. Wait for its end, or cancel it first.\n",
    });
    expect(await me.run(["runs", "cancel", runId])).toEqual({
      code: 0,
      stdout: `${runId} is cancelled.\n`,
      stderr: "",
    });
    const over = await me.run(["runs", "watch", runId]);
    expect(over.code).toBe(1);
    expect(over.stdout).toMatch(/cancelled {2}requested\n$/);
    const again = await me.run(["runs", "retry", runId, "--json"]);
    expect(again.code).toBe(0);
    const { run } = JSON.parse(again.stdout);
    expect(run).toMatchObject({ status: "queued", retryOf: runId });
    expect((await me.run(["runs", "show", run.id])).stdout).toMatch(
      new RegExp(`^trigger +retry of ${runId}$`, "m"),
    );
    expect((await me.run(["runs", "cancel", run.id])).code).toBe(0);
    const watched = start(["runs", "retry", runId, "--watch"], me.environment);
    await watched.waitForOutput(/queued/);
    const [newest] = (await ask("/v1/automation-runs?status=queued")).items.filter(
      (one: { retryOf: string }) => one.retryOf === runId,
    );
    await complete(newest.id, { status: "succeeded" });
    expect(await watched.ended).toBe(0);
  });
});

describe.concurrent("templates and connections", () => {
  test("templates are listed, searched and shown by id or slug", async () => {
    const me = await signedIn();
    const make = (name: string, more: Record<string, unknown>) => ask("/v1/templates", { name, ...more });
    const { template } = await make("Weekly report", {
      tags: ["team"],
      body: "# Report\n\tDo \u001bit.",
      description: "Every week",
    });
    await make("翻訳ガイド", { slug: "translate", body: "Translate." });
    const list = await me.run(["templates", "list"]);
    expect(list.stdout).toMatch(/^ID +SLUG +NAME +TAGS +FROM +CHANGED\n/);
    const found = await me.run(["templates", "search", "weekly", "report"]);
    expect(found.stdout.trim().split("\n")).toHaveLength(2);
    expect(found.stdout).toContain("weekly-report");
    expect(await me.run(["templates", "search", "nothing like it"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No template matches.\n",
    });
    for (const name of [template.id, "weekly-report"]) {
      const shown = await me.run(["templates", "show", name]);
      expect(shown.stdout).toMatch(/^name +Weekly report$/m);
      expect(shown.stdout.endsWith("\n# Report\n\tDo \ufffdit.\n")).toBe(true);
    }
    expect(JSON.parse((await me.run(["templates", "show", "translate", "--json"])).stdout)).toMatchObject({
      template: { name: "翻訳ガイド" },
    });
    expect((await me.run(["templates", "show", "no-such"])).code).toBe(5);
  });

  test("an empty list of connections is one sentence, and an empty page with --json", async () => {
    const me = await signedIn();
    expect(await me.run(["connections", "list"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "There are no connections.\n",
    });
    expect(JSON.parse((await me.run(["connections", "list", "--json"])).stdout)).toEqual({
      items: [],
      nextCursor: null,
    });
    expect((await me.run(["connections", "show", "ocn_nonsense"])).code).toBe(5);
  });
});

describe.concurrent("a refusal by the server", () => {
  test("gives exit code 5 for not found, 4 with the reason for not allowed, and 1 with the field for a bad request", async () => {
    const me = await signedIn();
    expect(await me.spawn(["runs", "show", "run_nonsense"])).toEqual({
      code: 5,
      stdout: "",
      stderr:
        "There is no such automation run that you can see. Check the id, and with `signalbox whoami` the organization.\n",
    });
    expect((await me.run(["runs", "watch", "run_nonsense"])).code).toBe(5);
    const session = await server.call("/api/auth/sign-in/email", { body: adaSignIn });
    const { key } = (
      await server.call("/v1/api-keys", {
        body: { name: "narrow", permissions: ["organization:read"] },
        headers: { authorization: `Bearer ${session.body.token}` },
      })
    ).body;
    const narrow = await me.run(["automations", "list"], undefined, { SIGNALBOX_API_KEY: key });
    expect(narrow).toMatchObject({ code: 4, stdout: "" });
    expect(narrow.stderr).toMatch(/^Not allowed \(missing_permission\): .*automations:create/);
    const bad = await me.run([
      "automations",
      "create",
      "--name",
      "a",
      "--instructions",
      "b",
      "--cron",
      "nonsense",
    ]);
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).toMatch(/^The server does not accept the request\. schedule\.expression: /);
  });

  test("a server that is down gives one sentence and exit code 1", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const env = { SIGNALBOX_URL: url, SIGNALBOX_API_KEY: workspace.key };
    expect(await person(env).spawn(["runs", "list"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `No usable answer from ${url} (connection refused). Check that the server runs and that the URL is right.\n`,
    });
  });
});

test("a .env that is a folder is named, and nothing is done", () => {
  const folder = freshFolder();
  mkdirSync(join(folder, ".env"), { recursive: true });
  const program = join(import.meta.dirname, "../../bin/signalbox.mjs");
  const { status, stderr } = spawnSync(process.execPath, [program, "doctor"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      ".env in this folder cannot be read. It must be a file with a line NAME=value for each setting.\n",
  });
});
