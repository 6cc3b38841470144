import type { Platform } from "../context.ts";
import { type Place, type SealedColumn, UnsealError } from "../keyring.ts";
import * as store from "./store.ts";

type SealedDatabase = Pick<Platform, "db" | "keyring">;

export interface Census {
  current: number;
  /** Under a key of SIGNALBOX_SECRET_PREVIOUS. */
  previous: number;
  /** Under no key that we have. */
  unknown: number;
}

/** How many values each key of the ring has sealed in one column. */
export async function countSealed({ db, keyring }: SealedDatabase, where: SealedColumn): Promise<Census> {
  const census: Census = { current: 0, previous: 0, unknown: 0 };
  for (const { prefix, count } of await store.countByKey(db, where))
    census[keyring.findKeyId(prefix)] += count;
  return census;
}

/** Counts the values under each key, over the columns that exist in this database. */
export async function countAllSealed(
  opened: SealedDatabase,
  columns: readonly SealedColumn[],
): Promise<Census> {
  const total: Census = { current: 0, previous: 0, unknown: 0 };
  for (const where of await store.listExisting(opened.db, columns)) {
    const census = await countSealed(opened, where);
    total.current += census.current;
    total.previous += census.previous;
    total.unknown += census.unknown;
  }
  return total;
}

export interface Unopened {
  row: string;
  why: string;
}

/** Opens some values to see whether they do; gives those that do not. */
export async function trySealed({ db, keyring }: SealedDatabase, where: SealedColumn, limit: number) {
  const values = await store.sample(db, where, limit);
  return values.flatMap((value) => {
    const { sealed } = value;
    const opened = open(keyring, where, value);
    return typeof opened === "string" || keyring.findKeyId(sealed) === "unknown" ? [] : [opened];
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
  { db, keyring }: SealedDatabase,
  where: SealedColumn,
  only = "",
): AsyncGenerator<Progress, void> {
  let after = "";
  for (;;) {
    const values = await store.listOutdated(db, where, keyring.currentPrefix, after, batchSize, only);
    if (values.length === 0) return;
    const changes: { at: string; old: string; fresh: string }[] = [];
    const unopened: Unopened[] = [];
    for (const value of values) {
      const plain = open(keyring, where, value);
      if (typeof plain !== "string") unopened.push(plain);
      else
        changes.push({
          at: value.at,
          old: value.sealed,
          fresh: keyring.seal(plain, createPlace(where, value)),
        });
    }
    const resealed = changes.length ? await store.replace(db, where, changes) : 0;
    yield { resealed, overtaken: changes.length - resealed, unopened };
    after = values.at(-1)!.row;
  }
}

const createPlace = (
  { table, column, address }: SealedColumn,
  { row, organization, fields }: store.SealedValue,
): Place => ({
  table,
  row,
  column,
  organization: organization ?? undefined,
  address: fields === null ? undefined : address?.of(fields as never),
});

function open(
  keyring: SealedDatabase["keyring"],
  where: SealedColumn,
  value: store.SealedValue,
): string | Unopened {
  try {
    return keyring.open(value.sealed, createPlace(where, value));
  } catch (error) {
    if (error instanceof UnsealError) return { row: value.row, why: error.message };
    throw error;
  }
}

const firstFormat = "v1.";
const createMark = (keyring: SealedDatabase["keyring"]) => keyring.derive("end of the first sealing format");

/** Stops opening the first format when the database records that it has ended. */
export async function loadFormat({ db, keyring }: SealedDatabase): Promise<void> {
  if (await store.hasEndedFirstFormat(db, createMark(keyring))) keyring.endFirstFormat();
}

/**
 * Reseals values of the first format in the current format. When none is left, and processes of earlier versions have
 * had time to end, the first format ends: its values no longer open.
 */
export async function upgradeSealing({ db, keyring }: SealedDatabase, columns: readonly SealedColumn[]) {
  if (await store.hasEndedFirstFormat(db, createMark(keyring))) return keyring.endFirstFormat();
  let left = 0;
  for (const where of columns) {
    for await (const { overtaken, unopened } of resealColumn({ db, keyring }, where, firstFormat))
      left += overtaken + unopened.length;
  }
  if (left > 0 || !(await store.mayEndFirstFormat(db))) return;
  await store.endFirstFormat(db, createMark(keyring));
  keyring.endFirstFormat();
}
