import { commands } from "./index.ts";

export function renderOverview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const list = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Signalbox: a self-hosted control plane for organizations that run AI agents.

Usage: signalbox <command> [options]

Commands:
${list.join("\n")}

Every command explains itself: signalbox <command> --help
The settings are environment variables, also read from a file .env in the current folder.
Exit codes: 0 done, 1 failed, 2 invalid usage, 3 something is pending (with --check),
4 not signed in or not allowed, 5 not found.

Examples:
  signalbox serve                 run the service at http://127.0.0.1:8787
  signalbox doctor                is everything as it should be?
  signalbox mail --last           the newest mail, with its link
  signalbox login                 sign in, for automations, runs, templates, connections
  signalbox runs list             what ran, and how it went
  PORT=0 signalbox serve          take any free port`;
}

/** The known command whose name is closest to what was typed, if one is close. */
export function findNearestCommand(typed: string): string | undefined {
  const [best] = Object.keys(commands)
    .map((name) => ({ name, distance: computeDistance(typed, name) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= 2 ? best.name : undefined;
}

function computeDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, replace));
    }
    row = next;
  }
  return row[b.length]!;
}
