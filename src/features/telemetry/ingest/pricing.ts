import type { MemberCtx } from "../../../platform/context.ts";
import type { MappedFields } from "../record.ts";

type Priced = Pick<
  MappedFields,
  "provider" | "model" | "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens"
> & { at: number };

/** The price of the tokens of an event at its time, in micro-units. Null when no price is known. */
export async function findPrice(_ctx: MemberCtx, { model }: Priced): Promise<number | null> {
  if (model === null) return null;
  return null;
}
