import { type Db, filterOrder, sql } from "../../platform/db/index.ts";

export const ping = (db: Db) => db.run(sql`select 1`);

export const serverVersion = async (db: Db): Promise<string> =>
  (await db.row<{ version: string }>(sql`select current_setting('server_version') as version`))?.version ??
  "unknown";

export interface Instance {
  isEmpty: boolean;
  hasSso: boolean;
  isDemo: boolean;
}

/** What a person without an account may know. An entry of the instance's audit chain names the demo workspace. */
export const readInstanceAcrossOrganizations = async (db: Db) =>
  (await db.row<Instance>(sql`
    select not exists (select from users where not provisional) as "isEmpty",
      exists (select from sso_connectors where enabled) as "hasSso",
      coalesce((select exists (select from organizations o where o.id = e.target_id) from audit_events e
        where e.scope = 'instance' and e.action = 'demo.created'
        order by ${filterOrder(sql`e.id`)} desc limit 1), false) as "isDemo"`))!;
