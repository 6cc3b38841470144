import { Readable } from "node:stream";
import zlib from "node:zlib";
import { createEgress } from "@signalbox/discovery/egress";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { failure, type Listening, serve, serveRaw } from "./egress-kit.ts";

const MiB = 1024 * 1024;
const egress = createEgress({ allow: [], allowLoopback: true });
afterAll(() => egress.close());

const at = ({ port }: Listening, path = "/") => `http://127.0.0.1:${port}${path}`;

/** Runs `work` and returns the largest increase of memory above the start. */
async function memoryPeak(work: () => Promise<unknown>): Promise<number> {
  const used = () => {
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  };
  const start = used();
  let peak = start;
  const timer = setInterval(() => (peak = Math.max(peak, used())), 2);
  await work();
  clearInterval(timer);
  return Math.max(peak, used()) - start;
}

async function untilClosed(server: Listening) {
  const until = Date.now() + 1000;
  while (server.open() > 0 && Date.now() < until) await new Promise((done) => setTimeout(done, 5));
  return server.open();
}

/** 200 MB of zeros, compressed piece by piece so that making the bomb does not blur the measurement. */
async function bomb(encoder: NodeJS.ReadWriteStream): Promise<Buffer> {
  const piece = Buffer.alloc(MiB);
  Readable.from(
    (function* () {
      for (let i = 0; i < 200; i += 1) yield piece;
    })(),
  ).pipe(encoder);
  const parts: Buffer[] = [];
  for await (const part of encoder) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const sendEncoded = (encoding: string, body: Uint8Array) =>
  serve((_, reply) => reply.writeHead(200, { "content-encoding": encoding }).end(body));

describe("bodies that grow", () => {
  const encoders = {
    gzip: () => zlib.createGzip({ level: 1 }),
    deflate: () => zlib.createDeflate({ level: 1 }),
    br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
    zstd: () => zlib.createZstdCompress(),
  };
  for (const [encoding, encoder] of Object.entries(encoders)) {
    test(`a ${encoding} bomb of 200 MB ends at the limit, with bounded memory and a closed connection`, async () => {
      const body = await bomb(encoder());
      expect(body.length).toBeLessThan(2 * MiB);
      // Never ended, so that only the limit can end it.
      const server = await serve(
        (_, reply) => void reply.writeHead(200, { "content-encoding": encoding }).write(body),
      );
      const peak = await memoryPeak(async () => {
        expect((await failure(egress.request(at(server), { timeoutMs: 5000 }))).kind).toBe("too_large");
      });
      expect(peak).toBeLessThan(32 * MiB);
      expect(await untilClosed(server)).toBe(0);
    });
  }

  test("a bomb inside a bomb ends at the limit", async () => {
    const server = await sendEncoded("gzip, gzip", zlib.gzipSync(await bomb(zlib.createGzip())));
    const peak = await memoryPeak(async () => {
      expect((await failure(egress.request(at(server), { timeoutMs: 5000 }))).kind).toBe("too_large");
    });
    expect(peak).toBeLessThan(32 * MiB);
  });

  test("two layers of encoding are read, three are refused", async () => {
    const twice = zlib.brotliCompressSync(zlib.gzipSync("hello"));
    expect((await egress.request(at(await sendEncoded("gzip, br", twice)))).text()).toBe("hello");
    const thrice = await sendEncoded("gzip, gzip, gzip", zlib.gzipSync(zlib.gzipSync(zlib.gzipSync("x"))));
    expect((await failure(egress.request(at(thrice)))).kind).toBe("bad_encoding");
  });

  test("a compressed body that decodes to nothing for ever ends at the limit", async () => {
    // An empty stored block is five bytes of input and no byte of output.
    const empty = Buffer.alloc(5 * 10_000);
    for (let i = 0; i < empty.length; i += 5) empty.set([0, 0, 0, 0xff, 0xff], i);
    const server = await serve((_, reply) => {
      reply.writeHead(200, { "content-encoding": "gzip" });
      reply.write(zlib.gzipSync("").subarray(0, 10));
      const more = () => {
        while (!reply.destroyed && reply.write(empty));
      };
      reply.on("drain", more);
      more();
    });
    expect((await failure(egress.request(at(server), { maxBytes: MiB, timeoutMs: 5000 }))).kind).toBe(
      "too_large",
    );
  });

  test("an endless stream ends at the limit", async () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    const server = await serve((_, reply) => {
      const more = () => {
        while (!reply.destroyed && reply.write(piece));
      };
      reply.on("drain", more);
      more();
    });
    const peak = await memoryPeak(async () => {
      expect((await failure(egress.request(at(server), { timeoutMs: 5000 }))).kind).toBe("too_large");
    });
    expect(peak).toBeLessThan(32 * MiB);
    expect(await untilClosed(server)).toBe(0);
  });

  test("50 MB of JSON are refused by their announced length, before a byte is read", async () => {
    const server = await serve((_, reply) => {
      reply.writeHead(200, { "content-type": "application/json", "content-length": 50 * MiB });
      reply.write("[");
    });
    const started = performance.now();
    expect((await failure(egress.request(at(server), { timeoutMs: 5000 }))).kind).toBe("too_large");
    expect(performance.now() - started).toBeLessThan(2000);
    expect(await untilClosed(server)).toBe(0);
  });

  test("50 MB of JSON without a length end at the limit", async () => {
    const server = await serve((_, reply) => {
      Readable.from(
        (function* () {
          for (let i = 0; i < 800; i += 1) yield `"${"x".repeat(65_533)}",`;
        })(),
      ).pipe(reply);
    });
    expect((await failure(egress.request(at(server), { timeoutMs: 5000 }))).kind).toBe("too_large");
  });

  test("a body of exactly the limit is read whole", async () => {
    const body = Buffer.alloc(100_000, "y");
    const server = await sendEncoded("gzip", zlib.gzipSync(body));
    expect((await egress.request(at(server), { maxBytes: 100_000 })).body.length).toBe(100_000);
    expect((await failure(egress.request(at(server), { maxBytes: 99_999 }))).kind).toBe("too_large");
  });

  test("fetch has the same limit", async () => {
    const server = await sendEncoded("gzip", await bomb(zlib.createGzip({ level: 1 })));
    const reply = await egress.fetch(at(server));
    expect(reply.status).toBe(200);
    expect((await failure(reply.arrayBuffer())).kind).toBe("too_large");
    const wide = egress.withLimits({ maxBytes: 201 * MiB });
    let seen = 0;
    for await (const chunk of (await wide.fetch(at(server))).body!) seen += chunk.length;
    expect(seen).toBe(200 * MiB);
  });
});

