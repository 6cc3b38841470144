import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { baseHeaders, chooseEncoding, type HttpHeaders, matchesTag } from "../../platform/http/index.ts";
import { defineState } from "../../platform/state.ts";

interface Variant {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
  encoding?: "gzip";
}

/** The API description of all rooms. It is serialized and compressed once, at the first request. */
export const description = defineState({ name: "API description", create: createDescription });

function createDescription() {
  let source: (() => Record<string, unknown>) | undefined;
  let variants: { plain: Variant; gzip: Variant } | undefined;
  const prepare = () => {
    if (!source) throw new Error("The API description is published when the room starts.");
    const plain = new Uint8Array(Buffer.from(JSON.stringify(source())));
    const digest = hash("sha256", plain, "base64url").slice(0, 22);
    return {
      plain: { bytes: plain, etag: `"${digest}"` },
      gzip: { bytes: new Uint8Array(gzipSync(plain)), etag: `"${digest}-gzip"`, encoding: "gzip" as const },
    };
  };
  const answer = (headers: HttpHeaders): Response => {
    variants ??= prepare();
    const { bytes, etag, encoding }: Variant = chooseEncoding(headers["accept-encoding"], ["gzip"])
      ? variants.gzip
      : variants.plain;
    const descriptionHeaders = {
      ...baseHeaders,
      etag,
      // Caches may store it, but must revalidate it each time, because an upgrade changes it.
      "cache-control": "public, no-cache",
      vary: "Accept-Encoding",
    };
    if (matchesTag(headers["if-none-match"], etag))
      return new Response(null, { status: 304, headers: descriptionHeaders });
    return new Response(bytes, {
      headers: {
        ...descriptionHeaders,
        "content-type": "application/json; charset=UTF-8",
        ...(encoding ? { "content-encoding": encoding } : {}),
      },
    });
  };
  return {
    answer,
    publish(api: () => Record<string, unknown>) {
      source = api;
    },
  };
}
