import type { Caller, CredentialKind } from "./context.ts";
import type { Db } from "./db/index.ts";
import type { CredentialType } from "./http/index.ts";
import type { Log } from "./log.ts";

/**
 * Remembers which credentials were used and writes that to the database now and then, for many at once. No request
 * waits for it; a crash loses only the last seconds.
 */
export function createLastUsed(db: Db, log: Log, credentials: readonly CredentialType[], everyMs = 10_000) {
  const writers = new Map(credentials.map(({ kind, recordUse }) => [kind, recordUse]));
  const seen = new Map<CredentialKind, Set<string>>();
  const flush = async () => {
    for (const [kind, ids] of seen) {
      seen.delete(kind);
      await writers
        .get(kind)?.(db, [...ids])
        .catch((error: Error) => log.warn({ err: error }, "last use not written"));
    }
  };
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    /** Returns the caller. */
    note<Used extends Caller | undefined>(caller: Used): Used {
      if (!caller || !writers.get(caller.credential)) return caller;
      const { credential, credentialId } = caller;
      const ids = seen.get(credential);
      if (ids) ids.add(credentialId);
      else seen.set(credential, new Set([credentialId]));
      return caller;
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
