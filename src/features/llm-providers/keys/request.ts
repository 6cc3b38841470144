import type { ProviderKind } from "../catalogue/index.ts";

/** The headers of a request to a provider, with the key. */
export function createHeaders(kind: ProviderKind, apiKey: string | null): Record<string, string> {
  const own = { ...kind.headers };
  if (apiKey === null) return own;
  return kind.authentication === "bearer"
    ? { authorization: `Bearer ${apiKey}`, ...own }
    : { [kind.authentication]: apiKey, ...own };
}

/** Where models are listed. Bedrock has a host of its own for it, in the same region. */
export function createTestUrl({ modelsPath }: ProviderKind, baseUrl: string): URL {
  const url = new URL(`${baseUrl.replace(/\/+$/, "")}${modelsPath}`);
  url.hostname = url.hostname.replace(/^bedrock-runtime\.(?=[a-z0-9-]+\.amazonaws\.com$)/, "bedrock.");
  return url;
}

/** The address of one model in the list. */
export function createModelUrl(kind: ProviderKind, baseUrl: string, model: string): URL {
  const url = createTestUrl(kind, baseUrl);
  for (const name of ["limit", "pageSize", "page_size"]) url.searchParams.delete(name);
  url.pathname = `${url.pathname}/${encodeURIComponent(model)}`;
  return url;
}
