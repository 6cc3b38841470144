import { expect, test } from "vitest";
import { isDatabaseDown, translateDatabaseErrors } from "./failure.ts";

const translate = (error: object) =>
  translateDatabaseErrors(Promise.reject(error)).then(
    () => undefined,
    (translated: Error) => translated,
  );

test("a database without resources names the resource, and the request can be repeated", async () => {
  const error = Object.assign(new Error("out of shared memory"), {
    code: "53200",
    hint: "You might need to increase max_locks_per_transaction.",
  });
  const translated = await translate(error);
  expect(isDatabaseDown(translated)).toBe(true);
  expect(translated!.message).toBe(
    "The database is out of resources: out of shared memory. You might need to increase max_locks_per_transaction.",
  );
  const without = await translate(Object.assign(new Error("too many connections"), { code: "53300" }));
  expect(without!.message).toBe("The database is out of resources: too many connections.");
});

test("a database that refuses connections cannot be reached", async () => {
  const translated = await translate(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  expect(isDatabaseDown(translated)).toBe(true);
  expect(translated!.message).toBe("The database cannot be reached.");
});
