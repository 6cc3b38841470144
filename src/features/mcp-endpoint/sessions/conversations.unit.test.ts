import { describe, expect, test } from "vitest";
import type { Platform } from "../../../platform/context.ts";
import { createState } from "../../../platform/state.ts";
import { createConversations, startConversation } from "./conversations.ts";

/** A call that waits until it is ended. */
const startCall = () =>
  startConversation<string>(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );

test("one member or organization cannot take all places, whatever the arguments of its calls are", async () => {
  const state = createState(() => ({}) as Platform);
  const kept = state.get(createConversations<string>());
  let calls = 0;
  const keep = (orgId: string, memberId: string) =>
    kept.keep({ orgId, memberId, call: `call ${++calls}` }, startCall());
  for (let i = 0; i < 20; i++) keep("org_1", "mem_0");
  expect(() => keep("org_1", "mem_0")).toThrow("Too many calls wait");
  for (let i = 0; i < 80; i++) keep("org_1", `mem_${i + 1}`);
  expect(() => keep("org_1", "mem_81")).toThrow("Too many calls wait");
  expect(keep("org_2", "mem_1")).toEqual(expect.any(String));
  await state.stop();
});

test("only the call that was asked gets the answer", async () => {
  const state = createState(() => ({}) as Platform);
  const kept = state.get(createConversations<string>());
  const call = startCall();
  const id = kept.keep({ orgId: "org_1", memberId: "mem_1", call: "mine" }, call);
  expect(() => kept.take({ call: "another" }, id)).toThrow("The call that asked has ended");
  expect(kept.take({ call: "mine" }, id)).toBe(call);
  expect(() => kept.take({ call: "mine" }, id)).toThrow("The call that asked has ended");
  call.end();
});

describe("a call that asks its client", () => {
  const listener = () => ({ signal: AbortSignal.timeout(2_000), onProgress: undefined });
  const createQuestion = (message: string) => ({
    method: "elicitation/create" as const,
    params: { message, requestedSchema: { type: "object" as const, properties: {} } },
  });
  const never = new AbortController().signal;

  test("gives its result to the request with the answer, when it ended before the answer came", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const call = startConversation<string>(({ ask }) => {
      ask(createQuestion("Which one?"), never).catch(() => {});
      return promise;
    });
    expect(await call.wait(listener())).toHaveProperty("question");
    resolve("done");
    await promise;
    call.answer({ action: "accept" });
    expect(await call.wait(listener())).toEqual({ result: "done" });
  });

  test("gives its failure to the request with the answer, when it failed before the answer came", async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    const call = startConversation<string>(({ ask }) => {
      ask(createQuestion("Which one?"), never).catch(() => {});
      return promise;
    });
    expect(await call.wait(listener())).toHaveProperty("question");
    reject(new Error("too late"));
    await promise.catch(() => {});
    call.answer({ action: "accept" });
    await expect(call.wait(listener())).rejects.toThrow("too late");
  });

  test("asks one question after the other, and each of them gets its own answer", async () => {
    const call = startConversation<unknown[]>(({ ask }) =>
      Promise.all(["first", "second"].map((message) => ask(createQuestion(message), never))),
    );
    for (const message of ["first", "second"]) {
      expect(await call.wait(listener())).toMatchObject({ question: { params: { message } } });
      call.answer(`answer to ${message}`);
    }
    expect(await call.wait(listener())).toEqual({ result: ["answer to first", "answer to second"] });
  });

  test("drops the answer to a question that the server has withdrawn", async () => {
    const withdrawal = new AbortController();
    const call = startConversation<unknown>(async ({ ask }) => {
      await ask(createQuestion("first"), withdrawal.signal).catch(() => {});
      return ask(createQuestion("second"), never);
    });
    await call.wait(listener());
    withdrawal.abort();
    await new Promise((done) => setImmediate(done));
    call.answer("answer to first");
    expect(await call.wait(listener())).toMatchObject({ question: { params: { message: "second" } } });
    call.answer("answer to second");
    expect(await call.wait(listener())).toEqual({ result: "answer to second" });
  });
});
