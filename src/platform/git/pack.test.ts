import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runGit } from "../../../test/fixtures/git-server.ts";
import { createBudget, stepBytes } from "./budget.ts";
import { applyDelta } from "./delta.ts";
import { defaultLimits } from "./limits.ts";
import { openPack } from "./pack.ts";

const folder = mkdtempSync(join(tmpdir(), "packs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => runGit(["init", "-q", "--bare", "."], folder));

/** Stores texts as objects of git, and gives their ids. */
async function store(texts: Buffer[]): Promise<string[]> {
  const stream = texts.flatMap((text, i) => [`blob\nmark :${i + 1}\ndata ${text.length}\n`, text, "\n"]);
  const marks = texts.map((_, i) => `get-mark :${i + 1}\n`);
  const input = Buffer.concat([...stream, ...marks].map((part) => Buffer.from(part)));
  return String(await runGit(["fast-import", "--quiet", "--cat-blob-fd=1"], folder, input))
    .trim()
    .split("\n");
}

const createPack = (ids: string[], ...options: string[]) =>
  runGit(["pack-objects", "-q", "--stdout", "--window=50", ...options], folder, `${ids.join("\n")}\n`);

/** Variations of one text, so that git finds deltas between them. */
const related = fc
  .tuple(
    fc.array(fc.string({ minLength: 10, maxLength: 60 }), { minLength: 5, maxLength: 60 }),
    fc.array(fc.array(fc.tuple(fc.nat(59), fc.string()), { maxLength: 3 }), { minLength: 1, maxLength: 12 }),
  )
  .map(([lines, edits]) =>
    edits.map((changes) => {
      const copy = [...lines];
      for (const [at, text] of changes) copy[at % copy.length] = text;
      return Buffer.from(copy.join("\n"));
    }),
  );

const varied: [name: string, ...options: string[]][] = [
  ["with deltas by offset", "--delta-base-offset", "--depth=50"],
  ["with deltas by id", "--depth=50"],
  ["without deltas", "--depth=0"],
];

test.each(varied)(
  "every object of a pack that git created %s is read as git reads it",
  async (_, ...options) => {
    await fc.assert(
      fc.asyncProperty(related, async (texts) => {
        const ids = await store(texts);
        const pack = await openPack(await createPack(ids, ...options), defaultLimits);
        for (const [i, id] of ids.entries()) {
          expect(pack.find(id)).toEqual({ type: "blob", size: texts[i]!.length });
          expect(pack.read(id).data.equals(texts[i]!)).toBe(true);
        }
        expect(pack.size).toBe(new Set(ids).size);
      }),
      { numRuns: 15 },
    );
  },
  60_000,
);

describe("an invalid pack", () => {
  let whole: Buffer;
  let ids: string[];
  beforeAll(async () => {
    const base = Array.from({ length: 200 }, (_, i) => `line ${i * 7919}`).join("\n");
    ids = await store(
      Array.from({ length: 6 }, (_, i) => Buffer.from(`${base}\n${i} ${"x".repeat(i * 50)}`)),
    );
    whole = await createPack(ids, "--delta-base-offset");
  });

  test("is refused when it is cut at any byte", async () => {
    for (let at = 0; at < whole.length; at += 7)
      await expect(openPack(whole.subarray(0, at), defaultLimits)).rejects.toMatchObject({
        kind: "protocol",
      });
  });

  test("never yields an object that does not match its id, whatever byte was changed", async () => {
    const known = new Set(ids);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 21), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(whole);
        changed[at] = changed[at]! ^ change;
        try {
          const pack = await openPack(sealed(changed), { ...defaultLimits, objectBytes: 1_000_000 });
          for (const id of known) if (pack.find(id)) expect(hashBlob(pack.read(id).data)).toBe(id);
        } catch (error) {
          expect(error).toMatchObject({ name: "GitError" });
        }
      }),
      { numRuns: 400 },
    );
  });

  test("is refused when its checksum is wrong", async () => {
    const changed = Buffer.from(whole);
    changed[changed.length - 1]! ^= 1;
    await expect(openPack(changed, defaultLimits)).rejects.toThrow(/checksum/);
  });

  test("is refused when the base of a delta is missing", async () => {
    const [id] = await store([Buffer.from("x".repeat(500))]);
    const delta = Buffer.concat([varint(500), varint(500), Buffer.from([0x80 | 0x10 | 0x20, 0xf4, 0x01])]);
    await expect(openPack(made([refDelta(id!, delta)]), defaultLimits)).rejects.toThrow(/no base/);
  });

  test("is refused when deltas depend on each other in a circle", async () => {
    const [a, b] = ["a".repeat(40), "b".repeat(40)];
    const delta = Buffer.concat([varint(1), varint(1), Buffer.from([1, 65])]);
    await expect(openPack(made([refDelta(a!, delta), refDelta(b!, delta)]), defaultLimits)).rejects.toThrow(
      /no base/,
    );
  });
});

