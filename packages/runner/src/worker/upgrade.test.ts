import { expect, test } from "vitest";
import { runUpgradeCommand } from "./upgrade.ts";

const run = (line: string, timeoutMs: number, lines: string[] = []) =>
  runUpgradeCommand(
    { line, timeoutMs, environment: process.env },
    { id: "upg_1", version: "2.0.0" },
    (text) => void lines.push(text),
  );

test("an upgrade command that leaves a program running, which keeps its output open, has ended", async () => {
  const lines: string[] = [];
  expect(await run('sleep 100 & echo "$! $SIGNALBOX_UPGRADE_VERSION"', 600_000, lines)).toBeUndefined();
  expect(lines).toEqual([expect.stringMatching(/^\d+ 2\.0\.0$/)]);
  process.kill(Number.parseInt(lines[0]!, 10));
});

test("the time limit of an upgrade command also counts for a program that has left its process group", async () => {
  const leave = `"${process.execPath}" -e 'require("child_process").spawn("sleep", ["20"], { detached: true, stdio: "inherit" })'`;
  expect(await run(`${leave}; sleep 30`, 2_000)).toBe("The upgrade command did not end within 2 s.");
});
