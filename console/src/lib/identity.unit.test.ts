import { expect, test } from "vitest";
import { createIdentity } from "./identity.ts";

test("requests that are refused together share one question", async () => {
  const identity = createIdentity();
  const both = Promise.all([identity.ask("signed_out"), identity.ask("signed_out", { isBackground: true })]);
  expect(identity.current()?.reason).toBe("signed_out");
  identity.answer(true);
  expect(await both).toEqual([true, true]);
  expect(identity.current()).toBeUndefined();
});

test("a person who closed the question is not asked again by reads, but by what they do", async () => {
  const identity = createIdentity();
  const first = identity.ask("signed_out", { isBackground: true });
  identity.answer(false);
  expect(await first).toBe(false);
  expect(identity.isSignedOut()).toBe(true);
  expect(await identity.ask("signed_out", { isBackground: true })).toBe(false);
  const second = identity.ask("signed_out");
  expect(identity.current()?.reason).toBe("signed_out");
  identity.answer(true);
  expect(await second).toBe(true);
  expect(identity.isSignedOut()).toBe(false);
});

test("giving up a fresh sign-in does not count as signed out", async () => {
  const identity = createIdentity();
  const asked = identity.ask("session_too_old");
  identity.answer(false);
  expect(await asked).toBe(false);
  expect(identity.isSignedOut()).toBe(false);
});

test("reads do not ask again for a fresh sign-in that the person gave up", async () => {
  const identity = createIdentity();
  const first = identity.ask("sso_required", { isBackground: true });
  identity.answer(false);
  expect(await first).toBe(false);
  expect(await identity.ask("sso_required", { isBackground: true })).toBe(false);
  expect(identity.current()).toBeUndefined();
  const second = identity.ask("sso_required");
  identity.answer(true);
  expect(await second).toBe(true);
  void identity.ask("sso_required", { isBackground: true });
  expect(identity.current()?.reason).toBe("sso_required");
});
