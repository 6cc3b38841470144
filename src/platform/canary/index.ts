import type { Platform } from "../context.ts";
import type { Db } from "../db/index.ts";
import { OperatorError } from "../errors.ts";
import { type Keyring, type SealedColumn, UnsealError } from "../keyring.ts";
import { countAllSealed } from "../reseal/index.ts";
import * as store from "./store.ts";

type SealedDatabase = Pick<Platform, "db" | "keyring">;

/** The configured secrets cannot open the sealed values in this database. */
class WrongSecret extends OperatorError {
  constructor(source: string, isCurrentKnown: boolean) {
    super(
      isCurrentKnown
        ? "Some values in this database are sealed with another secret that is not configured. " +
            "Put that secret into SIGNALBOX_SECRET_PREVIOUS, then run `signalbox reseal`."
        : `${source} is not the secret that this database is sealed with. Set the right one; if you are changing it, ` +
            "put the old one into SIGNALBOX_SECRET_PREVIOUS. If it is lost, see `signalbox reseal --help`.",
    );
  }
}

/** Each secret that seals values has one canary row. A process must be able to open every row. */
function canOpen(keyring: Keyring, { keyId, sealed }: store.Canary): boolean {
  try {
    keyring.open(sealed, createCanaryPlace(keyId));
    return true;
  } catch (error) {
    if (error instanceof UnsealError) return false;
    throw error;
  }
}

const createCanaryPlace = (keyId: string) => ({ table: "secret_canaries", row: keyId, column: "sealed" });
const currentKey = ({ currentPrefix }: Keyring) => currentPrefix.split(".")[1]!;

interface SecretCheck {
  /** How messages name the secret, at the beginning of a sentence. */
  source: string;
  /** Columns with sealed values. They identify the secret of a database that has no canary rows yet. */
  sealedColumns(): Promise<readonly SealedColumn[]>;
}

/**
 * Returns an error when the configured secrets do not match this database, else undefined. It only reads, and works on
 * every schema version.
 */
export async function findWrongSecret(opened: SealedDatabase, { source, sealedColumns }: SecretCheck) {
  const { db, keyring } = opened;
  const canaries = (await store.hasTable(db)) ? await store.list(db) : [];
  if (canaries.length > 0) return findUnopened(keyring, canaries, source);
  return (await opensEarlierValues(opened, await sealedColumns()))
    ? undefined
    : new WrongSecret(source, false);
}

function findUnopened(keyring: Keyring, canaries: store.Canary[], source: string): WrongSecret | undefined {
  if (canaries.every((one) => canOpen(keyring, one))) return undefined;
  const isCurrentKnown = canaries.some(({ keyId }) => keyId === currentKey(keyring));
  return new WrongSecret(source, isCurrentKnown);
}

export async function refuseWrongSecret(opened: SealedDatabase, check: SecretCheck): Promise<void> {
  const wrong = await findWrongSecret(opened, check);
  if (wrong) throw wrong;
}

/** Throws when the secrets do not match, and records the current secret before any value is sealed with it. */
export async function checkSecret(opened: SealedDatabase, check: SecretCheck): Promise<void> {
  const { db, keyring } = opened;
  await refuseWrongSecret(opened, check);
  if ((await store.list(db)).some(({ keyId }) => keyId === currentKey(keyring))) return;
  await db.transaction(async (tx) => {
    await store.lock(tx);
    // Another process may have recorded its secret in the meantime.
    const wrong = findUnopened(keyring, await store.list(tx), check.source);
    if (wrong) throw wrong;
    await recordCurrent(tx, keyring);
  });
}

/**
 * Checks a database without canary rows. One value under a configured secret is enough, because the others may be under
 * a lost secret.
 */
async function opensEarlierValues(
  opened: SealedDatabase,
  columns: readonly SealedColumn[],
): Promise<boolean> {
  const { current, previous, unknown } = await countAllSealed(opened, columns);
  return current + previous > 0 || unknown === 0;
}

function recordCurrent(tx: Db, keyring: Keyring): Promise<number> {
  const keyId = currentKey(keyring);
  return store.insert(tx, { keyId, sealed: keyring.seal("signalbox", createCanaryPlace(keyId)) });
}

/** Counts the recorded secrets other than the current one. */
export const countOtherSecrets = async ({ db, keyring }: SealedDatabase): Promise<number> =>
  (await store.list(db)).filter(({ keyId }) => keyId !== currentKey(keyring)).length;

/** Removes the records of all other secrets. Call it when every value that opens is sealed with the current secret. */
export const removeOtherSecrets = (opened: SealedDatabase): Promise<number> =>
  removeSecrets(opened, () => true);

/**
 * Removes the records of secrets that are not configured. The operator accepts that values under them never open again.
 */
export const removeLostSecrets = (opened: SealedDatabase): Promise<number> =>
  removeSecrets(opened, (one) => !canOpen(opened.keyring, one));

function removeSecrets(
  { db, keyring }: SealedDatabase,
  isOver: (one: store.Canary) => boolean,
): Promise<number> {
  return db.transaction(async (tx) => {
    await store.lock(tx);
    await recordCurrent(tx, keyring);
    const others = (await store.list(tx)).filter(({ keyId }) => keyId !== currentKey(keyring));
    return store.remove(
      tx,
      others.filter(isOver).map(({ keyId }) => keyId),
    );
  });
}
