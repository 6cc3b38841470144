import { readEventStream } from "@signalbox/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineSplitter } from "./lines.ts";
import { parseOutputLine } from "./output.ts";
import { fitPayload, maxPayloadBytes } from "./payload.ts";

/** The bytes in pieces, cut anywhere. */
const inPieces = (bytes: Buffer, cuts: number[]): Buffer[] => {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
};

const split = (pieces: Buffer[], max = 1000) => {
  const splitter = createLineSplitter(max);
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
};

describe("lines", () => {
  test("are the same for any split of the bytes", () => {
    const text = fc.array(fc.string({ unit: "binary" }).map((line) => line.replaceAll(/[\n\r]/g, "")));
    fc.assert(
      fc.property(text, fc.array(fc.nat()), fc.constantFrom("\n", "\r\n"), (lines, cuts, newline) => {
        const bytes = Buffer.from(lines.map((line) => line + newline).join(""));
        const well = lines.map((line) => ({ text: line.toWellFormed() }));
        expect(split(inPieces(bytes, cuts), 10_000)).toEqual(well);
      }),
    );
  });

  test("that are too long are cut between characters, and state their full length", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.nat(30),
        fc.array(fc.nat()),
        (raw, max, cuts) => {
          const line = raw.replaceAll(/[\n\r]/g, "") || "é";
          const bytes = Buffer.from(`${line}\nnext`);
          const [first, second] = split(inPieces(bytes, cuts), max + 4);
          const length = Buffer.byteLength(line);
          if (length <= max + 4) return void expect(first).toEqual({ text: line });
          expect(first!.bytes).toBe(length);
          expect(line.startsWith(first!.text)).toBe(true);
          expect(Buffer.byteLength(first!.text)).toBeGreaterThan(max);
          expect(second).toEqual({ text: "next" });
        },
      ),
    );
  });

  test("that never end use no more memory than the limit", () => {
    const splitter = createLineSplitter(100);
    const piece = Buffer.alloc(1 << 20, "x");
    for (let i = 0; i < 100; i++) expect(splitter.push(piece)).toEqual([]);
    expect(splitter.end()).toEqual([{ text: "x".repeat(100), bytes: 100 << 20 }]);
  });
});

describe("the output of a program", () => {
  const of = (value: unknown) => parseOutputLine({ text: JSON.stringify(value) });

  test("a plain line becomes an assistant event, and an empty line becomes no event", () => {
    expect(parseOutputLine({ text: "hello" })).toEqual({
      event: { type: "assistant", payload: { text: "hello" } },
      plain: "hello",
    });
    expect(parseOutputLine({ text: "  " })).toBeUndefined();
  });

  test.for([["42"], ['"text"'], ["[1]"], ["{}"], ['{"type":7}'], ['{"type":"assistant"'], ["null"]])(
    "%s is treated as a plain line",
    ([text]) => {
      expect(parseOutputLine({ text: text! })).toMatchObject({ event: { payload: { text } }, plain: text });
    },
  );

  test("a result is parsed from our field names and from those of other programs", () => {
    expect(
      of({ type: "result", summary: "Done.", usage: { inputTokens: 1, outputTokens: 2, costMicros: 3 } }),
    ).toEqual({
      result: {
        summary: "Done.",
        usage: { inputTokens: 1, outputTokens: 2, costMicros: 3 },
        failed: false,
        error: null,
        sessionId: null,
        workspaceId: null,
      },
    });
    expect(
      of({
        type: "result",
        is_error: true,
        result: "No.",
        session_id: "s-1",
        total_cost_usd: 0.0123,
        usage: { input_tokens: 7, output_tokens: 8 },
      }),
    ).toMatchObject({
      result: {
        summary: "No.",
        failed: true,
        sessionId: "s-1",
        usage: { inputTokens: 7, outputTokens: 8, costMicros: 12_300 },
      },
    });
    expect(of({ type: "result", error: { message: "later", retryable: true } })).toMatchObject({
      result: { failed: true, error: { message: "later", retryable: true } },
    });
  });

  test("a terminal line does not end the run: it only sets the result", () => {
    expect(of({ type: "terminal", payload: { summary: "Bye." } })).toMatchObject({
      result: { summary: "Bye." },
    });
  });

  test("any line becomes an event that the server accepts", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc
        .record({ type: fc.constantFrom("user", "usage", "result", "x"), payload: fc.jsonValue() })
        .map((value) => JSON.stringify(value)),
      fc
        .string({ unit: "binary" })
        .map((text) => JSON.stringify({ type: "assistant", [text]: text, deep: [[text]] })),
    );
    fc.assert(
      fc.property(line, (text) => {
        const said = parseOutputLine({ text });
        if (!said || "result" in said) return;
        const json = JSON.stringify(said.event.payload);
        expect(json).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i);
        expect(said.event.payload).toBeTypeOf("object");
        expect(Array.isArray(said.event.payload)).toBe(false);
      }),
    );
  });

  test("payloads are cut to the size that the server accepts, and are marked as cut", () => {
    const letters = ["x", "é", "\u0001", "\0", "𝄞", '"'];
    for (const letter of letters) {
      for (const payload of [{ text: letter.repeat(300_000) }, { a: letter.repeat(300_000), b: 1 }]) {
        const fitted = fitPayload(payload);
        expect(fitted.cut).toBe(true);
        const size = Buffer.byteLength(JSON.stringify(fitted));
        expect(size).toBeLessThanOrEqual(maxPayloadBytes);
        expect(size).toBeGreaterThan(maxPayloadBytes * 0.9);
      }
    }
    let deep: unknown = 1;
    for (let i = 0; i < 5_000; i++) deep = [deep];
    expect(fitPayload({ deep })).toMatchObject({ cut: true });
  });
});

test("a usage event that is too long keeps what decides its cost", () => {
  const names = { provider: "openai", model: "m-1" };
  const line = {
    type: "usage",
    input_tokens: 7,
    cache_read_input_tokens: 5,
    ...names,
    note: "x".repeat(300_000),
  };
  const parsed = parseOutputLine({ text: JSON.stringify(line) });
  expect(parsed).toMatchObject({
    event: { type: "usage", payload: { cut: true, inputTokens: 12, cacheReadTokens: 5, ...names } },
  });
});

describe("the stream of wake-up messages", () => {
  test("is parsed the same for any split of the bytes", async () => {
    const text =
      'retry: 2000\n\nid: 5\nevent: work\ndata: {"a":"é"}\n\n: still here\n\nevent: sync\ndata: {}\n\nid: 9\nevent: cut';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), async (cuts) => {
        const seen: unknown[] = [];
        let pieces = 0;
        const body = ReadableStream.from(inPieces(Buffer.from(text), cuts));
        const onActivity = () => pieces++;
        for await (const message of readEventStream(body, { onActivity })) seen.push(message);
        expect(seen).toEqual([
          { id: "5", event: "work", data: '{"a":"é"}' },
          { id: undefined, event: "sync", data: "{}" },
        ]);
        expect(pieces).toBeGreaterThan(0);
      }),
    );
  });
});
