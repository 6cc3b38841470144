/** Refusals in the forms that the source has, for the test of the search. */
import { conflict, forbidden, notFound, Refusal } from "../../../src/platform/errors.ts";

const refuse = (status: number, code: string) => new Refusal(status, { error: code });
const refuseKindly = (code: string) => refuse(418, code);

export const samples = (isOne: boolean, union: "of_a_union", text: { code: string }) => [
  conflict("in_a_call", "…"),
  conflict(isOne ? "one_of_two" : "the_other", "…"),
  conflict([union][0]!, "…"),
  forbidden("in_a_reason", "…"),
  notFound("through_a_template"),
  new Refusal(418, { error: "in_a_body", message: "…" }),
  refuseKindly("through_two_functions"),
  conflict(text.code, "Its code is data."),
];
