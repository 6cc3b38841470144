import { createHash } from "node:crypto";
import { type Budget, createBudget, stepBytes } from "./budget.ts";
import { applyDelta, readDeltaSizes } from "./delta.ts";
import { GitError, malformed } from "./errors.ts";
import { inflate, skipInflated } from "./inflate.ts";
import { type GitLimits, mebibytes } from "./limits.ts";
import { createYield } from "./turns.ts";

export type ObjectType = "commit" | "tree" | "blob" | "tag";

/** The objects of a pack by their id. Nothing but the pack itself is held; an object is put together when it is read. */
export interface Pack {
  /** Undefined when it is not in the pack. */
  find(id: string): { type: ObjectType; size: number } | undefined;
  read(id: string): { type: ObjectType; data: Buffer };
  readonly size: number;
  /** The number of objects that are too large, or built from one that is. `find` does not return them. */
  readonly skipped: number;
}

interface Entry {
  /** Of what stands in the pack: the object, or the delta. */
  size: number;
  dataAt: number;
  type: ObjectType | undefined;
  base: Entry | string | undefined;
  /** Of the object. */
  length: number;
}

const types: Record<number, ObjectType | "offset" | "reference"> = {
  1: "commit",
  2: "tree",
  3: "blob",
  4: "tag",
  6: "offset",
  7: "reference",
};

