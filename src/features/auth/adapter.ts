import { AsyncLocalStorage } from "node:async_hooks";
import type { BetterAuthOptions } from "better-auth";
import { type CleanedWhere, createAdapterFactory, type DBAdapter } from "better-auth/adapters";
import { APIError } from "better-auth/api";
import type { Db } from "../../platform/db/index.ts";
import { hashSecret } from "../../platform/secrets.ts";

type Row = Record<string, unknown>;

/** The library passes its own errors on and hides any other, so the database's travel inside one of those. */
export class StorageError extends APIError {
  constructor(cause: unknown) {
    super("INTERNAL_SERVER_ERROR");
    this.cause = cause;
  }
}

/**
 * Better Auth over our own `Db`, so that both engines, transactions and the pool are shared. It differs
 * from the stock adapters in one thing: session tokens are hashed on their way in, so that the table of
 * sessions opens no session.
 */
export function createAuthAdapter(db: Db, onSessionsEnded: (db: Db, userIds: string[]) => Promise<void>) {
  const inside = new AsyncLocalStorage<Db>();
  /** The transaction the library is in, if it is in one: what we send along must commit with it. */
  const current = () => inside.getStore() ?? db;
  const query = async (text: string, values: unknown[]) => {
    try {
      return await current().foreign(text, values);
    } catch (error) {
      throw new StorageError(error);
    }
  };
  const all = async (text: string, values: unknown[]) => (await query(text, values)).rows;

  const adapter = createAdapterFactory({
    config: {
      adapterId: "signalbox",
      supportsJSON: true,
      supportsArrays: true,
      transaction: (work) => {
        const joined = current();
        if (joined.inTransaction) return work(instance);
        return db.transaction((tx) => inside.run(tx, () => work(instance)));
      },
    },
    adapter: ({ getFieldName }) => ({
      async create<T extends Row>({ model, data }: { model: string; data: T }) {
        const row = hashToken(model, data);
        const columns = Object.keys(row);
        const places = columns.map((_, i) => `$${i + 1}`);
        const [created] = await all(
          `insert into ${quote(model)} (${columns.map(quote)}) values (${places}) returning *`,
          Object.values(row),
        );
        return plainToken(model, created!, data.token_hash) as T;
      },
      async findOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
        const values: unknown[] = [];
        const [row] = await all(
          `select * from ${quote(model)} where ${conditions(model, where, values)} limit 1`,
          values,
        );
        return (row ? plainToken(model, row, tokenIn(where)) : null) as T | null;
      },
      async findMany<T>({ model, where = [], limit, offset, sortBy }: FindMany) {
        const values: unknown[] = [];
        // Of all fields only this one comes by the library's own name.
        const order = sortBy
          ? `order by ${quote(getFieldName({ model, field: sortBy.field }))} ${sortBy.direction === "desc" ? "desc" : "asc"}`
          : "";
        const rows = await all(
          `select * from ${quote(model)} where ${conditions(model, where, values)} ${order}
           limit ${Number(limit)} offset ${Number(offset ?? 0)}`,
          values,
        );
        return rows.map((row) => plainToken(model, row, undefined)) as T[];
      },
      async count({ model, where = [] }) {
        const values: unknown[] = [];
        const [row] = await all(
          `select count(*)::int as n from ${quote(model)} where ${conditions(model, where, values)}`,
          values,
        );
        return row!.n as number;
      },
      async update<T>({ model, where, update }: { model: string; where: CleanedWhere[]; update: T }) {
        const values: unknown[] = [];
        const set = assignments(hashToken(model, update as Row), values);
        const [row] = await all(
          `update ${quote(model)} set ${set} where ${conditions(model, where, values)} returning *`,
          values,
        );
        return (row ? plainToken(model, row, tokenIn(where)) : null) as T | null;
      },
      async updateMany({ model, where, update }) {
        const values: unknown[] = [];
        const set = assignments(hashToken(model, update), values);
        const text = `update ${quote(model)} set ${set} where ${conditions(model, where, values)}`;
        return (await query(text, values)).affected;
      },
      async delete({ model, where }) {
        await remove(model, where);
      },
      deleteMany: async ({ model, where }) => (await remove(model, where)).length,
      // Single use: only one of two requests at the same moment gets the row.
      async consumeOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
        const [row] = await remove(model, where);
        return (row ?? null) as T | null;
      },
    }),
  });

  async function remove(model: string, where: CleanedWhere[]): Promise<Row[]> {
    const values: unknown[] = [];
    const rows = await all(
      `delete from ${quote(model)} where ${conditions(model, where, values)} returning *`,
      values,
    );
    if (model === "sessions" && rows.length) {
      await onSessionsEnded(current(), [...new Set(rows.map((row) => row.user_id as string))]);
    }
    return rows;
  }

  let instance: DBAdapter;
  return {
    current,
    /** Runs `work` in one transaction. The library itself does not use transactions everywhere. */
    transaction: <T>(work: (tx: Db) => Promise<T>) => db.transaction((tx) => inside.run(tx, () => work(tx))),
    adapter: (options: BetterAuthOptions) => {
      instance = adapter(options);
      return instance;
    },
  };
}

