import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Bus } from "../bus.ts";
import type { Caller, Ctx } from "../context.ts";
import { newId } from "../ids.ts";
import { newToken } from "../secrets.ts";
import { createAuthenticator } from "./authenticate.ts";

/** A lookup that takes as long as the test says, and a bus that speaks when the test does. */
let lookups: { answer(caller: Caller | undefined): void; fail(): void }[];
let announce: (id: string) => void;
let authenticate: ReturnType<typeof createAuthenticator>;
let gap: () => void;

beforeEach(() => {
  lookups = [];
  const bus: Bus = {
    publish: async () => {},
    send: async () => {},
    subscribe: (_topic, listener) => {
      announce = listener.onMessage;
      gap = listener.onGap;
      return () => {};
    },
    isUp: () => true,
    close: async () => {},
  };
  const find = () =>
    new Promise<Caller | undefined>((answer, reject) => {
      lookups.push({ answer, fail: () => reject(new Error("the database is away")) });
    });
  authenticate = createAuthenticator({ bus, config: { publicUrl: "http://localhost" } }, [
    { kind: "session", carrier: "session", cookieName: () => "cookie", find },
    { kind: "key", carrier: "x-api-key", prefix: "sbx_", find },
    { kind: "run", carrier: "bearer", prefix: "sbt_", cached: false, find },
  ]);
});

const ada: Caller = { credential: "session", credentialId: "ses_1", principal: "person", userId: "usr_1" };
/** A caller in the cache is returned at once, without a promise. */
const callNow = (headers: Record<string, string> = {}) =>
  authenticate({} as Ctx, { method: "GET", headers: { authorization: "Bearer token", ...headers } });
const call = async (headers: Record<string, string> = {}) => callNow(headers);
/** What came of a call, without letting a refusal escape. */
const outcome = (calling: Promise<Caller | undefined>) =>
  calling.then(
    (caller) => caller?.credentialId,
    (error: Error) => error.message,
  );

