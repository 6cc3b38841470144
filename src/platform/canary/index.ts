import type { Platform } from "../context.ts";
import type { Db } from "../db/index.ts";
import { OperatorError } from "../errors.ts";
import { type Keyring, type SealedColumn, UnsealError } from "../keyring.ts";
import { countAllSealed } from "../reseal/index.ts";
import * as store from "./store.ts";

type Opened = Pick<Platform, "db" | "keyring">;

/** The configured secrets do not open what is in this database. */
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

/** Each secret that seals values here has one row. The keys of a process must open all of them. */
function canOpen(keyring: Keyring, { keyId, sealed }: store.Canary): boolean {
  try {
    keyring.open(sealed, placeOf(keyId));
    return true;
  } catch (error) {
    if (error instanceof UnsealError) return false;
    throw error;
  }
}

const placeOf = (keyId: string) => ({ table: "secret_canaries", row: keyId, column: "sealed" });
const currentKey = ({ currentPrefix }: Keyring) => currentPrefix.split(".")[1]!;

interface SecretCheck {
  /** What the operator knows the secret by. */
  source: string;
  /** The columns by which the secret of an earlier version's database is recognized. */
  sealedColumns(): Promise<readonly SealedColumn[]>;
}

/** Why the configured secrets do not fit; undefined when they do. Changes nothing, and works on any schema. */
export async function findWrongSecret(opened: Opened, { source, sealedColumns }: SecretCheck) {
  const { db, keyring } = opened;
  const canaries = (await store.isThere(db)) ? await store.list(db) : [];
  if (canaries.length > 0) return findUnopened(keyring, canaries, source);
  return (await fitsEarlierValues(opened, await sealedColumns()))
    ? undefined
    : new WrongSecret(source, false);
}

function findUnopened(keyring: Keyring, canaries: store.Canary[], source: string): WrongSecret | undefined {
  if (canaries.every((one) => canOpen(keyring, one))) return undefined;
  const isCurrentKnown = canaries.some(({ keyId }) => keyId === currentKey(keyring));
  return new WrongSecret(source, isCurrentKnown);
}

export async function refuseWrongSecret(opened: Opened, check: SecretCheck): Promise<void> {
  const wrong = await findWrongSecret(opened, check);
  if (wrong) throw wrong;
}

/** Refuses secrets that do not fit, and records the current one before anything is sealed with it. */
export async function checkSecret(opened: Opened, check: SecretCheck): Promise<void> {
  const { db, keyring } = opened;
  await refuseWrongSecret(opened, check);
  if ((await store.list(db)).some(({ keyId }) => keyId === currentKey(keyring))) return;
  await db.transaction(async (tx) => {
    await store.lock(tx);
    // Another start may have recorded its secret meanwhile.
    const wrong = findUnopened(keyring, await store.list(tx), check.source);
    if (wrong) throw wrong;
    await recordCurrent(tx, keyring);
  });
}

/** A database of an earlier version has no rows. One value under a configured secret is enough: others may be lost. */
async function fitsEarlierValues(opened: Opened, columns: readonly SealedColumn[]): Promise<boolean> {
  const { current, previous, unknown } = await countAllSealed(opened, columns);
  return current + previous > 0 || unknown === 0;
}

function recordCurrent(tx: Db, keyring: Keyring): Promise<number> {
  const keyId = currentKey(keyring);
  return store.insert(tx, { keyId, sealed: keyring.seal("signalbox", placeOf(keyId)) });
}

/** How many secrets are recorded beside the current one. */
export const countOtherSecrets = async ({ db, keyring }: Opened): Promise<number> =>
  (await store.list(db)).filter(({ keyId }) => keyId !== currentKey(keyring)).length;

/** Nothing that opens is sealed with another secret than the current one: starts no longer need the others. */
export const forgetOtherSecrets = (opened: Opened): Promise<number> => forget(opened, () => true);

/** The operator accepts that values under a lost secret never open again. */
export const forgetLostSecrets = (opened: Opened): Promise<number> =>
  forget(opened, (one) => !canOpen(opened.keyring, one));

function forget({ db, keyring }: Opened, isOver: (one: store.Canary) => boolean): Promise<number> {
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
