import { randomUUID } from "node:crypto";
import type { InputRequest } from "@modelcontextprotocol/server";
import { conflict } from "../../../platform/errors.ts";
import { defineState } from "../../../platform/state.ts";

const maxKept = 1_000;
const maxKeptPerOrganization = 100;
const maxKeptPerMember = 20;
/** How long a person may take to answer. The time limit of the connection may end the call earlier. */
const patienceMs = 10 * 60_000;

/** How far a call is. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** What a call can do towards its caller. */
export interface Asker {
  /** Aborts when nobody waits for the call any more. */
  signal: AbortSignal;
  ask(question: InputRequest, signal: AbortSignal): Promise<unknown>;
  onProgress(progress: Progress): void;
}

/** The request that waits for a call at the moment. */
export interface Listener {
  signal: AbortSignal;
  onProgress: ((progress: Progress) => void) | undefined;
}

/**
 * A call that can ask its caller. A 2026-era client does not get questions during a call: the request is answered with
 * the question, and the client sends the call again with the answer. Meanwhile the call goes on.
 */
export interface Conversation<Result> {
  /** Waits until the call ends or asks. When the caller leaves, the call is aborted. */
  wait(listener: Listener): Promise<{ result: Result } | { question: InputRequest }>;
  answer(given: unknown): void;
  end(): void;
}

export function startConversation<Result>(work: (asker: Asker) => Promise<Result>): Conversation<Result> {
  const ended = new AbortController();
  let next = createStep<Result>();
  /** Questions without an answer, in their order. A server may ask several at once; the client gets one at a time. */
  const waiting: { question: InputRequest; resolve(given: unknown): void }[] = [];
  /** The question that the client has. It may have been withdrawn meanwhile. */
  let asked: (typeof waiting)[number] | undefined;
  let outcome: Promise<Result> | undefined;
  let onProgress: Listener["onProgress"];

  /** Resolves the step that a request waits for. The outcome comes first: nobody needs an answer after it. */
  const advance = () => {
    if (asked) return;
    if (outcome) {
      next.resolve(outcome.then((result) => ({ result })));
    } else if (waiting[0]) {
      asked = waiting[0];
      next.resolve({ question: asked.question });
    }
  };
  const asker: Asker = {
    signal: ended.signal,
    onProgress: (progress) => onProgress?.(progress),
    ask(question, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const entry = { question, resolve };
      const stop = () => {
        remove(waiting, entry);
        reject(new Error("The call ended before the client answered."));
      };
      const over = AbortSignal.any([signal, ended.signal]);
      over.addEventListener("abort", stop, { once: true });
      waiting.push(entry);
      if (over.aborted) stop();
      advance();
      return promise;
    },
  };
  const running = work(asker);
  const end = () => {
    outcome = running;
    advance();
  };
  running.then(end, end);
  return {
    async wait(listener) {
      const leave = () => ended.abort(listener.signal.reason);
      listener.signal.addEventListener("abort", leave, { once: true });
      if (listener.signal.aborted) leave();
      ({ onProgress } = listener);
      try {
        return await next.promise;
      } finally {
        onProgress = undefined;
        listener.signal.removeEventListener("abort", leave);
      }
    },
    answer(given) {
      const answered = asked;
      asked = undefined;
      next = createStep();
      if (answered) {
        remove(waiting, answered);
        answered.resolve(given);
      }
      advance();
    },
    end: () => ended.abort(),
  };
}

function createStep<Result>() {
  const step = Promise.withResolvers<{ result: Result } | { question: InputRequest }>();
  // The call can fail while nobody waits for it. The next request learns about it.
  step.promise.catch(() => {});
  return step;
}

function remove<Item>(list: Item[], item: Item): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}

/** Who waits for an answer, and to which call it belongs: only the same credential with the same call can answer. */
export interface Owner {
  orgId: string;
  memberId: string;
  call: string;
}

/** Calls that wait for their client to come back with an answer. They are in the memory of this process. */
export const createConversations = <Result>() =>
  defineState({
    name: "MCP calls that wait for an answer",
    create: () => {
      const kept = new Map<
        string,
        { owner: Owner; conversation: Conversation<Result>; timer: NodeJS.Timeout }
      >();
      const take = (id: string) => {
        const found = kept.get(id);
        clearTimeout(found?.timer);
        kept.delete(id);
        return found?.conversation;
      };
      return {
        /** Returns the state that the client sends with its answer. `owner` is the only one who may answer. */
        keep(owner: Owner, conversation: Conversation<Result>): string {
          const ofOrganization = [...kept.values()].filter((other) => other.owner.orgId === owner.orgId);
          const ofMember = ofOrganization.filter((other) => other.owner.memberId === owner.memberId);
          const isFull = kept.size >= maxKept || ofOrganization.length >= maxKeptPerOrganization;
          if (isFull || ofMember.length >= maxKeptPerMember) {
            conversation.end();
            throw conflict("mcp_too_many_questions", "Too many calls wait for an answer. Answer some first.");
          }
          const id = randomUUID();
          const timer = setTimeout(() => take(id)?.end(), patienceMs).unref();
          kept.set(id, { owner, conversation, timer });
          return id;
        },
        take({ call }: Pick<Owner, "call">, id: string): Conversation<Result> {
          const found = kept.get(id)?.owner.call === call ? take(id) : undefined;
          if (!found)
            throw conflict(
              "mcp_call_ended",
              "The call that asked has ended, or runs in another process. Call the tool again.",
            );
          return found;
        },
        endAll: () => {
          for (const id of [...kept.keys()]) take(id)?.end();
        },
      };
    },
    stop: ({ endAll }) => endAll(),
  });
