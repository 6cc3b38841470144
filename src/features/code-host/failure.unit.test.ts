import { expect, test } from "vitest";
import { SandboxError } from "../../platform/sandbox/index.ts";
import { toFailure } from "./failure.ts";

test.each(["out_of_memory", "out_of_time"] as const)(
  "a sync that ran %s fails as too large and is not retried automatically",
  (kind) => {
    expect(toFailure(new SandboxError(kind, "…"))).toMatchObject({
      code: "too_large",
      retryable: false,
      message: expect.stringMatching(kind === "out_of_memory" ? /memory/ : /computing time/),
    });
  },
);

test.each(["aborted", "crashed"] as const)("a sync that %s is not a failure of the repository", (kind) => {
  expect(toFailure(new SandboxError(kind, "…"))).toBeUndefined();
});