export async function openPack(
  bytes: Buffer,
  limits: GitLimits,
  budget: Budget = createBudget(limits),
  signal?: AbortSignal,
): Promise<Pack> {
  if (bytes.length < 32 || bytes.toString("latin1", 0, 4) !== "PACK") throw malformed("there is no pack");
  const version = bytes.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw new GitError("unsupported", "The pack has an unknown version.");
  const count = bytes.readUInt32BE(8);
  if (count > limits.objects)
    throw new GitError("too_large", `The repository has more than ${limits.objects} objects to read.`);
  const end = bytes.length - 20;
  const sum = createHash("sha1").update(bytes.subarray(0, end)).digest();
  if (!sum.equals(bytes.subarray(end))) throw malformed("the checksum of the pack is wrong");

  let inflated = 0;
  const spend = (size: number) => {
    inflated += size;
    budget.charge(size + stepBytes);
    if (inflated > limits.inflatedBytes) {
      throw new GitError(
        "too_large",
        `What the repository holds is more than ${mebibytes(limits.inflatedBytes)}.`,
      );
    }
  };
  const cache = createCache(limits.cacheBytes);
  const turn = createYield(signal);
  const byId = new Map<string, Entry>();
  const byOffset = new Map<number, Entry>();
  const waiting = new Map<Entry | string, Entry[]>();
  const roots: [Entry, string][] = [];
  let skipped = 0;
  let at = 12;
  for (let i = 0; i < count; i++) {
    await turn();
    const { entry, next } = readHeader(at);
    byOffset.set(at, entry);
    at = next;
    spend(entry.size);
    if (entry.size > limits.objectBytes) {
      skipped++;
      at += await skipInflated(bytes.subarray(at, end), entry.size);
      continue;
    }
    const { data, consumed } = inflate(bytes.subarray(at, end), entry.size);
    at += consumed;
    if (entry.type) {
      const id = computeId(entry.type, data);
      byId.set(id, entry);
      roots.push([entry, id]);
    } else {
      entry.length = readDeltaSizes(data).result;
      const siblings = waiting.get(entry.base!);
      if (siblings) siblings.push(entry);
      else waiting.set(entry.base!, [entry]);
    }
  }
  if (at !== end) throw malformed("the pack holds more than it announces");
  await resolve();

  return {
    size: byId.size,
    skipped,
    find: (id) => {
      const entry = byId.get(id);
      return entry?.type && { type: entry.type, size: entry.length };
    },
    read(id) {
      const entry = byId.get(id);
      if (!entry?.type) throw malformed("an object is missing");
      return { type: entry.type, data: buildContent(entry) };
    },
  };

  function readHeader(offset: number): { entry: Entry; next: number } {
    let position = offset;
    const byte = () => {
      if (position >= end) throw malformed("the pack was cut short");
      return bytes[position++]!;
    };
    let next = byte();
    const type = types[(next >> 4) & 7];
    let size = next & 15;
    for (let scale = 16; next & 0x80; scale *= 128) {
      next = byte();
      if (scale > 2 ** 42) throw malformed("an object has an impossible size");
      size += (next & 0x7f) * scale;
    }
    let base: Entry["base"];
    if (type === "offset") {
      next = byte();
      let distance = next & 0x7f;
      while (next & 0x80) {
        next = byte();
        distance = (distance + 1) * 128 + (next & 0x7f);
        if (distance > offset) break;
      }
      base = byOffset.get(offset - distance);
      if (!base) throw malformed("a delta has no base");
    } else if (type === "reference") {
      if (position + 20 > end) throw malformed("the pack was cut short");
      base = bytes.toString("hex", position, position + 20);
      position += 20;
    } else if (!type) throw malformed("an object has an unknown type");
    const own = type === "offset" || type === "reference" ? undefined : type;
    return { entry: { size, dataAt: position, type: own, base, length: size }, next: position };
  }

  /** The id of a delta depends on its result, so each is applied once, from its base, depth first. */
  async function resolve(): Promise<void> {
    let left = [...waiting.values()].reduce((sum, { length }) => sum + length, 0);
    // Children are removed when they are read. A repeated base would otherwise repeat all its deltas.
    const takeChildren = (entry: Entry, id: string) =>
      [entry, id].flatMap((base) => {
        const children = waiting.get(base) ?? [];
        waiting.delete(base);
        return children;
      });
    for (const [root, rootId] of roots) {
      if (left === 0) return;
      await turn();
      const first = takeChildren(root, rootId);
      if (first.length === 0) continue;
      spend(root.length);
      const frames = [{ entry: root, data: buildContent(root), children: first }];
      let heldBytes = root.length;
      for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
        const child = frame.children.pop();
        if (!child) {
          heldBytes -= frames.pop()!.data.length;
          continue;
        }
        await turn();
        left--;
        if (frames.length > limits.deltaDepth)
          throw new GitError("too_large", `Deltas stand ${limits.deltaDepth} deep on each other.`);
        if (child.length > limits.objectBytes) {
          skipped += 1;
          continue;
        }
        spend(child.length);
        const delta = inflate(bytes.subarray(child.dataAt, end), child.size).data;
        const data = applyDelta(frame.data, delta, limits.objectBytes, budget.charge);
        child.type = frame.entry.type;
        child.base = frame.entry;
        const id = computeId(child.type!, data);
        byId.set(id, child);
        const children = takeChildren(child, id);
        if (children.length === 0) continue;
        frames.push({ entry: child, data, children });
        heldBytes += data.length;
        if (heldBytes > limits.heldBytes)
          throw new GitError("too_large", `Deltas hold more than ${mebibytes(limits.heldBytes)} at once.`);
      }
    }
    if (left > 0 && skipped === 0) throw malformed("a delta has no base");
    skipped += left;
  }

  /** Builds an object from its nearest cached base, and caches every object on the way. */
  function buildContent(entry: Entry): Buffer {
    const chain: Entry[] = [];
    let base = entry;
    let data = cache.find(base);
    while (!data && typeof base.base === "object") {
      chain.push(base);
      base = base.base;
      data = cache.find(base);
    }
    budget.charge(stepBytes);
    if (!data) {
      budget.charge(base.size);
      data = inflate(bytes.subarray(base.dataAt, end), base.size).data;
      cache.keep(base, data);
    }
    for (const next of chain.reverse()) {
      budget.charge(next.length + next.size + stepBytes);
      const delta = inflate(bytes.subarray(next.dataAt, end), next.size).data;
      data = applyDelta(data, delta, limits.objectBytes, budget.charge);
      cache.keep(next, data);
    }
    return data;
  }
}

/** Keeps the most recently used objects, up to `maxBytes`. */
function createCache(maxBytes: number) {
  const cached = new Map<Entry, Buffer>();
  let size = 0;
  return {
    find(entry: Entry): Buffer | undefined {
      const data = cached.get(entry);
      if (data) {
        cached.delete(entry);
        cached.set(entry, data);
      }
      return data;
    },
    keep(entry: Entry, data: Buffer): void {
      if (data.length > maxBytes) return;
      cached.set(entry, data);
      size += data.length + entryBytes;
      for (const [oldest, { length }] of cached) {
        if (size <= maxBytes) break;
        cached.delete(oldest);
        size -= length + entryBytes;
      }
    },
  };
}

/** Memory that a cached object uses besides its data. */
const entryBytes = 256;

const computeId = (type: ObjectType, data: Buffer): string =>
  createHash("sha1").update(`${type} ${data.length}\0`).update(data).digest("hex");
