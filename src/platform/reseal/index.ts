import type { Platform } from "../context.ts";
import { type SealedColumn, UnsealError } from "../keyring.ts";
import * as store from "./store.ts";

type Sealed = Pick<Platform, "db" | "keyring">;

export interface Census {
  current: number;
  /** Under a key of SIGNALBOX_SECRET_PREVIOUS. */
  previous: number;
  /** Under no key that we have. */
  unknown: number;
}

/** How many values each key of the ring has sealed in one column. */
export async function countSealed({ db, keyring }: Sealed, where: SealedColumn): Promise<Census> {
  const census: Census = { current: 0, previous: 0, unknown: 0 };
  for (const { prefix, count } of await store.countByKey(db, where)) census[keyring.keyOf(prefix)] += count;
  return census;
}

export interface Unopened {
  row: string;
  why: string;
}

/** Opens some values to see whether they do; gives those that do not. */
export async function trySealed({ db, keyring }: Sealed, where: SealedColumn, limit: number) {
  const values = await store.sample(db, where, limit);
  return values.flatMap(({ row, sealed }) => {
    const opened = open(keyring, where, row, sealed);
    return typeof opened === "string" || keyring.keyOf(sealed) === "unknown" ? [] : [opened];
  });
}

export interface Progress {
  resealed: number;
  /** Changed by somebody else between reading and writing: looked at again. */
  overtaken: number;
  unopened: Unopened[];
}

/** Small enough that requests on the embedded database's one connection do not notice. */
const batchSize = 200;

/**
 * Seals a column's values by the current key, a batch at a time, each in a statement of its own: it can
 * be stopped anywhere and run again. A value is written only over the one that was read, so a change that
 * happens meanwhile is never lost.
 */
export async function* resealColumn(
  { db, keyring }: Sealed,
  where: SealedColumn,
): AsyncGenerator<Progress, void> {
  let after = "";
  for (;;) {
    const values = await store.listOutdated(db, where, keyring.currentPrefix, after, batchSize);
    if (values.length === 0) return;
    const changes: { at: string; old: string; fresh: string }[] = [];
    const unopened: Unopened[] = [];
    for (const { at, row, sealed } of values) {
      const plain = open(keyring, where, row, sealed);
      if (typeof plain !== "string") unopened.push(plain);
      else changes.push({ at, old: sealed, fresh: keyring.seal(plain, placeOf(where, row)) });
    }
    const resealed = changes.length ? await store.replace(db, where, changes) : 0;
    yield { resealed, overtaken: changes.length - resealed, unopened };
    after = values.at(-1)!.row;
  }
}

const placeOf = ({ table, column }: SealedColumn, row: string) => ({ table, row, column });

function open(
  keyring: Sealed["keyring"],
  where: SealedColumn,
  row: string,
  sealed: string,
): string | Unopened {
  try {
    return keyring.open(sealed, placeOf(where, row));
  } catch (error) {
    if (error instanceof UnsealError) return { row, why: error.message };
    throw error;
  }
}
