import type { EgressStream } from "@signalbox/discovery/egress";
import { GitError, malformed } from "./errors.ts";
import { type Packet, PacketReader } from "./pkt-line.ts";
import type { Remote } from "./transport.ts";

/** The capabilities of a server. Version 0 also lists all refs; version 2 lists them on request. */
export type Capabilities =
  | { version: 2; filter: boolean; shallow: boolean }
  | { version: 0; names: ReadonlySet<string>; refs: ReadonlyMap<string, string> };

/** Git itself has about a dozen capabilities. */
const maxCapabilities = 500;
/** Longer than any ref name that a file system can store. */
const maxRefLength = 4_096;

const banner = `# service=git-upload-pack`;

export async function readCapabilities(
  { limits, signal }: Remote,
  reply: EgressStream,
): Promise<Capabilities> {
  try {
    const reader = new PacketReader(reply.chunks, { packets: limits.packets, signal });
    let first = await reader.next();
    if (decodeLine(first) === banner) {
      if ((await reader.next()) !== "flush") throw malformed("it does not begin with a known header");
      first = await reader.next();
    }
    if (decodeLine(first) === "version 2") return await readVersion2(reader);
    if (decodeLine(first) === "version 1") first = await reader.next();
    return await readVersion0(reader, first);
  } finally {
    reply.close();
  }
}

const decodeLine = (packet: Packet | undefined) =>
  Buffer.isBuffer(packet) ? packet.toString("utf8").replace(/\n$/, "") : undefined;

async function readVersion2(reader: PacketReader): Promise<Capabilities> {
  const known = new Map<string, string>();
  for (;;) {
    const line = decodeLine(await reader.next());
    if (line === undefined) break;
    const [name = "", value = ""] = line.split(/=(.*)/s);
    known.set(name, value);
    if (known.size > maxCapabilities) throw malformed("it lists more capabilities than git has");
  }
  checkFormat(known.get("object-format"));
  if (!known.has("ls-refs") || !known.has("fetch")) throw malformed("it cannot fetch");
  const features = known.get("fetch")!.split(" ");
  return { version: 2, filter: features.includes("filter"), shallow: features.includes("shallow") };
}

async function readVersion0(reader: PacketReader, first: Packet | undefined): Promise<Capabilities> {
  const refs = new Map<string, string>();
  let names: ReadonlySet<string> | undefined;
  for (let packet = first; packet !== "flush"; packet = await reader.next()) {
    if (!Buffer.isBuffer(packet)) throw malformed("the list of refs was cut short");
    let line = decodeLine(packet)!;
    if (!names) {
      const [ref = "", capabilities = ""] = line.split("\0");
      names = new Set(capabilities.trim().split(" ", maxCapabilities));
      checkFormat([...names].find((name) => name.startsWith("object-format="))?.slice(14));
      line = ref;
    }
    if (line.length > maxRefLength) throw malformed("the name of a ref is too long");
    if (/^shallow [0-9a-f]+$/.test(line)) continue;
    const [, id, ref] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
    if (!id || !ref) throw malformed("the list of refs cannot be read");
    // An empty repository has one line, which lists the capabilities.
    if (ref !== "capabilities^{}") refs.set(ref, id);
  }
  // A repository without refs may send nothing.
  return { version: 0, names: names ?? new Set(), refs };
}

function checkFormat(format: string | undefined): void {
  if (format === undefined || format === "sha1") return;
  throw new GitError(
    "unsupported",
    "The repository uses SHA-256 for its objects, which is not read yet. Only SHA-1 repositories are.",
  );
}