describe("servers that are slow", () => {
  const within = async (ms: number, work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    expect(performance.now() - started).toBeLessThan(ms);
  };

  test("a body that arrives byte by byte ends at the deadline", async () => {
    const server = await serve((_, reply) => {
      const timer = setInterval(() => reply.write("."), 20);
      reply.on("close", () => clearInterval(timer));
    });
    await within(1500, async () => {
      const error = await failure(egress.request(at(server), { timeoutMs: 300 }));
      expect(error.kind).toBe("timeout");
      expect(error.message).toContain("0.3 s");
    });
    expect(await untilClosed(server)).toBe(0);
  });

  test("slow header bytes, interim replies and chunk extensions end at the deadline", async () => {
    for (const [start, drip] of [
      ["HTTP/1.1 200 OK\r\nx: ", "y"],
      ["", "HTTP/1.1 103 Early Hints\r\n\r\n"],
      ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;", "a"],
      ["HTTP/1.1 200 ", "O"],
    ] as const) {
      const server = await serveRaw((socket) => {
        socket.write(start);
        const timer = setInterval(() => socket.write(drip), 20);
        socket.on("close", () => clearInterval(timer));
      });
      await within(1500, async () => {
        expect((await failure(egress.request(at(server), { timeoutMs: 200 }))).kind).toBe("timeout");
      });
      expect(await untilClosed(server)).toBe(0);
    }
  });

  test("a silent server and a chain of slow redirects end at the deadline", async () => {
    const silent = await serveRaw(() => {});
    await within(1500, async () => {
      expect((await failure(egress.request(at(silent), { timeoutMs: 200 }))).kind).toBe("timeout");
    });
    const slow = await serve((_, reply) => {
      setTimeout(() => reply.writeHead(302, { location: "/again" }).end(), 150);
    });
    await within(1500, async () => {
      expect((await failure(egress.request(at(slow), { timeoutMs: 300 }))).kind).toBe("timeout");
    });
  });

  test("a name server that never answers ends at the deadline", async () => {
    const stuck = createEgress({ allow: [], allowLoopback: false }, { lookup: () => new Promise(() => {}) });
    await within(1500, async () => {
      expect((await failure(stuck.request("http://slow.test/", { timeoutMs: 200 }))).kind).toBe("timeout");
    });
  });

  test("a stream that is opened and not read ends at the deadline", async () => {
    const server = await serve((_, reply) => void reply.write("first"));
    const stream = await egress.open(at(server), { timeoutMs: 200 });
    expect(stream.status).toBe(200);
    await new Promise((done) => setTimeout(done, 300));
    expect(await untilClosed(server)).toBe(0);
    await expect(
      failure(
        (async () => {
          for await (const _ of stream.chunks);
        })(),
      ),
    ).resolves.toMatchObject({ kind: "timeout" });
  });

  test("fetch has the same deadline, in the middle of a body", async () => {
    const quick = createEgress({ allow: [], allowLoopback: true }, { fetchTimeoutMs: 200 });
    onTestFinished(() => quick.close());
    const server = await serve((_, reply) => void reply.write("first"));
    const reply = await quick.fetch(at(server));
    expect((await failure(reply.text())).kind).toBe("timeout");
  });
});

