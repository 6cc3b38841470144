import type { Verdict } from "./verdict.ts";

export interface Finding {
  verdict: Verdict;
  message: string;
}

/** The most models that a reply of ours lists. */
const maxModels = 2_000;

/** Reads the names of models from the forms that providers use. Undefined when the reply is no such list. */
export function parseModels(body: unknown): string[] | undefined {
  const list = Array.isArray(body)
    ? body
    : isObject(body)
      ? [body.data, body.models, body.publisherModels, body.modelSummaries].find(Array.isArray)
      : undefined;
  if (!Array.isArray(list)) return undefined;
  const names = list.slice(0, maxModels).flatMap((item: unknown) => {
    if (!isObject(item)) return [];
    const name = [item.id, item.modelId, item.name].find((value) => typeof value === "string");
    return typeof name === "string" && name.length <= 200
      ? [name.replace(/^(?:publishers\/\w+\/)?models\//, "")]
      : [];
  });
  return [...new Set(names)];
}

/** True when the reply says that nothing is left of the limit of the key. */
export function hasNothingLeft(body: unknown): boolean {
  const data = isObject(body) && isObject(body.data) ? body.data : undefined;
  return typeof data?.limit_remaining === "number" && data.limit_remaining <= 0;
}

/** Explains a reply that is not successful. The text of the provider is read, but never shown. */
export function explainFailure(host: string, status: number, body: unknown): Finding {
  const text = describeError(body);
  const isAbout = (pattern: RegExp) => pattern.test(text);
  if (status >= 300 && status < 400)
    return {
      verdict: "wrong_address",
      message: `${host} answered with a redirect (${status}), which is not followed with a key. Correct the base URL.`,
    };
  if (
    status === 401 ||
    (status === 400 && isAbout(/api[_ ]key[_ ](?:not[_ ]valid|invalid)|invalid[_ ]api[_ ]key/))
  )
    return {
      verdict: "refused",
      message: `${host} refused the key (${status}). Check that it was copied whole and not revoked.`,
    };
  if (isAbout(/unsupported_country|country|region|territory|location is not supported/) && status < 500)
    return {
      verdict: "wrong_address",
      message: `${host} does not serve this region (${status}). Use the base URL of your region.`,
    };
  if (status === 402 || (status === 403 && isAbout(/quota|billing|credit|balance/)))
    return {
      verdict: "quota_exhausted",
      message: `${host} says that no credit is left (${status}). Check the billing of the account.`,
    };
  if (status === 429)
    return isAbout(/insufficient_quota|billing|credit|balance/)
      ? {
          verdict: "quota_exhausted",
          message: `${host} says that no credit is left (429). Check the billing of the account.`,
        }
      : {
          verdict: "quota_exhausted",
          message: `${host} limits the rate of this key at the moment (429). Try again later.`,
        };
  if (status === 403)
    return {
      verdict: "refused",
      message: `${host} knows the key but refuses it the list of models (403). Check the permissions of the key.`,
    };
  if (status >= 500)
    return { verdict: "unavailable", message: `${host} answered ${status}. Try again later.` };
  return {
    verdict: "wrong_address",
    message: `${host} does not have the expected API at this address (${status}). Check the base URL.`,
  };
}

/** Codes and texts of an error, in lower case, from the fields that providers use. */
function describeError(body: unknown): string {
  const error = isObject(body) ? (isObject(body.error) ? body.error : body) : {};
  const details = Array.isArray(error.details) ? error.details.slice(0, 5) : [];
  const reasons = details.map((detail) => (isObject(detail) ? detail.reason : undefined));
  return [error.code, error.type, error.status, error.message, ...reasons]
    .filter((value) => typeof value === "string")
    .map((value) => String(value).slice(0, 500))
    .join(" ")
    .toLowerCase();
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
