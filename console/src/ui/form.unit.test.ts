import { expect, test } from "vitest";
import { sumUpProblem } from "./form.tsx";

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
