import { sessionHeaders } from "./tools.ts";
import type { Wire } from "./wire.ts";

const DELETE_MS = 3000;

export interface Sessions {
  opened(url: URL, session: string, version?: string): void;
  /**
   * Begins to close what is open, and from now on whatever a late answer still opens: each in the revision it was
   * opened in, else in this one.
   */
  close(wire: Wire, version?: string): void;
  closeWithin(wire: Wire, ms: number): Promise<void>;
  /** Settles when nothing is open and no answer is under way that could open another. */
  settled(wire: Wire): Promise<void>;
}

/** The sessions that servers opened for us. A discovery that left one behind would have had a side effect. */
export function createSessions(): Sessions {
  const seen = new Set<string>();
  const open = new Map<string, { url: URL; version: string | undefined }>();
  const closing = new Set<Promise<void>>();
  let closeOpen: (() => void) | undefined;

  function close(wire: Wire, fallback?: string) {
    closeOpen = () => {
      for (const [session, { url, version = fallback }] of open) {
        open.delete(session);
        const ending = wire
          .endSession(url, sessionHeaders({ version, session }), DELETE_MS)
          .finally(() => closing.delete(ending));
        closing.add(ending);
      }
    };
    closeOpen();
  }

  return {
    opened(url, session, version) {
      // A server repeats the id of a session in its later replies.
      if (seen.has(session) || seen.size >= 20) return;
      seen.add(session);
      open.set(session, { url, version });
      closeOpen?.();
    },
    close,
    async closeWithin(wire, ms) {
      close(wire);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([Promise.all(closing), late]);
      clearTimeout(timer);
    },
    settled: async (wire) => {
      await wire.idle();
      while (closing.size > 0) await Promise.all(closing);
    },
  };
}
