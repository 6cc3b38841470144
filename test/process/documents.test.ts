import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type Block, documents, readBlocks } from "./documents/blocks.ts";
import { preparations } from "./documents/given.ts";
import {
  createDemo,
  type Demo,
  type Instance,
  openInstance,
  openInstanceOfAcme,
} from "./documents/instance.ts";
import { createPrograms, runBlock } from "./documents/shell.ts";
import { readShownInComments, readShownKeys } from "./documents/shown.ts";
import { findPreparation, type Terminal } from "./documents/world.ts";
import { cleanUp, freshFolder } from "./kit.ts";

/** Blocks that this test does not run, by a text in them, and what checks them instead. */
const checkedElsewhere: Record<string, string> = {
  "npm ci && npm start": "npm-start.test.ts starts the service with npm",
  "npm cit": "is this suite",
  "npm run check": "is this suite; unit/documents.test.ts checks that the scripts exist",
  "npm run bench": "takes many minutes; unit/documents.test.ts checks that the benchmarks exist",
  "docker run": "needs a container engine",
  "signalbox restore": "needs an empty database; backup.test.ts restores into both",
  "signalbox.backup-key": "needs a file in /etc; backup.test.ts makes encrypted backups",
  "signalbox move": "needs a second database; move.test.ts moves there and back",
  "signalbox serve --role api": "postgres.test.ts starts both roles",
  "signalbox llm-providers create": "asks for a password; cli-llm-providers.test.ts runs these commands",
  "signalbox admin overview": "asks for a password; cli-admin.test.ts runs these commands",
  "claude mcp add":
    "needs programs of other vendors; the tests of mcp-endpoint connect with the official clients",
  "/v1/mcp-approvals/$APPROVAL": "needs a call that waits; tools.test.ts decides about such calls",
  "EGRESS_ALLOW=": "is a setting; unit/documents.test.ts reads it",
  "QUOTAS=": "is a setting; unit/documents.test.ts reads it",
  "# nightly.sh:": "the block above it on the page runs this script",
  "https://api.github.com/issues": "needs GitHub; run-credentials.test.ts gets a token this way",
};

/** Calls that cannot succeed here, by document and a text in them: the status that they get, and why. */
const expected: Record<string, [text: string, status: number, why: string][]> = {
  "docs/guides/people.md": [["/verify", 409, "needs a record in the DNS"]],
};

const all = documents.flatMap(readBlocks);
const shells = all.filter(({ language }) => language === "sh");
const findReason = ({ text }: Block) => Object.keys(checkedElsewhere).find((part) => text.includes(part));
const runnable = shells.filter((block) => !findReason(block));

/**
 * Documents with an instance of their own, and why. The others share one: starting a server takes longer than the
 * commands of most documents.
 */
const withOwnInstance: Record<string, string> = {
  "docs/bootstrap.md": "makes the owner a member of a second organization",
  "docs/cli.md": "its runner takes every run",
  "docs/identity.md": "changes and removes members, and its owner leaves",
  "docs/operations.md": "is about a whole instance",
  "docs/runner.md": "its runners take every run",
  "docs/start.md": "begins with an empty instance",
  "docs/templates.md": "creates a template that docs/automations.md needs too",
};

/** Guides go on where docs/start.md ends. */
const isGuide = (file: string) => file.startsWith("docs/guides/");
/** Pages that are read from the first line to the last: each block uses what the blocks above it have set. */
const isInOneTerminal = (file: string) => file === "docs/start.md" || isGuide(file);
const hasOwnInstance = (file: string) => file in withOwnInstance || isGuide(file);

let programs: string;
let demo: Demo;
let shared: Promise<Instance> | undefined;

async function closeInstance({ authorizationServer, server }: Instance): Promise<void> {
  await authorizationServer?.close();
  await server.end("SIGTERM");
}

beforeAll(async () => {
  programs = createPrograms();
  demo = await createDemo(inject("preparedFolder"));
});
afterAll(async () => {
  if (shared) await closeInstance(await shared);
  await cleanUp();
});

describe.each([...new Set(runnable.map(({ file }) => file))])(
  "the commands of %s work as written",
  (file) => {
    let instance: Instance;
    let terminal: Terminal | undefined;
    const used = new Set<string>();
    beforeAll(async () => {
      if (isInOneTerminal(file)) terminal = { file: join(freshFolder(), "../terminal"), ids: {}, texts: {} };
      if (isGuide(file)) instance = await openInstanceOfAcme(demo);
      else if (file in withOwnInstance)
        instance = await openInstance(demo, { isEmpty: file === "docs/start.md" });
      else {
        shared ??= openInstance(demo);
        instance = await shared;
      }
    });
    afterAll(async () => {
      if (hasOwnInstance(file)) await closeInstance(instance);
    });

    const blocks = runnable.filter((block) => block.file === file);
    test.each(blocks.map((block) => [block.place, block] as const))("%s", async (_, block) => {
      const { calls, exitCode, output } = await runBlock(programs, instance, block, terminal);
      const hasCalls = /\b(curl|h|signalbox) /.test(block.text);
      expect(hasCalls ? calls.length : 1, output).toBeGreaterThan(0);
      if (!hasCalls) expect(exitCode, output).toBe(0);
      const unexpected = calls.filter(({ command, status }) => {
        const listed = expected[file]?.find(([text]) => command.includes(text));
        if (listed) used.add(listed[0]);
        return listed ? status !== listed[1] : !(command.startsWith("curl") ? status < 300 : status === 0);
      });
      expect(unexpected).toEqual([]);

      const replies = calls.map((call) => call.output).join("\n");
      const next = all[all.indexOf(block) + 1];
      const shown = readShownInComments(block);
      if (next?.language === "json" && next.isReply) shown.push(...readShownKeys(next));
      const missing = shown.filter(
        (text) => !replies.includes(text.replace("http://127.0.0.1:8787", instance.server.url)),
      );
      expect(missing, replies).toEqual([]);
    });

    test("calls that are expected to fail are still there", () => {
      expect((expected[file] ?? []).filter(([text]) => !used.has(text))).toEqual([]);
    });
  },
);

describe("the lists of this test", () => {
  test("name only blocks that exist", () => {
    const isUnused = (part: string) => !shells.some(({ text }) => text.includes(part));
    expect(Object.keys(checkedElsewhere).filter(isUnused)).toEqual([]);
    const files = [...Object.keys(expected), ...Object.keys(withOwnInstance)];
    expect(files.filter((file) => !documents.includes(file))).toEqual([]);
    const found = new Set(runnable.map(findPreparation));
    expect(preparations.filter((one) => !found.has(one)).map(({ file, text }) => `${file}: ${text}`)).toEqual(
      [],
    );
  });

  test("leave out only a few blocks", () => {
    expect(runnable.length).toBeGreaterThan(45);
  });

  test.each(
    shells.filter(({ text }) => text.startsWith("#!/bin/sh")).map(({ place, text }) => [place, text]),
  )("%s is a valid script", (_, text) => {
    execFileSync("sh", ["-n"], { input: text });
  });
});
