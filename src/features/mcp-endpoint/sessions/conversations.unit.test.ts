import { expect, test } from "vitest";
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
