import { randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createRowDigest } from "./digest.ts";
import { checkFile, readFile, writeFile } from "./file.ts";
import type { Manifest, Part } from "./read.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-snapshot-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const columns = [{ name: "id", type: "text" }];
const manifest: Manifest = {
  product: "1.0.0",
  engine: "pglite",
  createdAt: 1_700_000_000_000,
  migrations: [],
  tables: ["a", "b", "c"].map((name) => ({ name, columns, partitions: [] })),
  sequences: [{ name: "a_no", lastValue: "12", isCalled: true }],
};
const rows: Record<string, string[]> = {
  a: Array.from({ length: 5_000 }, (_, i) => JSON.stringify([`row ${i}`, null, "ä\n\u2028"])),
  b: [],
  c: [JSON.stringify([randomBytes(200_000).toString("hex")]), JSON.stringify([null])],
};

async function* listParts(): AsyncGenerator<Part> {
  yield { kind: "manifest", manifest };
  for (const [table, lines] of Object.entries(rows)) {
    const digest = createRowDigest();
    digest.add(lines);
    if (lines.length > 0) yield { kind: "rows", table, lines };
    yield { kind: "end", end: { table, rows: lines.length, digest: digest.render() } };
  }
}

let made = 0;
async function write(passphrase?: string): Promise<string> {
  const path = join(folder, `${++made}.backup`);
  await writeFile(path, listParts(), passphrase);
  return path;
}

const passphrases = { "without encryption": undefined, "with a passphrase": "correct horse battery" };

describe.each(Object.entries(passphrases))("a file %s", (_name, passphrase) => {
  test("gives back the rows of each table, in their order", async () => {
    const found: Record<string, string[]> = { a: [], b: [], c: [] };
    const ended: string[] = [];
    for await (const part of readFile(await write(passphrase), passphrase)) {
      if (part.kind === "manifest") expect(part.manifest).toEqual(manifest);
      if (part.kind === "rows") found[part.table]!.push(...part.lines);
      if (part.kind === "end") ended.push(part.end.table);
    }
    expect(found).toEqual(rows);
    expect(ended).toEqual(["a", "b", "c"]);
  });

  test("is refused when it was cut off at any place", async () => {
    const path = await write(passphrase);
    const all = readFileSync(path);
    for (const size of [0, 10, 60, 300, all.length >> 1, all.length - 100]) {
      writeFileSync(path, all);
      truncateSync(path, size);
      await expect(checkFile(path, passphrase), `${size} bytes`).rejects.toThrow(
        /not a backup|does not know|damaged|cut off/,
      );
    }
  });

  test("is refused when a byte of it was changed", async () => {
    const path = await write(passphrase);
    const all = readFileSync(path);
    const body = all.indexOf("\n", 20) + 1;
    for (const at of [body + 3, body + 200, all.length >> 1, all.length - 100]) {
      const changed = Buffer.from(all);
      changed[at] = changed[at]! ^ 0x10;
      writeFileSync(path, changed);
      await expect(checkFile(path, passphrase), `byte ${at}`).rejects.toThrow(/damaged|does not open/);
    }
  });
});

describe("an encrypted file", () => {
  test("is refused when something follows its end", async () => {
    const path = await write("correct horse battery");
    appendFileSync(path, "more");
    await expect(checkFile(path, "correct horse battery")).rejects.toThrow(/does not open/);
  });

  test("does not contain its rows in plain text, and opens only with its passphrase", async () => {
    const path = await write("correct horse battery");
    expect(readFileSync(path, "latin1")).not.toContain("row 1");
    await expect(checkFile(path)).rejects.toThrow("The backup is encrypted.");
    await expect(checkFile(path, "another horse battery")).rejects.toThrow(
      "The backup does not open with this passphrase or key file.",
    );
  });

  test("is refused when chunks were cut off after the first ones", async () => {
    const path = await write("correct horse battery");
    const all = readFileSync(path);
    const chunk = 65_536 + 16;
    const body = all.indexOf("\n", 20) + 1;
    expect(all.length).toBeGreaterThan(body + chunk);
    writeFileSync(path, all.subarray(0, body + chunk));
    await expect(checkFile(path, "correct horse battery")).rejects.toThrow(/does not open/);
  });

  test("is refused when its header was changed", async () => {
    const path = await write("correct horse battery");
    writeFileSync(
      path,
      readFileSync(path, "latin1").replace('{"encryption"', '{"x":1,"encryption"'),
      "latin1",
    );
    await expect(checkFile(path, "correct horse battery")).rejects.toThrow(/does not open/);
  });
});

test("an unencrypted file whose rows were changed together with its compression is refused", async () => {
  const { zstdCompressSync, zstdDecompressSync } = await import("node:zlib");
  const path = await write();
  const all = readFileSync(path);
  const body = all.indexOf("\n", 20) + 1;
  const text = zstdDecompressSync(all.subarray(body)).toString();
  writeFileSync(
    path,
    Buffer.concat([all.subarray(0, body), zstdCompressSync(text.replace("row 77", "row 78"))]),
  );
  await expect(checkFile(path)).rejects.toThrow("the rows of a are not those that were written");
});

test("a file of another program is refused in one sentence", async () => {
  const path = join(folder, "other");
  writeFileSync(path, "PGDMP and so on\nand on\n");
  await expect(checkFile(path)).rejects.toThrow(`${path} is not a backup of Signalbox.`);
  writeFileSync(path, "SIGNALBOX-BACKUP 2\n{}\n");
  await expect(checkFile(path)).rejects.toThrow("a format that this version does not know");
});

test("a folder is not read as a backup", async () => {
  await expect(checkFile(folder)).rejects.toThrow(`${folder} cannot be read (EISDIR).`);
});
