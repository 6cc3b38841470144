import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { UpstreamError } from "./errors.ts";
import { maxCountedTools, maxPages, maxTools } from "./limits.ts";
import { type Operation, runOperation } from "./operation.ts";
import { endTopic, retireTopic, sessionPool } from "./pool.ts";
import { createRedaction } from "./redact.ts";
import type { Session } from "./session.ts";
import type {
  UpstreamCall,
  UpstreamCallbacks,
  UpstreamListing,
  UpstreamOptions,
  UpstreamPlatform,
  UpstreamResult,
  UpstreamTarget,
} from "./types.ts";

const maxListingBytes = 8 * 1024 * 1024;

/** Calls a tool. On a warm session this is one request, or two with `checkListing`. */
export async function callUpstream(
  platform: UpstreamPlatform,
  target: UpstreamTarget,
  headers: Record<string, string>,
  call: UpstreamCall,
): Promise<UpstreamResult> {
  const redaction = createRedaction(target.url, headers);
  const { tool, args, checkListing, definition } = call;
  const limits = {
    timeoutMs: call.timeoutMs,
    maxBytes: call.maxResultBytes + (checkListing ? maxListingBytes : 0),
    signal: call.signal,
    callbacks: redactCallbacks(call, redaction.clean),
  };
  const abilities = {
    elicits: call.onElicit !== undefined,
    samples: call.onSample !== undefined,
    watches: checkListing === undefined,
  };
  try {
    return await runOperation(limits, (operation) =>
      platform.state.get(sessionPool).use({ target, headers, abilities }, operation, async (session) => {
        const listing = checkListing && (await listTools(session, operation));
        if (checkListing && listing) await checkListing(redaction.clean(listing));
        await call.beforeCall?.();
        const known = listing?.tools.find(({ name }) => name === tool) ?? definition;
        const result = await sendCall(session, operation, tool, args, known, call);
        return {
          ...redaction.cleanResult(result, call.maxResultBytes),
          protocolVersion: session.protocolVersion,
        };
      }),
    );
  } catch (error) {
    throw redaction.cleanError(error);
  }
}

async function sendCall(
  { client }: Session,
  operation: Operation,
  tool: string,
  args: Record<string, unknown>,
  definition: Tool | undefined,
  { onProgress }: UpstreamCallbacks,
): Promise<CallToolResult> {
  const { outputSchema: _, ...toolDefinition } = definition ?? {
    name: tool,
    inputSchema: { type: "object" as const },
  };
  const answer = client.callTool(
    { name: tool, arguments: args },
    {
      signal: operation.signal,
      timeout: operation.remainingMs() + graceMs,
      // With a definition the library neither lists the tools nor compiles a schema.
      toolDefinition,
      ...(onProgress ? { onprogress: (progress) => operation.callbacks.onProgress?.(progress) } : {}),
    },
  );
  return operation.waitFor(answer).catch(throwUpstreamError);
}

/** The library whose errors are described is loaded by then. */
async function throwUpstreamError(error: unknown): Promise<never> {
  const { toUpstreamError } = await import("./session.ts");
  throw toUpstreamError(error);
}

/** The operation's own deadline comes first. It cancels the request at the server. */
const graceMs = 1_000;

/** Lists all tools, page by page. Throws when the server does not come to an end. */
async function listTools(session: Session, operation: Operation): Promise<UpstreamListing> {
  const { client, instructions, protocolVersion, serverName } = session;
  const tools: Tool[] = [];
  if (client.getServerCapabilities()?.tools) {
    let cursor: string | undefined;
    for (let page = 0; ; page++) {
      const answer = client.request(
        { method: "tools/list", ...(cursor === undefined ? {} : { params: { cursor } }) },
        { signal: operation.signal, timeout: operation.remainingMs() + graceMs },
      );
      const reply = await operation.waitFor(answer).catch(throwUpstreamError);
      for (const tool of reply.tools) tools.push(tool);
      if (tools.length > maxCountedTools)
        throw new UpstreamError("invalid_answer", `The server lists more than ${maxCountedTools} tools.`);
      cursor = reply.nextCursor;
      if (cursor === undefined) break;
      if (page >= maxPages || tools.length > maxTools)
        throw new UpstreamError(
          "invalid_answer",
          `The server lists more than ${maxTools} tools or ${maxPages} pages.`,
        );
    }
  }
  return { tools, instructions, protocolVersion, serverName };
}

/** Lists the tools as the server describes them now. */
export async function listUpstreamTools(
  platform: UpstreamPlatform,
  target: UpstreamTarget,
  headers: Record<string, string>,
  { timeoutMs = 30_000, signal, isFresh = false }: Partial<UpstreamOptions> & { isFresh?: boolean } = {},
): Promise<UpstreamListing> {
  const redaction = createRedaction(target.url, headers);
  const abilities = { elicits: false, samples: false, watches: false };
  try {
    return await runOperation({ timeoutMs, maxBytes: maxListingBytes, signal }, (operation) =>
      platform.state
        .get(sessionPool)
        .use({ target, headers, abilities, isFresh }, operation, async (session) =>
          redaction.clean(await listTools(session, operation)),
        ),
    );
  } catch (error) {
    throw redaction.cleanError(error);
  }
}

/** When a server last said that its tools changed. 0 when it has not. Compare with `performance.now()`. */
export const findListChange = (platform: UpstreamPlatform, id: Id<"mcn">): number =>
  platform.state.get(sessionPool).changedAt(id);

/** Ends the sessions of a connection in all processes, when the transaction of `db` has committed. */
export const endUpstreamSessions = (platform: Pick<Platform, "bus">, db: Db, id: Id<"mcn">): Promise<void> =>
  platform.bus.publish(db, endTopic, id);

/** The same for the credential of one member. Calls that run, of whichever member, are finished. */
export const retireUpstreamSessions = (
  platform: Pick<Platform, "bus">,
  db: Db,
  id: Id<"mcn">,
): Promise<void> => platform.bus.publish(db, retireTopic, id);

const redactCallbacks = (
  { onProgress, onLog, onElicit, onSample }: UpstreamCallbacks,
  clean: <T>(value: T) => T,
): UpstreamCallbacks => ({
  onProgress: onProgress && ((progress) => onProgress(clean(progress))),
  onLog: onLog && ((message) => onLog(clean(message))),
  onElicit: onElicit && ((request, signal) => onElicit(clean(request), signal)),
  onSample: onSample && ((request, signal) => onSample(clean(request), signal)),
});
