import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { baseHeaders, type HttpHeaders } from "../../platform/http/index.ts";

interface Variant {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
  encoding?: "gzip";
}

/** Serves the API description. It is serialized and compressed once, at the first request. */
export function createDescription(api: () => Record<string, unknown>): (headers: HttpHeaders) => Response {
  let variants: { plain: Variant; gzip: Variant } | undefined;
  const prepare = () => {
    const plain = new Uint8Array(Buffer.from(JSON.stringify(api())));
    const digest = hash("sha256", plain, "base64url").slice(0, 22);
    return {
      plain: { bytes: plain, etag: `"${digest}"` },
      gzip: { bytes: new Uint8Array(gzipSync(plain)), etag: `"${digest}-gzip"`, encoding: "gzip" as const },
    };
  };
  return (headers) => {
    variants ??= prepare();
    const { bytes, etag, encoding }: Variant = acceptsGzip(headers["accept-encoding"])
      ? variants.gzip
      : variants.plain;
    const described = {
      ...baseHeaders,
      etag,
      // Caches may store it, but must revalidate it each time, because an upgrade changes it.
      "cache-control": "public, no-cache",
      vary: "Accept-Encoding",
    };
    if (isKnown(headers["if-none-match"], etag))
      return new Response(null, { status: 304, headers: described });
    return new Response(bytes, {
      headers: {
        ...described,
        "content-type": "application/json; charset=UTF-8",
        ...(encoding ? { "content-encoding": encoding } : {}),
      },
    });
  };
}

/** Whether gzip is listed, by name or by `*`, with a weight above zero (RFC 9110, 12.5.3). */
function acceptsGzip(header = ""): boolean {
  const weights = new Map(
    header.split(",", 20).map((item) => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight)] as const;
    }),
  );
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

/** Whether `If-None-Match` contains the tag, weak or strong, or `*` (RFC 9110, 13.1.2). */
const isKnown = (header = "", etag: string): boolean =>
  header.split(",", 50).some((item) => [etag, `W/${etag}`, "*"].includes(item.trim()));