interface FindMany {
  model: string;
  where?: CleanedWhere[] | undefined;
  limit: number;
  offset?: number | undefined;
  sortBy?: { field: string; direction: "asc" | "desc" } | undefined;
}

/** Names come from the library's own schema, never from a request. */
const quote = (name: string) => `"${name.replaceAll('"', "")}"`;

function assignments(row: Row, values: unknown[]): string {
  return Object.entries(row)
    .map(([column, value]) => `${quote(column)} = $${values.push(value)}`)
    .join(", ");
}

const comparisons: Record<string, string> = { eq: "=", ne: "<>", lt: "<", lte: "<=", gt: ">", gte: ">=" };

function conditions(model: string, where: CleanedWhere[], values: unknown[]): string {
  const and: string[] = [];
  const or: string[] = [];
  for (const clause of where) (clause.connector === "OR" ? or : and).push(condition(model, clause, values));
  if (or.length) and.push(`(${or.join(" or ")})`);
  return and.join(" and ") || "true";
}

function condition(model: string, { field, operator, value, mode }: CleanedWhere, values: unknown[]): string {
  const column = mode === "insensitive" ? `lower(${quote(field)})` : quote(field);
  const adjust = (one: unknown) => {
    const lowered = mode === "insensitive" && typeof one === "string" ? one.toLowerCase() : one;
    return isToken(model, field) && typeof lowered === "string" ? hashSecret(lowered) : lowered;
  };
  if (value === null) return `${column} is ${operator === "ne" ? "not " : ""}null`;
  switch (operator) {
    case "in":
    case "not_in": {
      const list = (Array.isArray(value) ? value : [value]).map((one) => `$${values.push(adjust(one))}`);
      if (list.length === 0) return operator === "in" ? "false" : "true";
      return `${column} ${operator === "in" ? "in" : "not in"} (${list})`;
    }
    case "contains":
      return `strpos(${column}, $${values.push(adjust(value))}) > 0`;
    case "starts_with":
      return `starts_with(${column}, $${values.push(adjust(value))})`;
    case "ends_with":
      return `right(${column}, length($${values.push(adjust(value))})) = $${values.length}`;
    default:
      return `${column} ${comparisons[operator]} $${values.push(adjust(value))}`;
  }
}

const isToken = (model: string, column: string) => model === "sessions" && column === "token_hash";

function hashToken(model: string, row: Row): Row {
  const token = row.token_hash;
  return model === "sessions" && typeof token === "string" ? { ...row, token_hash: hashSecret(token) } : row;
}

/** The library expects to read back the token it asked for; nobody else gets to see even the hash. */
function plainToken(model: string, row: Row, token: unknown): Row {
  return model === "sessions" ? { ...row, token_hash: token ?? "" } : row;
}

function tokenIn(where: CleanedWhere[]): unknown {
  return where.find(({ field, operator }) => field === "token_hash" && operator === "eq")?.value;
}
