/** A real server with routes of a test, on a database of its own and with callers that the test names. */
import { afterAll, beforeAll } from "vitest";
import { readConfig } from "../src/platform/config.ts";
import type { Caller } from "../src/platform/context.ts";
import { unauthorized } from "../src/platform/errors.ts";
import { createHttp, listen, type Route } from "../src/platform/http/index.ts";
import { createLog } from "../src/platform/log.ts";
import { type OpenPlatform, openPlatform } from "../src/platform/open.ts";
import { openEmptyPglite } from "./cluster.ts";

export interface RouteServer {
  url: string;
  port: number;
  platform: OpenPlatform;
  logLines: string[];
  /** Callers by their Bearer token. */
  callers: Map<string, Caller>;
  /** Begins to stop, as `serve` does on SIGTERM. */
  close(deadlineMs: number): Promise<void>;
}

/** Starts the server before the tests of a file, and stops it after them. */
export function useRoutes(routes: readonly Route[], env: Record<string, string> = {}): RouteServer {
  const holder = { callers: new Map(), logLines: [] as string[] } as unknown as RouteServer;
  beforeAll(async () => {
    const socket = await listen("127.0.0.1", 0);
    const url = `http://127.0.0.1:${socket.port}`;
    const platform = await openPlatform(
      readConfig({ SIGNALBOX_SECRET: "a secret for the tests, long enough", ...env }),
      {
        publicUrl: url,
        jobs: [],
        works: false,
        log: createLog("info", { write: (line: string) => void holder.logLines.push(line) }),
        engine: await openEmptyPglite(),
      },
    );
    const closing = new AbortController();
    const http = createHttp({
      platform,
      routes,
      checkReplies: true,
      bodyDeadlineMs: 1_000,
      closing: closing.signal,
      authenticate(_ctx, { headers }) {
        const token = headers.authorization?.replace(/^Bearer /, "");
        if (token === undefined) return undefined;
        const caller = holder.callers.get(token);
        if (!caller) throw unauthorized("invalid_token");
        return caller;
      },
    });
    const listening = socket.serve({ ...http, closing: () => closing.abort() });
    Object.assign(holder, { url, port: socket.port, platform, close: listening.close });
  });
  afterAll(async () => {
    await holder.close?.(500);
    await holder.platform?.close(500);
  });
  return holder;
}
