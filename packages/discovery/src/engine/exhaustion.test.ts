import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import { createEgress } from "../egress/index.ts";
import { discover as discoverServer } from "../index.ts";

const egress = createEgress({ allow: [], allowLoopback: true });
const member = gzipSync(Buffer.alloc(10 * 1024 * 1024, " "));
const bomb = Buffer.concat(Array<Buffer>(20).fill(member));
const piece = Buffer.alloc(64 * 1024, "[");

test("forty hostile bodies at once are answered in time, and memory stays bounded", {
  timeout: 60_000,
}, async () => {
  const server = await startHostileServer(({ path }) => ({
    raw: (response) => {
      if (path.startsWith("/bomb")) {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
        response.end(bomb);
        return;
      }
      if (path.startsWith("/flood")) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const more = () => {
          while (!response.destroyed) if (!response.write(piece)) return void response.once("drain", more);
        };
        return more();
      }
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(
        () => (response.destroyed ? clearInterval(timer) : response.write("[")),
        1000,
      );
    },
  }));
  const discover = async (path: string) => {
    const started = performance.now();
    const { result } = await discoverServer(`${server.base}/${path}`, {
      egress,
      redirectUri: (id) => `https://x.example/${id}`,
      limits: { deadlineMs: 4000 },
    });
    return { status: result.status, ms: performance.now() - started };
  };
  await discover("bomb");
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, n) => discover(`${["bomb", "flood", "drip", "drip"][n % 4]}/${n}`)),
  );
  clearInterval(watch);
  await server.close();
  expect(Math.max(...outcomes.map(({ ms }) => ms))).toBeLessThan(6000);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["unsupported", "unreachable"]));
  // Decoded, the bodies of this test are without end; a few MiB for each discovery is what may be held.
  expect((most - before) / 1024 / 1024).toBeLessThan(250);
});
