import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { z } from "zod";
import { notFound } from "../errors.ts";
import { chooseEncoding, matchesTag } from "./accept.ts";
import { open } from "./access.ts";
import { findMediaType, isCompressible } from "./media-types.ts";
import { isNavigation } from "./navigation.ts";
import { baseHeaders } from "./reply.ts";
import type { HttpHeaders } from "./request.ts";
import { on, type Route, route } from "./route.ts";
import { tailPath } from "./router.ts";

/** Contents by path, such as `assets/app-B7f3kQz1.js`. */
export type Files = Readonly<Record<string, Uint8Array>>;

export interface StaticFiles {
  /** Returns the reply for a path that is already decoded. Throws 404 when no such file is known. */
  answer(path: string, headers: HttpHeaders): Promise<Response>;
  has(path: string): boolean;
}

/**
 * Reads all files of a folder. Names that begin with a dot and links are left out. Requests never reach the file
 * system, so no path can leave the folder.
 */
export function readFolder(folder: string): Files {
  const files: Record<string, Uint8Array> = Object.create(null);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join("/");
    if (!path.split("/").some((part) => part.startsWith("."))) files[path] = readFileSync(file);
  }
  return files;
}

/** The policy of pages that load only what this server sends. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  // Nothing in the pages makes markup or script from text, and nothing may begin to.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const encodings = ["br", "gzip"] as const;
type Encoding = (typeof encodings)[number];
const fileEnds: Record<Encoding, string> = { br: ".br", gzip: ".gz" };

/** Below this, a compressed file saves no packet. */
const minCompressedBytes = 1_000;

interface Variant {
  bytes: Uint8Array<ArrayBuffer>;
  encoding?: Encoding;
  headers: Record<string, string>;
}

/**
 * Serves files from memory. `isHashed` says which names change with their content; browsers never ask for those again.
 * A file is compressed once, when it is first asked for, unless its compressed form (`.br`, `.gz`) is beside it.
 */
export function createStaticFiles(
  files: Files,
  { isHashed = () => false }: { isHashed?(path: string): boolean } = {},
): StaticFiles {
  const isPart = (path: string) =>
    Object.values(fileEnds).some(
      (end) => path.endsWith(end) && Object.hasOwn(files, path.slice(0, -end.length)),
    );
  const known = new Map(
    Object.entries({ ...files })
      .filter(([path]) => !isPart(path))
      .map(([path, bytes]) => [path, createFile(path, bytes, files, isHashed(path))]),
  );
  return {
    has: (path) => known.has(path),
    async answer(path, headers) {
      const file = known.get(path);
      if (!file) throw notFound("file");
      const variant = await file(headers["accept-encoding"]);
      if (matchesTag(headers["if-none-match"], variant.headers.etag!)) {
        const { "content-type": _, "content-encoding": __, ...rest } = variant.headers;
        return new Response(null, { status: 304, headers: rest });
      }
      return new Response(variant.bytes, { headers: variant.headers });
    },
  };
}

/** Returns a function that chooses the variant of one file. */
function createFile(path: string, given: Uint8Array, files: Files, immutable: boolean) {
  const type = findMediaType(path);
  const bytes = new Uint8Array(given);
  const digest = hash("sha256", bytes, "base64url").slice(0, 22);
  const compresses = isCompressible(type) && bytes.length >= minCompressedBytes;
  const describe = (encoding?: Encoding) => ({
    ...baseHeaders,
    "content-type": type,
    "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
    etag: `"${digest}${encoding ? `-${encoding}` : ""}"`,
    ...(compresses ? { vary: "Accept-Encoding" } : {}),
    ...(encoding ? { "content-encoding": encoding } : {}),
    ...(type.startsWith("text/html") ? { "content-security-policy": pagePolicy } : {}),
  });
  const plain: Variant = { bytes, headers: describe() };
  const made = new Map<Encoding, Promise<Variant>>();
  const make = async (encoding: Encoding): Promise<Variant> => {
    const small = files[path + fileEnds[encoding]] ?? (await compress[encoding](bytes));
    // A file that does not become smaller is sent as it is.
    if (small.length >= bytes.length) return plain;
    return { bytes: new Uint8Array(small), encoding, headers: describe(encoding) };
  };
  return (acceptEncoding: string | undefined): Variant | Promise<Variant> => {
    const encoding = compresses ? chooseEncoding(acceptEncoding, encodings) : undefined;
    if (!encoding) return plain;
    const known = made.get(encoding) ?? make(encoding);
    made.set(encoding, known);
    return known;
  };
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const compress: Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array>> = {
  // Almost as small as the highest quality, in a fraction of its time: somebody waits for the first reply.
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } }),
  gzip: (bytes) => deflate(bytes, { level: 9 }),
};

interface MountedFiles {
  prefix: string;
  tag: string;
  summary: string;
  files: StaticFiles;
  /** The page for every address below the prefix that a person opens and that has no file, such as `index.html`. */
  fallback?: string;
}

/** Serves files below a path. Mounted files are not part of the API description. */
export function mountFiles({ prefix, tag, summary, files, fallback }: MountedFiles): Route {
  if (fallback !== undefined && !files.has(fallback)) throw new Error(`There is no file ${fallback}.`);
  return on(
    route({
      method: "get",
      path: tailPath(prefix),
      tag,
      summary,
      access: open,
      params: z.object({ "*": z.string() }),
      query: z.looseObject({}),
      raw: "application/octet-stream",
      replies: { 200: z.string(), 304: null },
    }),
    (_ctx, { params, headers }) => {
      const path = decodePath(params["*"]);
      if (path !== undefined && files.has(path)) return files.answer(path, headers);
      // A missing script must stay a 404. As a page it would be a puzzling syntax error.
      if (fallback !== undefined && (path === "" || isNavigation(headers)))
        return files.answer(fallback, headers);
      throw notFound("file");
    },
  );
}

/** Returns undefined for a path with an encoded slash or with wrong escapes. */
function decodePath(path: string): string | undefined {
  try {
    const segments = path.split("/").map(decodeURIComponent);
    return segments.some((segment) => segment.includes("/")) ? undefined : segments.join("/");
  } catch {
    return undefined;
  }
}
