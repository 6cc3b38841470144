import { describe, expect, test } from "vitest";
import { fillPolicy } from "../model.ts";
import { countHeld, cutPolicy, findObstacle, isDenied, isDestructive, isHidden } from "./policy.ts";

const policy = fillPolicy({});
const tool = {
  name: "delete_page",
  definition: { annotations: { destructiveHint: true } },
  drift: [],
  isRemoved: false,
  isConnectionHeld: false,
};

describe("the policy of a connection", () => {
  test("allows everything by default, and what is denied never", () => {
    expect(isDenied(policy, "read")).toBe(false);
    expect(isDenied({ allow: ["read*"], deny: ["read_secret"] }, "read_page")).toBe(false);
    expect(isDenied({ allow: ["read*"], deny: ["read_secret"] }, "read_secret")).toBe(true);
    expect(isDenied({ allow: ["read*"], deny: [] }, "write")).toBe(true);
    expect(isDenied({ allow: [], deny: [] }, "read")).toBe(true);
    expect(isDenied({ allow: null, deny: ["*"] }, "read")).toBe(true);
  });

  test("takes an asterisk only at the end for any rest, and other characters as they are", () => {
    expect(isHidden({ hide: ["a.b"] }, "a.b")).toBe(true);
    expect(isHidden({ hide: ["a.b"] }, "axb")).toBe(false);
    expect(isHidden({ hide: ["a*"] }, "a")).toBe(true);
  });

  test("knows destructive tools by their hints, and unknown ones only on request", () => {
    const strict = { treatUnknownAsDestructive: true };
    const lax = { treatUnknownAsDestructive: false };
    expect(isDestructive(lax, { annotations: { destructiveHint: true } })).toBe(true);
    expect(isDestructive(lax, {})).toBe(false);
    expect(isDestructive(strict, {})).toBe(true);
    expect(isDestructive(strict, { annotations: { readOnlyHint: true } })).toBe(false);
    expect(isDestructive(strict, { annotations: { destructiveHint: false } })).toBe(false);
    expect(isDestructive(strict, { annotations: { destructiveHint: "no" } })).toBe(true);
    // A tool that contradicts itself is not taken for harmless.
    expect(isDestructive(lax, { annotations: { destructiveHint: true, readOnlyHint: true } })).toBe(true);
  });

  test("names the strongest obstacle of a call", () => {
    expect(findObstacle(policy, tool)).toBeNull();
    expect(findObstacle(fillPolicy({ destructive: "approve" }), tool)).toBe("needs_approval");
    expect(findObstacle(fillPolicy({ destructive: "deny" }), tool)).toBe("denied");
    const changed = { ...tool, drift: ["text_changed" as const], isConnectionHeld: true };
    expect(findObstacle(fillPolicy({ destructive: "approve" }), changed)).toBe("held");
    expect(findObstacle(fillPolicy({ deny: ["delete_*"] }), changed)).toBe("denied");
    expect(findObstacle(fillPolicy({ onDrift: "warn" }), changed)).toBeNull();
    expect(findObstacle(policy, { ...changed, isRemoved: true })).toBe("removed");
    expect(findObstacle(fillPolicy({ onDrift: "hold_all" }), { ...tool, isConnectionHeld: true })).toBe(
      "held",
    );
    expect(findObstacle(policy, { ...tool, isConnectionHeld: true })).toBeNull();
  });

  test("counts held tools", () => {
    const counts = { present: 24, drifted: 3, all: 4 };
    expect(countHeld({ onDrift: "warn" }, counts)).toBe(0);
    expect(countHeld({ onDrift: "hold_changed" }, counts)).toBe(3);
    expect(countHeld({ onDrift: "hold_all" }, counts)).toBe(24);
    expect(countHeld({ onDrift: "hold_all" }, { present: 24, drifted: 0, all: 0 })).toBe(0);
  });

  test("is stored without its defaults", () => {
    expect(cutPolicy(policy, policy)).toEqual({});
    const other = fillPolicy({ allow: [], deny: ["x"], onDrift: "warn", destructive: "deny" });
    expect(fillPolicy(cutPolicy(other, policy))).toEqual(other);
  });
});
