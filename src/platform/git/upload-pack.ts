import type { EgressStream } from "@signalbox/discovery/egress";
import { createBoundedBuffer } from "./bounded-buffer.ts";
import type { Budget } from "./budget.ts";
import type { Capabilities } from "./capabilities.ts";
import { GitError, malformed } from "./errors.ts";
import { mebibytes } from "./limits.ts";
import { openPack, type Pack } from "./pack.ts";
import { delimiter, encodePacket, flush, PacketReader } from "./pkt-line.ts";
import { postToService, type Remote } from "./transport.ts";

const agent = "agent=signalbox";

/** The commit or object that a ref points to; a tag's own target where the server tells. */
export async function listRef(remote: Remote, ref: string): Promise<string | undefined> {
  const body = Buffer.concat([
    encodePacket("command=ls-refs\n"),
    encodePacket(`${agent}\n`),
    encodePacket("object-format=sha1\n"),
    delimiter,
    encodePacket("peel\n"),
    encodePacket(`ref-prefix ${ref}\n`),
    flush,
  ]);
  const reply = await postToService(remote, body, { maxBytes: remote.limits.advertisementBytes, version: 2 });
  try {
    const reader = createPacketReader(remote, reply);
    for (;;) {
      const line = await reader.next();
      if (line === "flush") return undefined;
      if (!Buffer.isBuffer(line)) throw malformed("the list of refs was cut short");
      const [id, name, ...more] = line.toString("utf8").replace(/\n$/, "").split(" ");
      if (name !== ref) continue;
      const peeled = more.find((one) => one.startsWith("peeled:"))?.slice(7);
      const target = peeled ?? id!;
      if (!/^[0-9a-f]{40}$/.test(target)) throw malformed("the list of refs cannot be read");
      return target;
    }
  } finally {
    reply.close();
  }
}

export interface PackRequest {
  ids: readonly string[];
  /** Only this commit, without those before it. */
  shallow: boolean;
  /** Commits and folders, but no file. */
  withoutFiles: boolean;
}

const createPacketReader = ({ limits, signal }: Remote, { chunks }: EgressStream) =>
  new PacketReader(chunks, { packets: limits.packets, signal });

export async function fetchPack(
  remote: Remote,
  capabilities: Capabilities,
  wanted: PackRequest,
  budget: Budget,
): Promise<Pack> {
  const { packBytes } = remote.limits;
  const version = capabilities.version;
  const body =
    capabilities.version === 2
      ? buildVersion2Request(wanted)
      : buildVersion0Request(capabilities.names, wanted);
  const reply = await postToService(remote, body, { maxBytes: packBytes + 1024 * 1024, version });
  try {
    const reader = createPacketReader(remote, reply);
    const banded = version === 2 || [...sidebands].some((name) => capabilities.names.has(name));
    await (version === 2
      ? skipToPack(reader)
      : skipAnswers(reader, wanted.shallow && capabilities.names.has("shallow")));
    const bytes = await collectBytes(banded ? readPackData(reader) : reader.rest(), packBytes);
    return await openPack(bytes, remote.limits, budget, remote.signal);
  } finally {
    reply.close();
  }
}

function buildVersion2Request({ ids, shallow, withoutFiles }: PackRequest): Buffer {
  return Buffer.concat([
    encodePacket("command=fetch\n"),
    encodePacket(`${agent}\n`),
    encodePacket("object-format=sha1\n"),
    delimiter,
    encodePacket("no-progress\n"),
    encodePacket("ofs-delta\n"),
    ...(shallow ? [encodePacket("deepen 1\n")] : []),
    ...(withoutFiles ? [encodePacket("filter blob:none\n")] : []),
    ...ids.map((id) => encodePacket(`want ${id}\n`)),
    encodePacket("done\n"),
    flush,
  ]);
}

const sidebands = new Set(["side-band-64k", "side-band"]);

function buildVersion0Request(names: ReadonlySet<string>, { ids, shallow }: PackRequest): Buffer {
  const asked = ["side-band-64k", "ofs-delta", "no-progress", "shallow"].filter((name) => names.has(name));
  if (!names.has("side-band-64k") && names.has("side-band")) asked.push("side-band");
  return Buffer.concat([
    ...ids.map((id, i) => encodePacket(`want ${id}${i === 0 ? ` ${[...asked, agent].join(" ")}` : ""}\n`)),
    ...(shallow && names.has("shallow") ? [encodePacket("deepen 1\n")] : []),
    flush,
    encodePacket("done\n"),
  ]);
}

async function skipToPack(reader: PacketReader): Promise<void> {
  for (;;) {
    const line = await reader.next();
    if (line === undefined || line === "flush") throw malformed("there is no pack");
    if (Buffer.isBuffer(line) && line.toString("latin1").trimEnd() === "packfile") return;
  }
}

/** The old protocol first says where history was cut, then that we have nothing in common. */
async function skipAnswers(reader: PacketReader, deepened: boolean): Promise<void> {
  for (let cut = deepened; ; ) {
    const line = await reader.next();
    if (line === undefined) throw malformed("there is no pack");
    if (line === "flush") cut = false;
    else if (!cut && Buffer.isBuffer(line) && /^(?:NAK|ACK )/.test(line.toString("latin1"))) return;
  }
}

async function* readPackData(reader: PacketReader): AsyncGenerator<Buffer> {
  for (;;) {
    const line = await reader.next();
    if (line === "flush") return;
    if (!Buffer.isBuffer(line)) throw malformed("the pack was cut short");
    // Band 1 is the pack, 2 is progress for a person, 3 is a fatal error.
    if (line[0] === 1) {
      if (line.length > 1) yield line.subarray(1);
    } else if (line[0] === 3)
      throw new GitError("server_error", "The server gave up while sending the pack.");
    else if (line[0] !== 2) throw malformed("a piece of the pack is of an unknown kind");
  }
}

async function collectBytes(pieces: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const gathered = createBoundedBuffer(maxBytes);
  for await (const piece of pieces) {
    if (!gathered.append(piece)) {
      throw new GitError(
        "too_large",
        `The server sent more than ${mebibytes(maxBytes)}. A server that can leave files out (uploadpack.allowFilter) sends less.`,
      );
    }
  }
  return gathered.bytes();
}
