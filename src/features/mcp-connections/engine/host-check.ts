import type { EgressStream } from "../../../platform/egress/index.ts";
import { pull } from "./body.ts";

const MAX_BYTES = 4096;
const READ_MS = 1000;

/** The server refuses the Host header. `wants` is the host that it names instead, if any. */
export interface HostCheck {
  wants?: string;
}

/** Reads the beginning of an error body. Only a host name from it is ever reported. */
export async function readBeginning(stream: EgressStream): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  const chunks = pull(stream, MAX_BYTES);
  const until = performance.now() + READ_MS;
  let text = "";
  for (;;) {
    const chunk = await chunks(Math.max(0, until - performance.now()));
    if (chunk.kind === "bytes") text += decoder.decode(chunk.bytes, { stream: true });
    else {
      stream.close();
      return text.slice(0, MAX_BYTES);
    }
  }
}

const HOST = /\bhosts?\b|\bhostnames?\b|\bHTTP_HOST\b/i;
const REFUSES =
  /\b(?:invalid|allow(?:ed)?|unknown|unexpected|expected|blocked|rejected|mismatch|only|must|use|not)\b/i;
/** Matches "Invalid Host: 10.0.0.5" and "This host is not allowed". */
const REFUSES_HOST =
  /\b(?:invalid|unknown|unexpected|blocked|disallowed|bad)\s+(?:http\s+)?host(?:name)?\b|\bhost(?:name)?\b(?:\s+not|[^\n]{0,280}?\b(?:is not|isn't|was not))\s+(?:allowed|permitted|recognized)\b/i;

/** Recognizes a body that refuses the Host header, which is a protection against DNS rebinding. */
export function readHostCheck(body: string, asked: URL): HostCheck | undefined {
  const at = body.search(HOST);
  if (at < 0 || !REFUSES.test(body)) return undefined;
  // A host name before the word "host" has another meaning: "Your IP 203.0.113.5 is not allowed on this host".
  const wants = hostsIn(body.slice(at)).find((host) => !isSameHost(host, asked));
  if (wants) return { wants };
  return REFUSES_HOST.test(body) ? {} : undefined;
}

const FILE_NAMES = new Set([
  "js",
  "ts",
  "mjs",
  "cjs",
  "json",
  "py",
  "rb",
  "html",
  "toml",
  "yaml",
  "yml",
  "env",
]);

/** Finds host names in a text. Links to documentation and names of files and settings are skipped. */
function hostsIn(text: string): string[] {
  const links = /\bhttps?:\/\/[^\s"'`<>()\\,]+/g;
  const found = [...text.matchAll(links)].flatMap(([link]) => {
    const url = URL.parse(link.replace(/[.;:]+$/, ""));
    return url && url.pathname === "/" ? [url.host] : [];
  });
  const names =
    /(?<![\w.@/-])(localhost|\[[0-9a-f:]+\]|\d{1,3}(?:\.\d{1,3}){3}|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.([a-z]{2,24}))(:\d{1,5})?(?![\w/-]|\.\w)/g;
  for (const [whole, , suffix] of text.replace(links, " ").matchAll(names))
    if (!suffix || !FILE_NAMES.has(suffix)) found.push(whole);
  return found.filter((host) => host.length <= 260 && URL.canParse(`http://${host}`));
}

function isSameHost(host: string, asked: URL): boolean {
  const url = new URL(`${asked.protocol}//${host}`);
  // A name without a port matches every port.
  return url.hostname === asked.hostname && (url.port === asked.port || !/:\d+$/.test(host));
}
