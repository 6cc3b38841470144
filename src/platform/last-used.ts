import type { Caller, CredentialKind } from "./context.ts";
import type { Db } from "./db/index.ts";
import type { Log } from "./log.ts";

type Write = (db: Db, ids: string[]) => Promise<unknown>;

/**
 * Remembers which credentials were used and writes it down now and then, for many at once: no request
 * waits for it, and a crash loses some seconds of it and nothing else.
 */
export function createLastUsed(
  db: Db,
  log: Log,
  writers: Partial<Record<CredentialKind, Write>>,
  everyMs = 10_000,
) {
  const seen = new Map<CredentialKind, Set<string>>();
  const flush = async () => {
    for (const [kind, ids] of seen) {
      seen.delete(kind);
      await writers[kind]?.(db, [...ids]).catch((error: Error) =>
        log.warn({ err: error }, "last use not written"),
      );
    }
  };
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    note({ credential, credentialId }: Caller) {
      if (!writers[credential]) return;
      const ids = seen.get(credential);
      if (ids) ids.add(credentialId);
      else seen.set(credential, new Set([credentialId]));
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
