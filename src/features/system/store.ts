import { type Db, sql } from "../../platform/db/index.ts";

export const ping = (db: Db) => db.run(sql`select 1`);

export const serverVersion = async (db: Db): Promise<string> =>
  (await db.row<{ version: string }>(sql`select current_setting('server_version') as version`))?.version ??
  "unknown";
