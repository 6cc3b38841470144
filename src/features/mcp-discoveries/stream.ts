import type { DiscoveryProgress } from "@signalbox/discovery";
import type { MemberCtx } from "../../platform/context.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Message } from "../../platform/http/index.ts";
import { createRedaction, fitForKeeping, runDiscovery } from "../mcp-connections/index.ts";
import type { KeptDiscovery, StepMessage } from "./contract.ts";

export interface FinishedDiscovery extends Pick<KeptDiscovery, "result" | "evidence"> {
  durationMs: number;
}

/**
 * Discovers a server and yields a message for each step, then the one that `keep` returns for the verdict. A discovery
 * whose reader leaves is stopped, and nothing is kept.
 */
export async function* streamDiscovery(
  ctx: MemberCtx,
  url: string,
  signal: AbortSignal,
  keep: (finished: FinishedDiscovery) => Promise<KeptDiscovery>,
): AsyncGenerator<Message> {
  const redact = createRedaction(url);
  const messages: Message[] = [];
  let isOver = false;
  let wake = () => {};
  const started = performance.now();
  const work = runDiscovery(ctx, url, {
    signal,
    onProgress: (progress) => {
      messages.push({ event: "step", data: redact(toStep(progress)) });
      wake();
    },
  })
    .then(async (outcome): Promise<Message | undefined> => {
      if (signal.aborted) return undefined;
      const { result, evidence } = fitForKeeping(
        redact({ result: outcome.result, evidence: outcome.evidence }),
      );
      const durationMs = Math.round(performance.now() - started);
      return { event: "verdict", data: { discovery: await keep({ result, evidence, durationMs }) } };
    })
    .catch((error: unknown): Message => {
      if (!(error instanceof Refusal)) throw error;
      return { event: "failed", data: error.body };
    })
    .finally(() => {
      isOver = true;
      wake();
    });
  // The last message is awaited below. Until then a fault must not count as unhandled.
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
  const last = await work;
  if (last) yield last;
}

function toStep({ index, phase, evidence }: DiscoveryProgress): StepMessage {
  const { step, method, url, startedMs, learned, rule, decided, ...answer } = evidence;
  const request = { index, state: phase, step, method, url, startedMs };
  if (phase === "sent") return request;
  return { ...request, ...answer, ...(phase === "interpreted" ? { learned, rule, decided } : {}) };
}
