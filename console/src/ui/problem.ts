import { RefusedError, RequestError, readFieldErrors } from "../lib/api.ts";
import { common } from "../texts/common.ts";

/** A refusal, ready to show. */
export interface Problem {
  message: string;
  /** Messages by the path of their field, such as `schedule.cron`. */
  fields: Readonly<Record<string, string>>;
  requestId: string | undefined;
}

export function describeProblem(error: unknown): Problem {
  const fields = readFieldErrors(error);
  const requestId = error instanceof RequestError ? error.requestId : undefined;
  const message =
    error instanceof RequestError && error.kind === "unreachable"
      ? common.error.unreachable
      : error instanceof RequestError && error.kind === "server_error"
        ? common.error.generic
        : Object.keys(fields).length > 0
          ? common.form.invalid
          : (describeCode(error) ?? (error instanceof Error ? error.message : String(error)));
  return { message, fields, requestId };
}

/** Some refusals have a code for programs and no sentence for people. */
function describeCode(error: unknown): string | undefined {
  if (!(error instanceof RefusedError) || error.message !== error.code) return undefined;
  if (error.kind === "unauthorized") return common.error.signedOut;
  if (error.kind === "not_found") return common.error.gone;
  return error.kind === "unavailable" ? common.error.generic : undefined;
}

/** `domains` for `domains.0`: one field holds the whole list. */
const toListPath = (path: string): string => path.replace(/\.\d+(\..*)?$/, "");

/** The message of a field, also when it is about one item of its list. */
export const findMessage = (fields: Problem["fields"], path: string): string | undefined =>
  fields[path] ?? Object.entries(fields).find(([other]) => toListPath(other) === path)?.[1];

/** The message, and those of fields that are not on the page. */
export function sumUpProblem({ message, fields }: Problem, paths: ReadonlySet<string>): string {
  const all = Object.entries(fields);
  const left = all.filter(([path]) => !paths.has(path) && !paths.has(toListPath(path)));
  const lines = left.map(([path, text]) => (path === "" ? text : `${path}: ${text}`));
  return [...(left.length > 0 && left.length === all.length ? [] : [message]), ...lines].join(" ");
}

/** What is left of a refusal when these fields have been changed. */
export function leaveOutChanged(
  problem: Problem | undefined,
  changed: ReadonlySet<string>,
): Problem | undefined {
  if (!problem || changed.size === 0) return problem;
  const all = Object.entries(problem.fields);
  const left = all.filter(([path]) => !changed.has(path) && !changed.has(toListPath(path)));
  if (left.length === all.length) return problem;
  return left.length > 0 ? { ...problem, fields: Object.fromEntries(left) } : undefined;
}
