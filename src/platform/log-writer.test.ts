import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLogWriter } from "./log-writer.ts";

type Done = (error: NodeJS.ErrnoException | null, written: number) => void;

const failure = (code: string) => Object.assign(new Error(code), { code });

function open({ maxWaitingBytes = 1_000_000 } = {}) {
  const writes: { text: string; finish(error?: string): void; accept(bytes: number): void }[] = [];
  const system = {
    write: vi.fn((_fd: number, bytes: Buffer, _from: number, length: number, _at: null, done: Done) => {
      writes.push({
        text: bytes.toString(),
        finish: (error) => done(error ? failure(error) : null, error ? 0 : length),
        accept: (size) => done(null, size),
      });
    }),
    writeSync: vi.fn((_fd: number, bytes: Buffer) => bytes.length),
  };
  const writer = createLogWriter({
    ...{ fd: 2, maxWriteBytes: 4096, maxWaitingBytes, fields: { process: 3 } },
    system: system as never,
  });
  return { ...writer, writes, system };
}

describe("lines of the log", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = () => vi.advanceTimersByTime(100);

  test("leave together after a tenth of a second, and nothing is written without lines", () => {
    const { write, writes } = open();
    pass();
    expect(writes).toEqual([]);
    write("one\n");
    write("zwölf\n");
    expect(writes).toEqual([]);
    pass();
    writes[0]!.finish();
    vi.advanceTimersByTime(10_000);
    expect(writes.map(({ text }) => text)).toEqual(["one\nzwölf\n"]);
  });

  test("leave at once in batches of up to 4 KiB, one after the other and in order", () => {
    const { write, writes } = open();
    const lines = Array.from({ length: 100 }, (_, i) => `${i} ${"ü".repeat(60)}\n`);
    for (const line of [...lines, `${"x".repeat(10_000)}\n`]) write(line);
    for (let i = 0; i < 10; i++) {
      expect(writes.length).toBeLessThanOrEqual(i + 1);
      writes[i]?.finish();
      pass();
    }
    const texts = writes.map(({ text }) => text);
    expect(texts.join("")).toBe(`${lines.join("")}${"x".repeat(10_000)}\n`);
    expect(texts.pop()).toHaveLength(10_001);
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    expect(texts.length).toBeLessThan(5);
  });

  test("that are written in part, or that a slow reader cannot take yet, are continued", () => {
    const { write, writes } = open();
    write("abcdef\n");
    pass();
    writes[0]!.finish("EAGAIN");
    write("more\n");
    expect(writes).toHaveLength(1);
    pass();
    writes[1]!.accept(3);
    writes[2]!.finish();
    writes[3]!.finish();
    expect(writes.map(({ text }) => text)).toEqual(["abcdef\n", "abcdef\n", "def\n", "more\n"]);
  });

  test("wait only as long as a slow reader takes nothing", () => {
    const { write, writes } = open();
    write("one\n");
    pass();
    for (let i = 0; i < 10; i++) {
      writes.at(-1)!.finish("EAGAIN");
      vi.advanceTimersByTime(5);
      expect(writes).toHaveLength(2 * i + 2);
      writes.at(-1)!.accept(0);
      expect(writes).toHaveLength(2 * i + 3);
    }
    for (let i = 0; i < 10; i++) {
      writes.at(-1)!.finish("EAGAIN");
      vi.advanceTimersByTime(100);
    }
    writes.at(-1)!.finish("EAGAIN");
    vi.advanceTimersByTime(50);
    expect(writes).toHaveLength(31);
  });

  test("that find no room are dropped and counted", () => {
    const { write, writes } = open({ maxWaitingBytes: 20 });
    for (let i = 0; i < 10; i++) write(`line ${i}\n`);
    pass();
    writes[0]!.finish();
    pass();
    expect(writes[0]!.text).toBe("line 0\nline 1\n");
    expect(JSON.parse(writes[1]!.text)).toMatchObject({ level: "warn", lines: 8 });
  });

  test("that cannot be stored, as on a full disk, are dropped and counted, and later ones are written", () => {
    const { write, writes } = open();
    write("one\ntwo\n");
    pass();
    writes[0]!.finish("ENOSPC");
    write("three\n");
    pass();
    writes[1]!.finish();
    pass();
    expect(writes[1]!.text).toBe("three\n");
    expect(JSON.parse(writes[2]!.text)).toMatchObject({ lines: 2 });
  });

  test("do not become a part of a line that was stored in part before the disk was full", () => {
    const { write, writes } = open();
    write("one\n");
    write("two\n");
    pass();
    writes[0]!.accept(6);
    writes[1]!.finish("ENOSPC");
    write("three\n");
    pass();
    writes[2]!.finish("ENOSPC");
    write("four\n");
    pass();
    writes[3]!.finish();
    pass();
    expect(writes[3]!.text).toBe("\nfour\n");
    expect(JSON.parse(writes[4]!.text)).toMatchObject({ lines: 2 });
  });

  test("are ignored when the reader is gone", () => {
    const { write, writes, end, system } = open();
    write("one\n");
    pass();
    write("two\n");
    writes[0]!.finish("EPIPE");
    write("three\n");
    pass();
    end();
    expect(writes).toHaveLength(1);
    expect(system.writeSync).not.toHaveBeenCalled();
  });
});

