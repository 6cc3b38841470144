import { invalidRequest, unavailable } from "../../../platform/errors.ts";
import { type Sandbox, SandboxError } from "../../../platform/sandbox/index.ts";
import type { ParseInput, ParseResult } from "./parse-task.ts";
import { hasEffect, type ParsedDelivery, parseDelivery, type VerifiedDelivery } from "./payload.ts";

/** Larger than nearly every push. Parsing as much takes up to 50 ms. */
const largeBytes = 256 * 1024;
/** For 25 MiB with as many values as a body may have, it takes two seconds. */
const computeMs = 20_000;

/**
 * Parses a verified delivery. Large bodies are parsed in a thread, because parsing 25 MiB can take seconds, and requests of
 * all organizations would wait.
 */
export async function parseAnySize(sandbox: Sandbox, delivery: VerifiedDelivery): Promise<ParsedDelivery> {
  if (delivery.body.length <= largeBytes || !hasEffect(delivery)) return parseDelivery(delivery);
  const input: ParseInput = delivery;
  const result = await sandbox
    .run<ParseResult>({ module: new URL("./parse-task.ts", import.meta.url), input, computeMs })
    .catch(refuseUnparsed);
  if ("parsed" in result) return result.parsed;
  throw invalidRequest(result.refused);
}

function refuseUnparsed(error: unknown): never {
  if (error instanceof SandboxError && (error.kind === "out_of_memory" || error.kind === "out_of_time"))
    throw invalidRequest([{ message: "The body takes too much time or memory to parse." }]);
  if (error instanceof SandboxError && error.kind === "aborted")
    throw unavailable("Signalbox is stopping.", 5);
  throw error;
}
