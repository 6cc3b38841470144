/** Why the person must prove who they are. */
export type IdentityReason = "signed_out" | "session_too_old" | "sso_required";

export interface IdentityQuestion {
  reason: IdentityReason;
  /** The organization that the request acts on. */
  organizationId: string | undefined;
}

export interface AskOptions {
  organizationId?: string | undefined;
  /** A request that the person did not start, such as a repeated read. It does not ask again after they gave up. */
  isBackground?: boolean;
}

export interface Identity {
  /** Asks the person in place. Resolves to true when they have proved who they are, false when they gave up. */
  ask(reason: IdentityReason, options?: AskOptions): Promise<boolean>;
  /** Called by the dialog with the result. */
  answer(proved: boolean): void;
  /** What is being asked now. */
  current(): IdentityQuestion | undefined;
  /** Whether the person closed the question of an ended session. The page then shows what it has. */
  isSignedOut(): boolean;
  subscribe(listener: () => void): () => void;
}

/** Requests that are refused at the same time share one question. */
export function createIdentity(): Identity {
  let asked:
    | { question: IdentityQuestion; done: Promise<boolean>; resolve(proved: boolean): void }
    | undefined;
  /** What the person did not want to answer. Requests that they did not start leave it at that. */
  const refused = new Set<IdentityReason>();
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    ask(reason, { organizationId, isBackground = false } = {}) {
      if (!asked && isBackground && refused.has(reason)) return Promise.resolve(false);
      if (!asked) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        asked = { question: { reason, organizationId }, done: promise, resolve };
        tell();
      }
      return asked.done;
    },
    answer(proved) {
      if (proved) refused.clear();
      else if (asked) refused.add(asked.question.reason);
      asked?.resolve(proved);
      asked = undefined;
      tell();
    },
    current: () => asked?.question,
    isSignedOut: () => refused.has("signed_out") && asked === undefined,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
