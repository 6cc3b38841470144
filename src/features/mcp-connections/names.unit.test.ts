import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createExposedName, maxNameLength } from "./names.ts";

const slug = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/);
const tool = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.-]{1,80}$/),
  fc.string({ unit: "binary", minLength: 1, maxLength: 80 }),
  fc.constantFrom("a", "_a", "a_", "__", "a__b", "a_0123456789ab"),
);

describe("names of tools at /mcp", () => {
  test("have at most 64 characters that every client accepts, and stay the same", () => {
    fc.assert(
      fc.property(slug, tool, (slug, tool) => {
        const name = createExposedName(slug, tool);
        expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(name.length).toBeLessThanOrEqual(maxNameLength);
        expect(createExposedName(slug, tool)).toBe(name);
      }),
    );
  });

  test("begin with the prefix of the connection", () => {
    fc.assert(
      fc.property(slug, tool, (slug, tool) => {
        expect(createExposedName(slug, tool).startsWith(`${slug}__`)).toBe(true);
      }),
    );
  });

  test("differ when the connection or the tool differs", () => {
    const anySlug = fc.oneof(slug, fc.constantFrom("a", "a__b", "a_", "a-b", "a_b", ""));
    fc.assert(
      fc.property(anySlug, tool, anySlug, tool, (slug, tool, otherSlug, otherTool) => {
        fc.pre(slug !== otherSlug || tool !== otherTool);
        expect(createExposedName(slug, tool)).not.toBe(createExposedName(otherSlug, otherTool));
      }),
      { numRuns: 2_000 },
    );
  });

  test("are the plain names where that is possible", () => {
    expect(createExposedName("tracker", "search_issues")).toBe("tracker__search_issues");
    expect(createExposedName("tracker", "issues.search")).toMatch(/^tracker__issues_search_[0-9a-f]{12}$/);
    expect(createExposedName("tracker", "x".repeat(100))).toMatch(/^tracker__x{42}_[0-9a-f]{12}$/);
  });

  test("do not meet a shortened name of another tool", () => {
    const shortened = createExposedName("tracker", "issues.search");
    const imitation = shortened.slice("tracker__".length);
    expect(createExposedName("tracker", imitation)).not.toBe(shortened);
  });
});
