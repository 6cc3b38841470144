import { Refusal } from "../../../platform/errors.ts";
import { type HttpHeaders, matchesTag } from "../../../platform/http/index.ts";

/** A weak tag: the same version can be sent with other attributes. */
export const writeTag = (version: string) => `W/"${version}"`;

const matchesVersion = (header: string | undefined, version: string) => matchesTag(header, `"${version}"`);

export const isUnchanged = (headers: HttpHeaders, version: string): boolean =>
  headers["if-none-match"] !== undefined && matchesVersion(headers["if-none-match"], version);

/** Refuses the change when the resource has another version than the caller expects. */
export function checkIfMatch(headers: HttpHeaders, version: string): void {
  if (headers["if-match"] === undefined || matchesVersion(headers["if-match"], version)) return;
  throw new Refusal(412, {
    error: "precondition_failed",
    message: `The resource has the version ${writeTag(version)} now. Read it again, then repeat the change.`,
  });
}
