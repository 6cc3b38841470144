import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { MemberCtx, Platform } from "../../../platform/context.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { defineState } from "../../../platform/state.ts";
import type { Session } from "./session.ts";

const topic = "mcp-answers";
/** A message of the bus is short. A longer answer must reach the process that asked. */
const maxBusBytes = 7_000;

const id = z.union([z.string(), z.number()]);
const Answer = z.union([
  z.strictObject({ jsonrpc: z.literal("2.0"), id, result: z.looseObject({}) }),
  z.strictObject({ jsonrpc: z.literal("2.0"), id, error: z.looseObject({ message: z.string() }) }),
]);
type Answer = z.output<typeof Answer>;

interface Question {
  owner: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Questions of servers to 2025-era clients, such as elicitation. The question is sent on the stream of the call, and
 * the client answers with a request of its own, which may reach another process.
 */
export const questions = defineState({ name: "MCP questions to clients", create: createQuestions });

function createQuestions({ bus }: Pick<Platform, "bus">) {
  const open = new Map<string, Question>();

  function settle(owner: string, { id, ...answer }: Answer): boolean {
    const question = open.get(String(id));
    if (question?.owner !== owner) return false;
    if ("error" in answer) question.reject(new Error(`The client refused: ${answer.error.message}`));
    else question.resolve(answer.result);
    return true;
  }

  bus.subscribe(topic, {
    onMessage(text) {
      const { owner, answer }: { owner: string; answer: Answer } = JSON.parse(text);
      settle(owner, answer);
    },
    // A lost answer lets the call end with its time limit.
    onGap: () => {},
  });

  return {
    /** Sends a question and waits for its answer. `send` gets the id for the message. */
    async ask(owner: string, send: (id: string) => Promise<void>, signal: AbortSignal): Promise<unknown> {
      const id = `signalbox-${randomUUID()}`;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const abort = () => reject(new Error("The call ended before the client answered."));
      signal.addEventListener("abort", abort, { once: true });
      open.set(id, { owner, resolve, reject });
      try {
        if (signal.aborted) abort();
        else await send(id);
        return await promise;
      } finally {
        signal.removeEventListener("abort", abort);
        open.delete(id);
      }
    },
    async answer(owner: string, answer: Answer): Promise<void> {
      if (settle(owner, answer)) return;
      const text = JSON.stringify({ owner, answer });
      if (Buffer.byteLength(text) <= maxBusBytes) await bus.send(topic, text);
    },
  };
}

/** Only the same credential in the same session can answer. */
export const nameAsker = ({ caller }: MemberCtx, session: Session): string =>
  hashSecret(JSON.stringify([caller.credentialId, session.id]));

/** A response of a client, as JSON-RPC describes it. */
export const isAnswer = (message: unknown): message is Answer => Answer.safeParse(message).success;
