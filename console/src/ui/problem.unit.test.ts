import { RefusedError } from "@signalbox/client";
import { expect, test } from "vitest";
import { describeProblem, leaveOutChanged, sumUpProblem } from "./problem.ts";

const message = "Correct the marked fields.";
const problem = (fields: Record<string, string>) => ({ message, fields, requestId: undefined });

test("messages of fields that are not on the page are said with the refusal", () => {
  expect(sumUpProblem(problem({}), new Set())).toBe(message);
  expect(sumUpProblem(problem({ name: "Too long." }), new Set(["name"]))).toBe(message);
  expect(sumUpProblem(problem({ name: "Too long.", "limits.cost": "Too high." }), new Set(["name"]))).toBe(
    `${message} limits.cost: Too high.`,
  );
  expect(sumUpProblem(problem({ "domains.0": "Not a domain." }), new Set(["domains"]))).toBe(message);
  expect(sumUpProblem(problem({ "": "Nothing to change." }), new Set())).toBe("Nothing to change.");
});

test("the message of a field leaves when the field is changed, and the refusal with the last of them", () => {
  const refusal = problem({ name: "Must not be empty.", "domains.0": "Not a domain." });
  expect(leaveOutChanged(refusal, new Set(["slug"]))).toBe(refusal);
  expect(leaveOutChanged(refusal, new Set(["domains"]))).toEqual(problem({ name: "Must not be empty." }));
  expect(leaveOutChanged(refusal, new Set(["domains", "name"]))).toBeUndefined();
  // A refusal that names no field stays until the next try.
  expect(leaveOutChanged(problem({}), new Set(["name"]))).toEqual(problem({}));
});

test("a refusal without a sentence is not shown as its code", () => {
  const describe = (status: number, body: Record<string, unknown>) =>
    describeProblem(new RefusedError(status, body)).message;
  expect(describe(404, { error: "team_not_found" })).toMatch(/does not exist any more/);
  expect(describe(401, { error: "unauthorized" })).toMatch(/not signed in/);
  expect(describe(503, { error: "http_503" })).toMatch(/had an error/);
  expect(describe(409, { error: "last_owner", message: "Make someone else an owner first." })).toBe(
    "Make someone else an owner first.",
  );
});
