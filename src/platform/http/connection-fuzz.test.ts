/** The same raw bytes to our server and to a plain node:http server. `test/long/http-fuzz.ts` runs for longer. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { sent } from "../../../test/fixtures/http-fuzz/bytes.ts";
import { compareAll } from "../../../test/fixtures/http-fuzz/compare.ts";
import { startOurs, startPlain } from "../../../test/fixtures/http-fuzz/servers.ts";

test("every connection gets the verdict of a plain node:http server or a stricter one, and each request its own reply", async () => {
  const [ours, theirs] = [await startOurs(), await startPlain()];
  const cases = fc.sample(sent, { seed: 20261116, numRuns: 400 });
  const { cases: count, problems } = await compareAll(cases, ours, theirs);
  await Promise.all([ours.close(), theirs.close()]);
  expect(problems).toEqual([]);
  expect(count).toBe(400);
});
