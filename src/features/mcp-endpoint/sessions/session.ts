import { randomUUID } from "node:crypto";
import { z } from "zod";

/**
 * What a client of the 2025 era said when it began. The server keeps nothing: the session id contains it, and the client
 * sends it with every request. It is not signed, because a client can only lie about itself.
 */
export interface Session {
  id: string;
  client: string | undefined;
  /** The client answers these requests of a server. */
  elicitation: boolean;
  sampling: boolean;
}

const Content = z.strictObject({
  i: z.uuid(),
  n: z.string().max(100).optional(),
  e: z.literal(1).optional(),
  s: z.literal(1).optional(),
});

/** What a session needs of the first message. The library has checked the rest. */
const Initialize = z.object({
  method: z.literal("initialize"),
  params: z.object({
    clientInfo: z.object({ name: z.string() }),
    capabilities: z.object({ elicitation: z.unknown(), sampling: z.unknown() }).partial(),
  }),
});

export const sessionHeader = "mcp-session-id";

/** Returns the session id for the client that sent this message, if the message begins a session. */
export function createSessionId(message: unknown): string | undefined {
  const params = Initialize.safeParse(message).data?.params;
  if (!params) return undefined;
  const { clientInfo, capabilities } = params;
  const content: z.output<typeof Content> = {
    i: randomUUID(),
    n: clientInfo.name.slice(0, 100),
    ...(capabilities.elicitation ? { e: 1 } : {}),
    ...(capabilities.sampling ? { s: 1 } : {}),
  };
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

/** Undefined without a session id, and for one that is not ours. */
export function readSession(given: string | null): Session | undefined {
  if (!given || given.length > 1_000) return undefined;
  const content = parse(Buffer.from(given, "base64url").toString("utf8"));
  return content && { id: content.i, client: content.n, elicitation: !!content.e, sampling: !!content.s };
}

function parse(text: string) {
  try {
    return Content.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
