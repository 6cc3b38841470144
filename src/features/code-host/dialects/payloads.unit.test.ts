import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpus } from "../../../../test/fixtures/webhook-payloads.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Dialect } from "./index.ts";
import { parseDelivery } from "./payload.ts";

const readText = (dialect: Dialect, event: string, text: string | Buffer, contentType = "application/json") =>
  parseDelivery({ dialect, event, contentType, body: Buffer.from(text) }).event;

const head = "a".repeat(40);
const zeros = "0".repeat(40);

describe("a push", () => {
  const push = { type: "push", repository: "Acme/Playbook", changes: [{ ref: "refs/heads/main", head }] };

  test.each(corpus.filter(({ name }) => name.includes("push to main")))(
    "is parsed: $name",
    ({ dialect, event, body }) => {
      expect(readText(dialect, event, JSON.stringify(body))).toMatchObject(push);
    },
  );

  test("of a tag, or of a deleted ref, has no head", () => {
    const body = (more: object) =>
      JSON.stringify({ ref: "refs/heads/main", after: head, repository: { full_name: "a/b" }, ...more });
    const of = (more: object) => readText("github", "push", body(more));
    expect(of({ after: zeros, deleted: true })).toMatchObject({
      changes: [{ ref: "refs/heads/main", head: null }],
    });
    expect(of({ ref: "refs/tags/v1" })).toMatchObject({ changes: [{ ref: "refs/tags/v1", head: null }] });
    expect(of({ after: "A".repeat(40) })).toMatchObject({ changes: [{ head }] });
    expect(of({ after: "b".repeat(64) })).toMatchObject({ changes: [{ head: "b".repeat(64) }] });
    expect(of({ installation: { id: 42 } })).toMatchObject({ installationId: "42" });
  });

  test("of several refs has a change for each", () => {
    const change = (name: string, hash: string) => ({
      new: { type: "branch", name, target: { hash } },
      old: null,
    });
    const gone = { new: null, old: { type: "branch", name: "old" }, closed: true };
    const changes = [
      change("main", head),
      gone,
      { new: { type: "tag", name: "v1", target: { hash: head } } },
    ];
    const body = { push: { changes }, repository: { full_name: "a/b" } };
    expect(readText("bitbucket", "repo:push", JSON.stringify(body))).toMatchObject({
      changes: [
        { ref: "refs/heads/main", head },
        { ref: "refs/heads/old", head: null },
        { ref: "refs/tags/v1", head: null },
      ],
    });
  });

  test("is parsed from a form for GitHub only", () => {
    const json = JSON.stringify(corpus[0]!.body);
    const form = new URLSearchParams({ payload: json }).toString();
    const type = "application/x-www-form-urlencoded";
    expect(readText("github", "push", form, type)).toMatchObject(push);
    expect(() => readText("github", "push", "other=1", type)).toThrow(Refusal);
    expect(() => readText("gitea", "push", form, type)).toThrow(Refusal);
    expect(() => readText("github", "push", json, "text/plain")).toThrow(Refusal);
  });
});

test.each(corpus)("$name is parsed to its event", ({ dialect, event, body, expected }) => {
  expect(readText(dialect, event, JSON.stringify(body))).toMatchObject(expected);
});

test("the body of an event that has no effect is not parsed", () => {
  expect(readText("github", "ping", "not json")).toEqual({ type: "ignored", reason: "event ignored" });
  expect(readText("github", "__proto__", "{}")).toEqual({ type: "ignored", reason: "event ignored" });
});

describe("a body that does not match its event", () => {
  test.each(corpus)(
    "$name: with a wrong value in any place, it is ignored or refused",
    ({ dialect, event, body }) => {
      for (const [what, broken] of breakEveryPlace(body)) {
        const outcome = attempt(() => readText(dialect, event, JSON.stringify(broken)));
        expect(outcome, what).not.toMatch(/^fault/);
      }
    },
  );

  test("only a JSON object in UTF-8 is accepted", () => {
    const wrong = ["", "null", "[]", '"x"', "1", "{", "{}x", Buffer.from([0xff, 0xfe]), "\ufeff{}"];
    for (const body of wrong) {
      expect(() => readText("github", "push", body)).toThrow(Refusal);
    }
  });

  test("deep nesting is accepted", () => {
    const deep = (open: string, close: string) => `{"x":${open.repeat(200_000)}1${close.repeat(200_000)}}`;
    expect(attempt(() => readText("github", "push", deep("[", "]")))).toBe("ignored");
    expect(attempt(() => readText("github", "push", deep('{"a":', "}")))).toBe("ignored");
  });

  test("no value causes an internal error", () => {
    const kinds = corpus.map(({ dialect, event }) => ({ dialect, event }));
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.jsonValue({ maxDepth: 5 }), ({ dialect, event }, value) => {
        expect(attempt(() => readText(dialect, event, JSON.stringify(value)))).not.toMatch(/^fault/);
      }),
      { numRuns: 500 },
    );
    // Bodies of the right shape, with anything at all in one place.
    fc.assert(
      fc.property(fc.constantFrom(...corpus), fc.jsonValue(), fc.nat(), (one, value, n) => {
        const places = [...listPlaces(one.body)];
        const broken = replaceAt(one.body, places[n % places.length]!, value);
        const outcome = attempt(() => readText(one.dialect, one.event, JSON.stringify(broken)));
        expect(outcome).not.toMatch(/^fault/);
      }),
      { numRuns: 1500 },
    );
  });
});

function attempt(work: () => { type: string }): string {
  try {
    const event = work();
    // An accepted value can be stored.
    expect(JSON.stringify(event)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
    return event.type;
  } catch (error) {
    return error instanceof Refusal && error.status === 400 ? "refused" : `fault: ${error}`;
  }
}

type Place = readonly (string | number)[];

function* listPlaces(value: unknown, at: Place = []): Generator<Place> {
  if (value === null || typeof value !== "object") return;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    yield [...at, key];
    yield* listPlaces((value as Record<string, unknown>)[key as string], [...at, key]);
  }
}

function replaceAt(value: unknown, [first, ...rest]: Place, by: unknown): unknown {
  if (first === undefined) return by;
  const copy: Record<string, unknown> = structuredClone(value) as never;
  copy[first] = replaceAt(copy[first], rest, by);
  if (copy[first] === undefined) delete copy[first];
  return copy;
}

function* breakEveryPlace(body: unknown): Generator<[string, unknown]> {
  const values = [
    undefined,
    null,
    "",
    "x\u0000y",
    "\ud800",
    1.5,
    -1,
    1e300,
    true,
    [],
    {},
    [[]],
    "x".repeat(100_000),
  ];
  for (const place of listPlaces(body))
    for (const value of values)
      yield [`${place.join(".")} = ${String(value).slice(0, 20)}`, replaceAt(body, place, value)];
}
