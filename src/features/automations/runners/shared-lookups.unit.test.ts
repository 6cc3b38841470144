import { describe, expect, test } from "vitest";
import { createSharedLookups } from "./shared-lookups.ts";

describe("lookups that many streams request at once", () => {
  test("run once for all callers that came before the start, and again for later callers", async () => {
    const lookups = createSharedLookups();
    const answers: PromiseWithResolvers<number>[] = [];
    const ask = () =>
      lookups.share("org_1", "waiting", () => {
        answers.push(Promise.withResolvers());
        return answers.at(-1)!.promise;
      });
    const [first, second, ...later] = Array.from({ length: 52 }, ask);
    // Two lookups begin at once. The other fifty callers wait and share the next lookup.
    expect(answers).toHaveLength(2);
    answers[1]!.resolve(2);
    expect(await second).toBe(2);
    await expect.poll(() => answers.length).toBe(3);
    answers[2]!.resolve(3);
    expect(new Set(await Promise.all(later))).toEqual(new Set([3]));
    answers[0]!.resolve(1);
    expect(await first).toBe(1);
    expect(answers).toHaveLength(3);
  });

  test("of one organization run two at a time, and do not delay those of another", async () => {
    const lookups = createSharedLookups();
    let active = 0;
    let most = 0;
    const release = Promise.withResolvers<void>();
    const slow = Array.from({ length: 100 }, (_, i) =>
      lookups.share("org_1", `held ${i}`, async () => {
        most = Math.max(most, ++active);
        await release.promise;
        active--;
      }),
    );
    expect(await lookups.share("org_2", "held", async () => "at once")).toBe("at once");
    release.resolve();
    await Promise.all(slow);
    expect(most).toBe(2);
  });

  test("that fail are rejected for the callers that waited, and not for the next caller", async () => {
    const lookups = createSharedLookups();
    const failing = () => Promise.reject(new Error("the database is away"));
    await expect(lookups.share("org_1", "a", failing)).rejects.toThrow("away");
    expect(await lookups.share("org_1", "a", async () => 7)).toBe(7);
  });
});