describe("at the end of the process, the rest of the log", () => {
  const openWith = (writeSync: (bytes: Buffer) => number) => {
    const opened = open();
    opened.system.writeSync.mockImplementation((_fd, bytes) => writeSync(bytes));
    opened.write("one\n");
    opened.write("two\n");
    return opened;
  };

  test("is written, also in parts", () => {
    let text = "";
    openWith((bytes) => {
      text += bytes.toString("utf8", 0, 3);
      return Math.min(3, bytes.length);
    }).end();
    expect(text).toBe("one\ntwo\n");
  });

  test("is written in batches too, and says how many lines were dropped", () => {
    const { write, end, system } = open({ maxWaitingBytes: 10_000 });
    for (const letter of "abcd") write(`${letter.repeat(2_999)}\n`);
    end();
    const texts = system.writeSync.mock.calls.map(([, bytes]) => bytes.toString());
    expect(texts.map((text) => text[0])).toEqual(["b", "c"]);
    expect(JSON.parse(texts[1]!.split("\n")[1]!)).toMatchObject({ lines: 1, process: 3 });
  });

  test("is given up when the reader is gone or the disk is full", () => {
    for (const code of ["EPIPE", "ENOSPC"]) {
      const { end, system } = openWith(() => {
        throw failure(code);
      });
      end();
      expect(system.writeSync).toHaveBeenCalledTimes(1);
    }
  });

  test("waits for a slow reader, but not for long", () => {
    const started = performance.now();
    openWith(() => {
      throw failure("EAGAIN");
    }).end();
    const waited = performance.now() - started;
    expect(waited).toBeGreaterThan(500);
    expect(waited).toBeLessThan(10_000);
  });

  test("does not wait at all for a reader who has not read for a second", () => {
    vi.useFakeTimers();
    const { write, end, system } = open();
    write("one\n");
    vi.advanceTimersByTime(100);
    write("two\n");
    vi.advanceTimersByTime(2_000);
    end();
    expect(system.writeSync).not.toHaveBeenCalled();
    vi.useRealTimers();
  });
});

// The new process makes its stderr blocking, and this is the same one.
test("a process whose log nobody reads ends, also after it started another one", async () => {
  const log = JSON.stringify(new URL("./log.ts", import.meta.url).href);
  const source = `
    import { spawnSync } from "node:child_process";
    import { createLog } from ${log};
    const log = createLog("info", { format: "json" });
    log.info("first");
    spawnSync(process.execPath, ["--version"], { stdio: ["ignore", "ignore", "inherit"] });
    for (let n = 0; n < 3_000; n++) log.info("x".repeat(300));
    setTimeout(() => process.exit(0), 500);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "ignore", "pipe"],
    ...{ timeout: 20_000, killSignal: "SIGKILL" },
  });
  const [code, signal] = await once(child, "exit");
  child.stderr!.destroy();
  expect(code ?? signal).toBe(0);
});
