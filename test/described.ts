import { expect } from "vitest";
import type { RouteSpec } from "../src/platform/http/index.ts";
import { refusals } from "../src/platform/http/refusals.ts";
import type { Reply } from "./harness.ts";

/** Expects that the contract of the route names the code of this refusal, and that its schema allows the body. */
export function expectDescribed(
  { errors }: RouteSpec,
  { status, body }: Pick<Reply, "status" | "body">,
): void {
  const { description, schema } = refusals[status]!;
  const described = errors?.[status] ?? description;
  const refusal = typeof described === "string" ? { description: described, schema } : described;
  expect(refusal.description).toContain(`\`${body.error === "forbidden" ? body.reason : body.error}\``);
  expect(refusal.schema.safeParse(body).error).toBeUndefined();
}
