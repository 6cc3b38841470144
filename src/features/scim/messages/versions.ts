import { Refusal } from "../../../platform/errors.ts";
import { type HttpHeaders, matchesTag } from "../../../platform/http/index.ts";

/** A weak tag: the same version can be sent with other attributes. */
export const writeTag = (version: number) => `W/"${version}"`;

const isTagOf = (header: string | undefined, version: number) => matchesTag(header, `"${version}"`);

export const isUnchanged = (headers: HttpHeaders, version: number): boolean =>
  headers["if-none-match"] !== undefined && isTagOf(headers["if-none-match"], version);

/** Refuses a change of another version than the caller knows. */
export function checkIfMatch(headers: HttpHeaders, version: number): void {
  if (headers["if-match"] === undefined || isTagOf(headers["if-match"], version)) return;
  throw new Refusal(412, {
    error: "precondition_failed",
    message: `The resource has the version ${writeTag(version)} now. Read it again, then repeat the change.`,
  });
}
