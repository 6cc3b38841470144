import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { invalidRequest, Refusal, tooLarge } from "../../../platform/errors.ts";
import { type HttpHeaders, readMediaType } from "../../../platform/http/index.ts";
import { isNestedDeeper } from "../../../platform/json-depth.ts";
import { type OtlpSignal, otlpSignals } from "./messages.ts";
import { jsonType, protobufType } from "./protocol.ts";
import { decodeMessage, type Message, WireError } from "./wire.ts";

/** The size of a body, compressed and uncompressed. */
export const maxBodyBytes = 4 * 1024 * 1024;

/** As in protobuf, where messages are counted, this is more than the values that are kept. */
const maxDepth = 100;

const unzip = promisify(gunzip);

/**
 * Decodes the body of an export request, in the form that it has in JSON. `wait` is called before the decompressed body
 * is parsed.
 */
export async function parseBody(
  signal: OtlpSignal,
  bytes: Buffer,
  headers: HttpHeaders,
  wait: (plain: Buffer) => Promise<void> | undefined = () => undefined,
): Promise<Message> {
  const type = readMediaType(headers);
  if (type !== protobufType && type !== jsonType) {
    const given = type ? `"${type.slice(0, 100)}"` : "absent";
    throw unsupported(`The content type must be ${protobufType} or ${jsonType}, not ${given}.`);
  }
  const plain = await decompress(bytes, headers["content-encoding"]);
  await wait(plain);
  return type === jsonType ? parseJson(plain) : parseProtobuf(signal, plain);
}

const unsupported = (message: string) => new Refusal(415, { error: "unsupported_media_type", message });

async function decompress(bytes: Buffer, encoding = "identity"): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === "identity" || name === "") return bytes;
  if (name !== "gzip" && name !== "x-gzip") {
    throw unsupported(`The content encoding must be gzip or absent, not "${name.slice(0, 100)}".`);
  }
  try {
    // Stops as soon as the limit is reached, whatever the body would become.
    return await unzip(bytes, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw tooLarge(`The uncompressed body is larger than ${maxBodyBytes} bytes. Send smaller batches.`);
    throw invalidRequest([{ message: "The body is not valid gzip." }]);
  }
}

function parseJson(bytes: Buffer): Message {
  let value: unknown;
  let isTooDeep: boolean;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    isTooDeep = isNestedDeeper(text, maxDepth);
    value = isTooDeep ? null : JSON.parse(text);
  } catch {
    throw invalidRequest([{ message: "The body is not valid JSON in UTF-8." }]);
  }
  if (isTooDeep) throw invalidRequest([{ message: `The body is nested more than ${maxDepth} deep.` }]);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidRequest([{ message: "The body must be a JSON object." }]);
  return value as Message;
}

function parseProtobuf(signal: OtlpSignal, bytes: Buffer): Message {
  try {
    return decodeMessage(otlpSignals[signal].request, bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw invalidRequest([{ message: `The body is not a valid export request: ${error.message}` }]);
  }
}
