import type { MemberCtx } from "../../../platform/context.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { Message } from "../../../platform/http/index.ts";
import type { NewConnection } from "../contract.ts";
import type { DoneMessage, ResultMessage, StartedMessage } from "./contract.ts";
import type { Plan } from "./plan.ts";
import type { SavedAddress } from "./store.ts";

/** Each save discovers a server, which is mostly waiting. Discoveries have limits of their own. */
const atOnce = 4;

export interface ImportActions {
  /** The connection with this address, if there is one. */
  findSaved(url: string): Promise<SavedAddress | undefined>;
  save(body: NewConnection): Promise<{ id: string }>;
}

type Outcome = Pick<ResultMessage, "outcome" | "connectionId" | "error">;

/** Two spellings of the same address, such as with and without a port that is the default, are one. */
export const normalizeUrl = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/**
 * Saves the items and yields a message when one starts and when one ends. When the reader leaves, items that have not
 * started are left out; those that have started are finished.
 */
export async function* streamImport(
  { log, requestId }: Pick<MemberCtx, "log" | "requestId">,
  plans: readonly Plan[],
  actions: ImportActions,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const messages: Message[] = [];
  const counts: DoneMessage = { saved: 0, exists: 0, choiceRequired: 0, refused: 0 };
  let isOver = false;
  let wake = () => {};
  const send = (event: string, data: StartedMessage | ResultMessage) => {
    messages.push({ event, data });
    wake();
  };

  const runPlan = async ({ body, ...item }: Plan) => {
    send("started", item);
    const result = await saveOne(body, actions).catch((error: unknown): Outcome => {
      if (error instanceof Refusal) return describeRefusal(error);
      log.error({ err: error, requestId }, "a server could not be imported");
      const message = "This instance could not save it. Its operator finds the cause in the log. Try again.";
      return {
        outcome: "refused",
        connectionId: null,
        error: { error: "internal_error", message, requestId },
      };
    });
    counts[result.outcome === "choice_required" ? "choiceRequired" : result.outcome] += 1;
    send("result", { ...item, ...result });
  };

  const groups = groupByAddress(plans);
  const worker = async () => {
    for (let group = groups.shift(); group && !signal.aborted; group = groups.shift()) {
      for (const plan of group) if (!signal.aborted) await runPlan(plan);
    }
  };
  const work = Promise.all(Array.from({ length: atOnce }, worker)).finally(() => {
    isOver = true;
    wake();
  });
  // Awaited at the end. Until then a fault must not count as unhandled.
  work.catch(() => {});
  signal.addEventListener("abort", () => wake(), { once: true });
  while (!signal.aborted) {
    const next = messages.shift();
    if (next) {
      yield next;
      continue;
    }
    if (isOver) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  if (signal.aborted) return;
  await work;
  yield { event: "done", data: counts };
}

/** Items with the same address are saved one after the other, so that the second finds the first. */
function groupByAddress(plans: readonly Plan[]): Plan[][] {
  const groups = new Map<string, Plan[]>();
  for (const plan of plans) {
    const key = plan.body instanceof Refusal ? `item ${plan.index}` : normalizeUrl(plan.body.url);
    groups.set(key, [...(groups.get(key) ?? []), plan]);
  }
  return [...groups.values()];
}

async function saveOne(body: NewConnection | Refusal, { findSaved, save }: ImportActions): Promise<Outcome> {
  if (body instanceof Refusal) throw body;
  const saved = await findSaved(body.url);
  if (saved) return { outcome: "exists", connectionId: saved.id, error: null };
  return { outcome: "saved", connectionId: (await save(body)).id, error: null };
}

const describeRefusal = ({ body }: Refusal): Outcome => ({
  outcome: body.error === "mcp_choice_required" ? "choice_required" : "refused",
  connectionId: null,
  error: body,
});