describe("the cache of callers", () => {
  test("answers at once, and no longer after the credential has ended", async () => {
    const key = newToken("sbx_");
    const owner: Caller = { ...ada, credential: "key", credentialId: "key_1" };
    const first = call({ "x-api-key": key });
    lookups[0]!.answer(owner);
    expect(await first).toBe(owner);
    expect(callNow({ "x-api-key": key })).toBe(owner);
    announce("key_1");
    const second = call({ "x-api-key": key });
    lookups[1]!.answer(undefined);
    expect(await outcome(second)).toBe("unauthorized");
  });

  test("does not mix up the ways in which a token is sent", async () => {
    const byCookie = (token: string, headers: { "x-organization-id"?: string } = {}) =>
      authenticate({} as Ctx, { method: "GET", headers: { cookie: `cookie=${token}`, ...headers } });
    const token = "a-session";
    const organization = newId("org");
    for (const headers of [{}, { "x-organization-id": organization }]) {
      const signedIn = byCookie(token, headers);
      lookups.at(-1)!.answer(ada);
      expect(await signedIn).toBe(ada);
    }
    for (const sent of [token, `${token} ${organization}`])
      expect(await outcome(call({ "x-api-key": sent }))).toBe("unauthorized");

    const key = newToken("sbx_");
    const owner = call({ "x-api-key": key });
    lookups.at(-1)!.answer({ ...ada, credential: "key", credentialId: "key_1" });
    await owner;
    expect(() => byCookie(key)).toThrow("unauthorized");
    expect(() => byCookie(newToken("sbt_"))).toThrow("unauthorized");
  });

  test("avoids lookups for at most a second", async () => {
    const first = call();
    lookups[0]!.answer(ada);
    expect(await first).toBe(ada);
    expect(await call()).toBe(ada);
    expect(lookups).toHaveLength(1);
    await pause(950);
    void outcome(call());
    expect(lookups).toHaveLength(2);
  });

  test("is not used for tokens whose end is not announced", async () => {
    const authorization = `Bearer ${newToken("sbt_")}`;
    for (let i = 0; i < 3; i++) {
      const calling = call({ authorization });
      expect(lookups).toHaveLength(i + 1);
      lookups[i]!.answer(ada);
      expect(await calling).toBe(ada);
    }
    const over = outcome(call({ authorization }));
    lookups[3]!.answer(undefined);
    expect(await over).toBe("unauthorized");
    expect(await outcome(call({ authorization: "Bearer sbt_mistyped" }))).toBe("unauthorized");
    expect(lookups).toHaveLength(4);
  });

  test("shares one lookup between two calls at the same moment", async () => {
    const both = Promise.all([call(), call()]);
    expect(lookups).toHaveLength(1);
    lookups[0]!.answer(ada);
    expect(await both).toEqual([ada, ada]);
  });

  test("drops a caller when any id of the caller is announced, and only then", async () => {
    const first = call();
    lookups[0]!.answer(ada);
    await first;
    announce("usr_other");
    await call();
    expect(lookups).toHaveLength(1);
    announce("usr_1");
    void outcome(call());
    expect(lookups).toHaveLength(2);
  });

  test("does not keep a lookup that began before a revocation", async () => {
    const early = outcome(call());
    announce("anything");
    lookups[0]!.answer(ada);
    // The call that began before it may still be answered by what was true then.
    expect(await early).toBe("ses_1");
    const late = outcome(call());
    expect(lookups).toHaveLength(2);
    lookups[1]!.answer(undefined);
    expect(await late).toBe("unauthorized");
  });

  test("is emptied when announcements may have been lost", async () => {
    const first = call();
    lookups[0]!.answer(ada);
    await first;
    gap();
    void outcome(call());
    expect(lookups).toHaveLength(2);
  });

  test("does not keep a failed lookup, and keeps a newer successful one", async () => {
    const failing = outcome(call());
    announce("anything");
    const newer = call();
    lookups[1]!.answer(ada);
    await newer;
    lookups[0]!.fail();
    expect(await failing).toBe("the database is away");
    await call();
    expect(lookups).toHaveLength(2);
  });

  test("does not keep unknown callers", async () => {
    for (let i = 0; i < 3; i++) {
      const calling = outcome(call());
      lookups[i]!.answer(undefined);
      expect(await calling).toBe("unauthorized");
    }
    expect(lookups).toHaveLength(3);
  });

  test("has one entry for all invalid organization ids of a caller", async () => {
    const first = call({ "x-organization-id": "garbage" });
    lookups[0]!.answer(ada);
    await first;
    for (let i = 0; i < 50; i++) await call({ "x-organization-id": `garbage ${i} ${"x".repeat(1000)}` });
    expect(lookups).toHaveLength(1);
  });

  test("keeps a caller when another one names thousands of organizations", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const flood = (count: number) =>
        Array.from({ length: count }, () =>
          outcome(call({ authorization: "Bearer other", "x-organization-id": newId("org") })),
        );
      const before = flood(19_900);
      const first = call();
      lookups.at(-1)!.answer(ada);
      await first;
      const after = flood(200);
      expect(lookups).toHaveLength(20_101);
      expect(await call()).toBe(ada);
      expect(lookups).toHaveLength(20_101);
      for (const lookup of lookups) lookup.answer(undefined);
      await Promise.all([...before, ...after]);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    [
      "a mistyped API key",
      "sbx_wrong",
      "The API key is not complete, or a character is wrong. Copy it again.",
    ],
    [
      "a token in x-api-key",
      newToken("sbm_"),
      "This is not an API key: API keys begin with sbx_. Send tokens as Bearer.",
    ],
  ])("%s is refused with an error that says what to do", async (_, key, sentence) => {
    await expect(call({ "x-api-key": key })).rejects.toMatchObject({
      headers: { "www-authenticate": expect.stringContaining(sentence) },
    });
    expect(lookups).toHaveLength(0);
  });

  test.each(["a\u0001b", "a\u007fb", "\u00e9", "a\u2028b", "x".repeat(1_025)])(
    "a token such as %j is refused without a lookup",
    async (token) => {
      expect(await outcome(call({ authorization: `Bearer ${token}` }))).toBe("unauthorized");
      expect(await outcome(call({ "x-api-key": `sbx_${token}` }))).toBe("unauthorized");
      const withCookie = async () =>
        authenticate({} as Ctx, { method: "GET", headers: { cookie: `cookie=${token}` } });
      expect(await outcome(withCookie())).toBe("unauthorized");
      expect(lookups).toHaveLength(0);
    },
  );
});
