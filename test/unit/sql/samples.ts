/** Statements for the test of the check. All of them compile; each one that is wrong has its own problem. */
import {
  type Db,
  emptySql,
  join,
  raw,
  reuseStatement,
  type Sql,
  sql,
} from "../../../src/platform/db/index.ts";

interface Person {
  id: string;
  name: string;
}

const columns = sql`u.id, u.name`;
const columnsWithMistake = sql`u.id, u.nam`;
const byName = (name: Sql) => sql`lower(u.name) = ${name}`;
const orders = { id: raw("u.id"), name: raw("u.name") };

export const correct = (db: Db, id: string | null, order: keyof typeof orders, names: string[]) => {
  const conditions = [id === null ? null : sql`u.id = ${id}`, byName(sql`lower(${names[0]})`)].filter(
    (condition) => condition !== null,
  );
  return db.rows<Person>(sql`
    select ${columns} from users u where ${join(conditions, " and ")} ${id === null ? emptySql : sql`and u.id = ${id}`}
    order by ${orders[order]}`);
};

export const correctKinds = (db: Db) =>
  db.row<{
    text: "a" | "b";
    number: number;
    big: number;
    flag: boolean;
    time: number;
    json: { a: string }[];
    list: string[];
    bytes: Buffer;
    none: string | null;
  }>(sql`
    select 'a' as text, 1 as number, 1::bigint as big, true as flag, now() as time, '[]'::jsonb as json,
      array['a'] as list, ''::bytea as bytes, null::text as none`);

export const missing = (db: Db) => db.rows<Person & { email: string }>(sql`select ${columns} from users u`);

export const undeclared = (db: Db) => db.rows<Person>(sql`select ${columns}, u.email from users u`);

export const twice = (db: Db) => db.rows<Person>(sql`select ${columns}, u.id from users u`);

export const wrongKinds = (db: Db) =>
  db.row<{ a: number; b: string; c: Date; d: string; e: Date; f: string; g: number[]; h: bigint }>(sql`
    select 'a' as a, 1::bigint as b, now() as c, true as d, '{}'::jsonb as e, array['f'] as f, array['g'] as g,
      1::bigint as h`);

export const nullable = (db: Db) =>
  db.row<{ address: string; found: string | null }>(
    sql`select ip_address as address, user_agent as found from sessions`,
  );

export const nullableByJoin = (db: Db) =>
  db.row<{ user: string; member: string }>(sql`
    select u.id as user, m.id as member from users u left join members m on m.user_id = u.id`);

export const nullableOption = (db: Db) =>
  db.row<{ user: string } & ({ member: string; role: string } | { member: null })>(sql`
    select u.id as user, m.id as member, m.role from users u left join members m on m.user_id = u.id`);

export const unknownColumn = (db: Db) => db.rows<Person>(sql`select ${columnsWithMistake} from users u`);

export const wrongBranch = (db: Db, all: boolean) =>
  db.run(sql`delete from users u ${all ? emptySql : sql`where ${byName(sql`u.nickname`)}`}`);

export const wrongSyntax = (db: Db) => db.run(sql`delete form users`);

export const unknownText = (db: Db, table: string) => db.run(sql`delete from ${raw(table)}`);

export const unnamedColumns = (db: Db) => db.rows<Record<string, unknown>>(sql`select * from users`);

const listFrom = <Row>(db: Db, from: Sql) => db.rows<Row>(sql`select u.id from ${from} u`);
export const genericCorrect = (db: Db) => listFrom<{ id: string }>(db, sql`users`);
export const unsent = () => sql`select emptySql`;
export const genericWrong = (db: Db) => listFrom<{ id: number }>(db, sql`users`);

const selectByName = reuseStatement(
  (name: string) => sql`select ${columns} from users u where u.name = ${name}`,
);
export const reusedCorrect = (db: Db) => db.row<Person>(selectByName("a"));
export const reusedWrong = (db: Db) => db.row<{ id: string; name: number }>(selectByName("a"));

interface Removal {
  remove(db: Db, condition: Sql): Promise<unknown>;
}
const removeUsers = (db: Db, condition: Sql) => db.run(sql`delete from users u where ${condition}`);
const removal: Removal = { remove: removeUsers };
export const propertyCorrect = (db: Db) => removal.remove(db, sql`u.name = 'a'`);
export const propertyWrong = (db: Db) => removal.remove(db, sql`u.alias = 'a'`);
