import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createEgress } from "@signalbox/discovery/egress";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { openRepository } from "./index.ts";
import { encodePacket, flush } from "./pkt-line.ts";

/** Git servers whose replies do not end. */
const egress = createEgress({ allow: [], allowLoopback: true });
afterAll(() => egress.close());
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Write = (response: ServerResponse) => void;
interface Replies {
  advertisement?: Write;
  refs?: Write;
  pack?: Write;
}

const id = "a".repeat(40);
const packets = (...lines: string[]) => Buffer.concat(lines.map((line) => encodePacket(line)));
const end = (bytes: Buffer) => (response: ServerResponse) => void response.end(bytes);
const flood =
  (piece: Buffer, start = Buffer.alloc(0)) =>
  (response: ServerResponse) => {
    response.write(start);
    const more = () => {
      while (!response.destroyed) if (!response.write(piece)) return void response.once("drain", more);
    };
    more();
  };
const drip =
  (piece: Buffer, start = Buffer.alloc(0)) =>
  (response: ServerResponse) => {
    response.write(start);
    let at = 0;
    const timer = setInterval(() => {
      response.write(piece.subarray(at, at + 1));
      at = (at + 1) % piece.length;
    }, 50);
    response.on("close", () => clearInterval(timer));
  };

const version2 = Buffer.concat([
  packets("# service=git-upload-pack\n"),
  flush,
  packets("version 2\n", "ls-refs=unborn\n", "fetch=shallow filter\n", "object-format=sha1\n"),
  flush,
]);
const refLines = packets(...Array.from({ length: 100 }, (_, n) => `${id} refs/heads/branch-${n}\n`));
const firstRef = packets(`${id} refs/heads/a\0side-band-64k ofs-delta shallow\n`);
const packStart = packets("packfile\n");
const progress = packets(`\u0002${"Counting objects, and counting them again. ".repeat(20)}`);
const data = packets(`\u0001${"x".repeat(1_000)}`);

async function start({ advertisement = end(version2), refs, pack }: Replies) {
  const open = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const isFetch = String(Buffer.concat(parts)).includes("command=fetch");
    open.add(response);
    response.on("close", () => open.delete(response));
    const kind = request.method === "GET" ? "advertisement" : "result";
    response.writeHead(200, { "content-type": `application/x-git-upload-pack-${kind}` });
    const write = request.method === "GET" ? advertisement : isFetch ? pack : refs;
    (write ?? end(flush))(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme/endless.git`;
  const read = async (timeoutMs: number, signal?: AbortSignal) => {
    const limits = { advertisementBytes: 512 * 1024, packBytes: 512 * 1024, timeoutMs };
    const repository = await openRepository(egress, { url, signal, limits });
    await repository.resolve("refs/heads/main");
    await repository.snapshot(id);
  };
  return { open, read };
}

describe("a reply of a git server without end", () => {
  test.each<[string, Replies, string]>([
    [
      "refs in the old protocol",
      {
        advertisement: flood(
          refLines,
          Buffer.concat([packets("# service=git-upload-pack\n"), flush, firstRef]),
        ),
      },
      "too_large",
    ],
    ["capabilities", { advertisement: flood(packets("agent=git/2\n"), packets("version 2\n")) }, "too_large"],
    [
      "long capabilities",
      { advertisement: flood(packets("a".repeat(65_000)), packets("version 2\n")) },
      "too_large",
    ],
    ["an advertisement, byte by byte", { advertisement: drip(version2) }, "unreachable"],
    ["refs", { refs: flood(refLines) }, "too_large"],
    ["refs, byte by byte", { refs: drip(refLines) }, "unreachable"],
    ["answers before the pack", { pack: flood(packets("acknowledgments\n", `NAK\n`)) }, "too_large"],
    ["progress", { pack: flood(progress, packStart) }, "too_large"],
    ["progress, byte by byte", { pack: drip(progress, packStart) }, "unreachable"],
    ["a pack", { pack: flood(data, packStart) }, "too_large"],
  ])("%s: is refused, and its connection is closed", async (_, replies, kind) => {
    const { open, read } = await start(replies);
    await expect(read(kind === "unreachable" ? 1_000 : 20_000)).rejects.toMatchObject({
      name: "GitError",
      kind,
    });
    await expect.poll(() => open.size).toBe(0);
  });

  test.each<[string, Replies]>([
    ["an advertisement", { advertisement: drip(version2) }],
    ["refs", { refs: drip(refLines) }],
    ["progress", { pack: drip(progress, packStart) }],
  ])("%s: an abort closes its connection", async (_, replies) => {
    const { open, read } = await start(replies);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    await expect(read(60_000, abort.signal)).rejects.toMatchObject({ kind: "aborted" });
    await expect.poll(() => open.size).toBe(0);
  });
});
