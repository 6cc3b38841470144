import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Ctx } from "../../platform/context.ts";
import type { Detail } from "../../platform/errors.ts";
import { toRefusal } from "../../platform/http/index.ts";

/** The structured form of a refusal, for programs. */
const errorMeta = "dev.signalbox/error";

/** A result of our own: text for models, and the same as structure for programs. */
export const toResult = (structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});

/** A refused call is a result, not a fault of the protocol, so that the model reads what a person must do. */
export function toErrorResult(ctx: Pick<Ctx, "requestId" | "log">, error: unknown): CallToolResult {
  const { status, body, message } = toRefusal(error, ctx.requestId, ctx.log);
  const { error: code, ...more } = body;
  return {
    isError: true,
    content: [{ type: "text", text: describe(code, message, body) }],
    _meta: { [errorMeta]: { code, status, ...more } },
  };
}

function describe(
  code: string,
  message: string,
  { details, requestId, connectUrl }: Record<string, unknown>,
) {
  if (code === "internal_error")
    return `This instance could not do it. Its operator finds the cause in the log under ${String(requestId)}.`;
  if (Array.isArray(details)) return `${code}: ${details.map(describeDetail).join(" ")}`;
  const text = message === code ? `${code}. Check the id and your rights.` : `${code}: ${message}`;
  return typeof connectUrl === "string" && !text.includes(connectUrl) ? `${text} ${connectUrl}` : text;
}

const describeDetail = ({ message, path }: Detail) =>
  path?.length ? `${path.join(".")}: ${message}` : message;

/** What a server answered, without what only this instance says. */
export function withoutOwnMeta(result: CallToolResult): CallToolResult {
  if (!result._meta || !Object.hasOwn(result._meta, errorMeta)) return result;
  const { [errorMeta]: _, ...rest } = result._meta;
  return { ...result, _meta: rest };
}

/** The code of a refusal in a result of ours. Undefined for an error that the tool itself reports. */
export function readErrorCode({ _meta }: CallToolResult): string | undefined {
  const found = _meta?.[errorMeta];
  if (found === null || typeof found !== "object" || !("code" in found)) return undefined;
  return typeof found.code === "string" ? found.code : undefined;
}