describe("replies that are broken", () => {
  const raw = (text: string, end = true) =>
    serveRaw((socket) => (end ? socket.end(text, "latin1") : socket.write(text, "latin1")));
  const outcome = async (server: Listening) =>
    egress.request(at(server), { timeoutMs: 1000 }).then(
      (reply) => reply.text(),
      (error) => error.kind,
    );

  test("each kind has its own error, in time", async () => {
    const secret = "the-inner-secret";
    const MALFORMED = /^(protocol_error|connection_reset)$/;
    const cases: [string, string, string | RegExp][] = [
      ["cut short", `HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n${secret}`, "connection_reset"],
      [
        "cut short in a chunk",
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n50\r\n${secret}`,
        "connection_reset",
      ],
      ["nothing at all", "", "connection_reset"],
      ["half a head", "HTTP/1.1 200 OK\r\ncontent-", "connection_reset"],
      [
        "two lengths",
        `HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n${secret}`,
        MALFORMED,
      ],
      ["a negative length", `HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n${secret}`, MALFORMED],
      [
        "length and chunks",
        `HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
        MALFORMED,
      ],
      ["a bad chunk size", `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n${secret}`, MALFORMED],
      ["another protocol", `SSH-2.0-${secret}\r\n`, "protocol_error"],
      [
        "an upgrade nobody asked for",
        "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
        "connection_reset",
      ],
      ["HTTP/1.0, ended by closing", "HTTP/1.0 200 OK\r\n\r\nold", "old"],
      ["no reason phrase", "HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok", "ok"],
      ["garbage after the body", `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok${secret}`, "ok"],
      ["an unknown encoding", `HTTP/1.1 200 OK\r\ncontent-encoding: rot13\r\n\r\n${secret}`, "bad_encoding"],
      ["not gzip", `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n${secret}`, "bad_encoding"],
      ["not brotli", `HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n\r\n${secret}`, "bad_encoding"],
      ["not zstd", `HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\n\r\n${secret}`, "bad_encoding"],
      ["not deflate", `HTTP/1.1 200 OK\r\ncontent-encoding: deflate\r\n\r\n${secret}`, "bad_encoding"],
      ["an empty gzip", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 0\r\n\r\n", ""],
      ["no content, said to be gzip", "HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n", ""],
      [
        "headers without end",
        `HTTP/1.1 200 OK\r\n${`x: ${"y".repeat(1000)}\r\n`.repeat(100)}\r\n`,
        "too_large",
      ],
      ["one endless header", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(200_000)}\r\n\r\n`, "too_large"],
      [
        "a trailer without end",
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${`x: ${"y".repeat(1000)}\r\n`.repeat(100)}\r\n`,
        "too_large",
      ],
    ];
    for (const [name, text, expected] of cases) {
      const server = await raw(text);
      if (typeof expected === "string") expect(await outcome(server), name).toBe(expected);
      else expect(await outcome(server), name).toMatch(expected);
      if (typeof expected !== "string" || expected.includes("_")) {
        const error = await failure(egress.request(at(server), { timeoutMs: 1000 }));
        expect(JSON.stringify({ ...error, message: error.message, stack: error.stack }), name).not.toContain(
          secret,
        );
        expect(error.cause, name).toBeUndefined();
      }
    }
  });

  test("a truncated gzip body is an error", async () => {
    const whole = zlib.gzipSync("hello".repeat(100));
    const server = await sendEncoded("gzip", whole.subarray(0, whole.length - 9));
    expect((await failure(egress.request(at(server)))).kind).toBe("bad_encoding");
  });

  test("both raw deflate and zlib deflate are read", async () => {
    expect(
      (await egress.request(at(await sendEncoded("deflate", zlib.deflateRawSync("hello"))))).text(),
    ).toBe("hello");
    expect((await egress.request(at(await sendEncoded("deflate", zlib.deflateSync("hello"))))).text()).toBe(
      "hello",
    );
  });

  test("a second reply that follows the first is never given to the next request", async () => {
    const first = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1";
    const server = await raw(first + first.replace(/1$/, "2"), false);
    for (let i = 0; i < 5; i += 1) expect(await outcome(server)).toBe("1");
  });

  test("header names cannot collide with properties of the object", async () => {
    const server = await raw(
      "HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\nset-cookie: a\r\nSet-Cookie: b\r\n\r\n",
    );
    const { headers } = await egress.request(at(server));
    expect(Object.entries(headers)).toEqual([
      ["__proto__", ["x"]],
      ["constructor", ["y"]],
      ["set-cookie", ["a", "b"]],
    ]);
    expect(Object.getPrototypeOf(headers)).toBeNull();
  });
});
