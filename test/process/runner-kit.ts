import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Body } from "../body.ts";
import { ada, freshFolder, type RunningServer, type StartedCommand, start } from "./kit.ts";

/** Somebody with automations, and a key for their runner. */
export interface Workspace {
  key: string;
  queue(instructions: string, more?: Record<string, unknown>): Promise<string>;
  cancel(runId: string): Promise<void>;
  read(runId: string): Promise<{ run: Body; usage: Body; attempts: Body[] }>;
  events(runId: string): Promise<Body[]>;
  /** The run, once it is in one of these states. */
  waitForStatus(runId: string, ...statuses: string[]): Promise<Body>;
}

export async function openWorkspace(url: () => string): Promise<Workspace> {
  let headers: Record<string, string> = {};
  const ask = async (path: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(url() + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Body>;
  };
  const { token } = await ask("/api/auth/sign-up/email", ada);
  headers = { authorization: `Bearer ${token}` };
  await ask("/v1/organizations", { name: "Acme" });
  const { key } = await ask("/v1/api-keys", { name: "runner" });
  headers = { "x-api-key": key };
  const read = (runId: string) => ask(`/v1/automation-runs/${runId}`);
  return {
    key,
    read,
    async queue(instructions, more = {}) {
      const body = { name: "Triage", instructions, schedule: { kind: "manual" }, ...more };
      const { automation } = await ask("/v1/automations", body);
      return (await ask(`/v1/automations/${automation.id}/run`, undefined, "POST")).run.id;
    },
    cancel: (runId) => ask(`/v1/automation-runs/${runId}/cancel`, undefined, "POST"),
    async events(runId) {
      const all: Body[] = [];
      for (let cursor = ""; ; ) {
        const page = await ask(`/v1/automation-runs/${runId}/events?limit=100${cursor}`);
        all.push(...page.items);
        if (!page.nextCursor) return all;
        cursor = `&cursor=${page.nextCursor}`;
      }
    },
    async waitForStatus(runId, ...statuses) {
      for (;;) {
        const { run } = await read(runId).catch(() => ({ run: {} }));
        if (statuses.includes(run.status)) return run;
        await sleep(50);
      }
    },
  };
}

export interface StartedRunner extends StartedCommand {
  state: string;
  /** Its output lines, parsed as JSON. */
  news(): Body[];
}

export function startRunner(
  url: string,
  key: string,
  command: string[],
  {
    state = join(freshFolder(), "runner"),
    args = [],
    env = { SIGNALBOX_API_KEY: key },
  }: { state?: string; args?: string[]; env?: Record<string, string> } = {},
): StartedRunner {
  const all = ["runner", "--json", "--url", url, "--state", state, ...args, "--", ...command];
  const started = start(all, env);
  const news = () =>
    started.output.stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { ...started, state, news };
}

export const shell = (script: string) => ["/bin/sh", "-c", script];

/** A folder for files that the programs of a test write for the test to read. */
export function createNotesFolder(): string {
  const folder = freshFolder();
  mkdirSync(folder, { recursive: true });
  return folder;
}

export async function waitForFile(path: string): Promise<string> {
  while (!existsSync(path) || readFileSync(path, "utf8") === "") await sleep(20);
  return readFileSync(path, "utf8").trim();
}

export const isAlive = (pid: string | number): boolean => {
  try {
    process.kill(Number(pid), 0);
    // What nobody has waited for yet is dead all the same.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

export async function waitForExit(pid: string): Promise<void> {
  while (isAlive(pid)) await sleep(20);
}

/** A connection to a server that the test can break. */
export async function openProxy(server: RunningServer) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const proxy = createServer((inner) => {
    if (isCut) return inner.destroy();
    const outer = connect(Number(new URL(server.url).port), "127.0.0.1");
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    close: () => proxy.close(),
  };
}