describe("a small pack with large contents", () => {
  const limits = { ...defaultLimits, objectBytes: 1_000_000, inflatedBytes: 20_000_000, deltaDepth: 100 };

  test("an object that inflates to more than its announced size is refused", async () => {
    const zeros = deflateSync(Buffer.alloc(50_000_000));
    await expect(openPack(made([Buffer.concat([header(3, 10), zeros])]), limits)).rejects.toMatchObject({
      kind: "protocol",
    });
  });

  test("an object that announces more than the total limit is refused before it is inflated", async () => {
    const before = process.memoryUsage().arrayBuffers;
    const zeros = deflateSync(Buffer.alloc(100));
    for (const size of [21_000_000, 2 ** 32, 2 ** 40])
      await expect(openPack(made([Buffer.concat([header(3, size), zeros])]), limits)).rejects.toMatchObject({
        kind: "too_large",
      });
    await expect(openPack(made([Buffer.concat([header(3, 2 ** 60), zeros])]), limits)).rejects.toMatchObject({
      kind: "protocol",
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30_000_000);
  });

  test("a large object is skipped without keeping it in memory, and one with a false size is refused", async () => {
    const large = Buffer.concat([header(3, 15_000_000), deflateSync(Buffer.alloc(15_000_000))]);
    const small = Buffer.concat([header(3, 5), deflateSync("small")]);
    const pack = await openPack(made([large, small]), limits);
    expect(pack.skipped).toBe(1);
    expect(pack.read(hashBlob(Buffer.from("small"))).data.toString()).toBe("small");
    const lying = Buffer.concat([header(3, 15_000_000), deflateSync(Buffer.alloc(15_000_001))]);
    await expect(openPack(made([lying]), limits)).rejects.toMatchObject({ kind: "protocol" });
  });

  test("deltas that copy one base many times are stopped by their total size", async () => {
    const base = Buffer.alloc(65_536, "a");
    const copies = Array.from({ length: 15 }, () => Buffer.from([0x80]));
    const delta = Buffer.concat([varint(65_536), varint(65_536 * 15), ...copies]);
    const objects = Array.from({ length: 100 }, () => refDelta(hashBlob(base), delta));
    const first = Buffer.concat([header(3, base.length), deflateSync(base)]);
    await expect(openPack(made([first, ...objects]), limits)).rejects.toMatchObject({ kind: "too_large" });
  });

  test("a delta chain of the maximum depth is read, and a deeper one is refused", async () => {
    const chain = (depth: number) => {
      let text = "0";
      const objects = [Buffer.concat([header(3, 1), deflateSync(text)])];
      for (let i = 1; i <= depth; i++) {
        const next = String(i);
        const delta = Buffer.concat([
          varint(text.length),
          varint(next.length),
          Buffer.from([next.length]),
          Buffer.from(next),
        ]);
        objects.push(refDelta(hashBlob(Buffer.from(text)), delta));
        text = next;
      }
      return made(objects);
    };
    const pack = await openPack(chain(100), limits);
    expect(pack.read(hashBlob(Buffer.from("100"))).data.toString()).toBe("100");
    await expect(openPack(chain(101), limits)).rejects.toThrow(/deep/);
    await expect(openPack(chain(100), { ...limits, heldBytes: 100 })).rejects.toThrow(/at once/);
  });

  test("a base that appears many times is read once", async () => {
    const base = Buffer.concat([header(3, 1), deflateSync("x")]);
    const empty = refDelta(hashBlob(Buffer.from("x")), Buffer.concat([varint(1), varint(0)]));
    // One whose base never comes, so that there is always something left to look for.
    const stray = refDelta("b".repeat(40), Buffer.concat([varint(1), varint(0)]));
    const objects = Array.from({ length: 1_500 }, () => [base, empty]).flat();
    const before = process.cpuUsage();
    await expect(openPack(made([...objects, stray]), limits)).rejects.toThrow(/no base/);
    // Each delta on each base would be millions.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(3);
  }, 120_000);

  test("reading objects with large bases again and again is stopped by the budget", async () => {
    const base = Buffer.alloc(1_000_000, "a");
    const small = Buffer.concat([varint(base.length), varint(1), Buffer.from([0x80 | 0x10, 1])]);
    const first = Buffer.concat([header(3, base.length), deflateSync(base)]);
    const pack = await openPack(made([first, refDelta(hashBlob(base), small)]), { ...limits, cacheBytes: 0 });
    const read = () => pack.read(hashBlob(Buffer.from("a")));
    for (let i = 0; i < 50; i++) expect(read().data.toString()).toBe("a");
    expect(() => {
      for (let i = 0; i < 200; i++) read();
    }).toThrow(/more than/);
  });

  /** Builds a chain of `depth` small deltas, and returns its objects and their ids. */
  function longChain(depth: number, text = (i: number) => `object ${i}`) {
    const ids = [hashBlob(Buffer.from(text(0)))];
    const objects = [Buffer.concat([header(3, text(0).length), deflateSync(text(0))])];
    for (let i = 1; i <= depth; i++) {
      const next = text(i);
      const insert = Buffer.concat([Buffer.from([next.length]), Buffer.from(next)]);
      const delta = Buffer.concat([varint(text(i - 1).length), varint(next.length), insert]);
      objects.push(refDelta(ids.at(-1)!, delta));
      ids.push(hashBlob(Buffer.from(next)));
    }
    return { ids, objects };
  }

  test("objects on a long chain are built from the nearest cached object", async () => {
    const { ids, objects } = longChain(90);
    let charged = 0;
    const charge = (bytes: number) => {
      charged += bytes;
    };
    const pack = await openPack(made(objects), limits, { charge });
    charged = 0;
    for (const id of ids) expect(hashBlob(pack.read(id).data)).toBe(id);
    for (const id of ids.toReversed()) pack.read(id);
    // Building each object from the start of the chain would take 90 × 90 steps.
    expect(charged / stepBytes).toBeLessThan(90 * 6);
  });

  test("every step of a delta chain is charged, however small its result", async () => {
    const { ids, objects } = longChain(90);
    const pack = await openPack(made(objects), { ...limits, cacheBytes: 0 });
    let steps = 0;
    expect(() => {
      for (;;) {
        for (const id of ids) pack.read(id);
        steps += (90 * 90) / 2;
      }
    }).toThrow(/more than/);
    expect(steps * 10).toBeLessThan(limits.inflatedBytes);
  });

  test("all packs of one repository share a budget", async () => {
    const budget = createBudget({ inflatedBytes: 100_000 });
    const { objects } = longChain(20);
    await expect(
      (async () => {
        for (let i = 0; i < 20; i++) await openPack(made(objects), limits, budget);
      })(),
    ).rejects.toMatchObject({ kind: "too_large" });
  });

  test("an abort stops opening a pack", async () => {
    const objects = Array.from({ length: 20_000 }, (_, i) =>
      Buffer.concat([header(3, String(i).length), deflateSync(String(i))]),
    );
    const controller = new AbortController();
    const opening = openPack(made(objects), limits, undefined, controller.signal);
    controller.abort(new Error("enough"));
    await expect(opening).rejects.toThrow("enough");
  });

  test("more objects than allowed are refused by their number alone", async () => {
    const head = Buffer.from("PACK\0\0\0\u0002\x7f\x7f\x7f\x7f", "latin1");
    await expect(openPack(sealed(Buffer.concat([head, Buffer.alloc(40)])), limits)).rejects.toMatchObject({
      kind: "too_large",
    });
  });

  test("other work runs while a large pack is read", async () => {
    const objects = Array.from({ length: 30_000 }, (_, i) =>
      Buffer.concat([header(3, String(i).length), deflateSync(String(i))]),
    );
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await openPack(made(objects), { ...limits, objects: 30_000 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

test("no delta writes beyond its announced size, or reads beyond its base", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      fc.uint8Array({ maxLength: 60 }),
      fc.nat(300),
      (base, operations, size) => {
        const delta = Buffer.concat([varint(base.length), varint(size), operations]);
        try {
          expect(applyDelta(Buffer.from(base), delta, 1_000).length).toBe(size);
        } catch (error) {
          expect(error).toMatchObject({ name: "GitError" });
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

const hashBlob = (data: Buffer) =>
  createHash("sha1").update(`blob ${data.length}\0`).update(data).digest("hex");

function varint(value: number): Buffer {
  const bytes: number[] = [];
  do {
    bytes.push((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return Buffer.from(bytes);
}

function header(type: number, size: number): Buffer {
  const rest = Math.floor(size / 16);
  const first = (type << 4) | (size % 16);
  if (rest === 0) return Buffer.from([first]);
  const bytes = [first | 0x80];
  for (let left = rest; left > 0; left = Math.floor(left / 128))
    bytes.push((left % 128) | (left >= 128 ? 0x80 : 0));
  return Buffer.from(bytes);
}

const refDelta = (base: string, delta: Buffer) =>
  Buffer.concat([header(7, delta.length), Buffer.from(base, "hex"), deflateSync(delta)]);

function made(objects: Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  head.write("PACK");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  return sealed(Buffer.concat([head, ...objects, Buffer.alloc(20)]));
}

/** With a checksum that fits, so that what is wrong inside is looked at. */
function sealed(bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -20);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}
