import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RefusedError, UnreachableError } from "@signalbox/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { prepareContext } from "./context.ts";
import { maskSecret } from "./mask.ts";
import { type RunTemplate, readAssignment } from "./replies.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "signalbox-context-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const secret = `sbt_${"A1b2C3d4E5f6".repeat(3)}`;
const assignment = (slugs: string[], more: object = {}) =>
  readAssignment({
    runId: "run_1",
    automationId: "aut_1",
    automationName: "Triage",
    instructions: "Look.",
    model: null,
    attempt: 1,
    timeoutMs: 60_000,
    credential: secret,
    templates: slugs.map((slug, i) => ({ id: `tpl_${i}`, slug })),
    connections: [],
    ...more,
  })!;
const createTemplate = (id: string, slug: string): RunTemplate => ({
  id,
  slug,
  name: slug,
  description: "",
  tags: [],
  version: 1,
  metadata: {},
  body: `body of ${slug}`,
});
const serving = (slugs: string[], readTemplate?: (id: string) => Promise<RunTemplate>) => ({
  url: "http://127.0.0.1:8787",
  readTemplate: readTemplate ?? (async (id: string) => createTemplate(id, slugs[Number(id.slice(4))]!)),
});
const prepare = (slugs: string[], server = serving(slugs), signal = new AbortController().signal) =>
  prepareContext(server, assignment(slugs), { folder: join(root, "run_1.1.context"), cwd: root }, signal);

describe("the context folder of a command", () => {
  test("is readable by its owner only, and contains no secret", async () => {
    const { environment } = await prepare(["a", "b/c"]);
    const file = environment.SIGNALBOX_CONTEXT_FILE!;
    expect(readFileSync(file, "utf8")).not.toContain(secret);
    const folder = environment.SIGNALBOX_TEMPLATES_DIR!;
    const modes = [file, folder, join(folder, "a.md"), join(folder, "b"), join(folder, "b/c.md")];
    expect(modes.map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
      "600",
      "700",
      "600",
      "700",
      "600",
    ]);
    expect(environment.SIGNALBOX_RUN_TOKEN).toBe(secret);
  });

  test.each(["../up", "/etc/passwd", "a/../../up", "a//b", ".hidden", "A", "a\0b", "a/.", "~", "", "a\\b"])(
    "never gets a file outside of itself: %j",
    async (slug) => {
      await expect(prepare([slug])).rejects.toThrow(/tpl_0.*its slug is not a file name/s);
      expect(readdirSync(join(root, "run_1.1.context/templates"))).toEqual([]);
      expect(readdirSync(root)).toEqual(["run_1.1.context"]);
    },
  );

  test("cannot hold two templates whose paths collide, and the error names them", async () => {
    await expect(prepare(["a", "a.md/b"])).rejects.toThrow(/template a\.md\/b \(tpl_1\)/);
    await expect(prepare(["same", "same"])).rejects.toThrow(/template same \(tpl_1\)/);
  });

  test("is requested until the server answers, and not after the run was stopped", async () => {
    let asked = 0;
    const flaky = serving([], async (id) => {
      if (++asked < 3) throw new UnreachableError("", "connection refused");
      return createTemplate(id, "a");
    });
    await prepare(["a"], flaky);
    expect(asked).toBe(3);
    const stop = new AbortController();
    const down = serving([], async () => {
      stop.abort();
      throw new UnreachableError("", "connection refused");
    });
    await expect(prepare(["a"], down, stop.signal)).rejects.toThrow("the run was stopped");
    const refusing = serving([], async () => {
      throw new RefusedError(404, { error: "template_not_found" });
    });
    await expect(prepare(["a"], refusing)).rejects.toThrow(/template a \(tpl_0\): template_not_found/);
  });

  test("contains no credential when an older server sends none", async () => {
    const older = readAssignment({
      ...assignment([]),
      credential: undefined,
      templates: undefined,
      connections: undefined,
    })!;
    const { environment } = await prepareContext(
      serving([]),
      older,
      { folder: join(root, "x"), cwd: root },
      new AbortController().signal,
    );
    expect(environment).not.toHaveProperty("SIGNALBOX_RUN_TOKEN");
  });

  test.each([
    { credential: "two words" },
    { credential: 5 },
    { templates: "all" },
    { templates: [{ id: "../x", slug: "a" }] },
    { connections: [null] },
    { connections: Array.from({ length: 101 }, () => ({ id: "ocn_1" })) },
  ])("is refused when the assignment contains %j", (more) => {
    expect(() => assignment([], more)).toThrow(/assignment makes no sense/);
  });
});

describe("a credential that a command prints", () => {
  const mask = maskSecret(secret);
  test.each([
    [`it is ${secret}, ${secret}`, "it is [run credential], [run credential]"],
    [JSON.stringify({ type: "assistant", token: secret }), '{"type":"assistant","token":"[run credential]"}'],
    ["sbt_ is a prefix", "sbt_ is a prefix"],
  ])("is masked: %s", (text, expected) => {
    expect(mask({ text })).toEqual({ text: expected });
  });

  test("is masked when a line was cut in the middle of it", () => {
    for (let length = 8; length < secret.length; length++) {
      const line = { text: `x ${secret.slice(0, length)}`, bytes: 5_000 };
      expect(mask(line)).toEqual({ text: "x [run credential]", bytes: 5_000 });
    }
  });
});
