import type { OrgId } from "../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../platform/db/index.ts";

/** Who uses a provider: a member, with the grants of their teams, or a worker. */
export type Subject = { kind: "member"; id: string } | { kind: "worker"; id: string };

/** A condition on `llm_provider_grants g`: the grant applies to the member. */
const isOfMember = (memberId: Sql) => sql`(g.subject_kind = 'organization' or g.member_id = ${memberId}
  or g.team_id in (select x.team_id from team_members x where x.member_id = ${memberId}))`;

const isOfSubject = ({ kind, id }: Subject) =>
  kind === "member" ? isOfMember(sql`${id}`) : sql`g.worker_id = ${id}`;

/** A condition on `llm_providers p`. A grant to the organization is for its members, not for its workers. */
export const isGrantedTo = (subject: Subject): Sql =>
  sql`exists (select from llm_provider_grants g where g.provider_id = p.id and ${isOfSubject(subject)})`;

/** The models that each grant allows. Empty when the provider is not granted. */
export const listGrantedModels = async (
  db: Db,
  orgId: OrgId,
  providerId: string,
  subject: Subject,
): Promise<(string[] | null)[]> =>
  (
    await db.rows<{ models: string[] | null }>(sql`
      select g.models from llm_provider_grants g
      where g.org_id = ${orgId} and g.provider_id = ${providerId} and ${isOfSubject(subject)}`)
  ).map(({ models }) => models);

export interface GrantRow {
  kind: "organization" | "team" | "member" | "worker";
  subjectId: string;
  models: string[] | null;
}

export const list = (db: Db, orgId: OrgId, providerId: string) =>
  db.rows<GrantRow>(sql`
    select g.subject_kind as kind, g.subject_id as "subjectId", g.models from llm_provider_grants g
    where g.org_id = ${orgId} and g.provider_id = ${providerId} order by g.subject_id`);

/** Removes the grants to the organization, teams and members. Those of workers stay. */
export const removeForPeople = (tx: Db, orgId: OrgId, providerId: string) =>
  tx.run(sql`
    delete from llm_provider_grants
    where org_id = ${orgId} and provider_id = ${providerId} and subject_kind <> 'worker'`);

/** Adds a grant. Returns 0 when the subject does not belong to the organization. */
export const insert = (tx: Db, orgId: OrgId, providerId: string, { kind, subjectId, models }: GrantRow) =>
  tx.run(sql`
    insert into llm_provider_grants (provider_id, org_id, subject_kind, team_id, member_id, worker_id, models)
    select ${providerId}, ${orgId}, ${kind},
      (select t.id from teams t where ${kind} = 'team' and t.id = ${subjectId} and t.org_id = ${orgId}),
      (select m.id from members m where ${kind} = 'member' and m.id = ${subjectId} and m.org_id = ${orgId}),
      case when ${kind} = 'worker' then ${subjectId} end, ${models}::text[]
    where ${kind} in ('organization', 'worker')
      or exists (select from teams t where ${kind} = 'team' and t.id = ${subjectId} and t.org_id = ${orgId})
      or exists (select from members m where ${kind} = 'member' and m.id = ${subjectId} and m.org_id = ${orgId})`);

/** Locks teams, so that nobody joins one while it is granted a provider without the permission to do so. */
export const lockTeams = (tx: Db, orgId: OrgId, ids: readonly string[]) =>
  tx.rows<{ id: string }>(sql`
    select id from teams where org_id = ${orgId} and id = any(${ids}::text[]) order by id for update`);

export const listProviderIdsOfWorker = async (db: Db, orgId: OrgId, workerId: string): Promise<string[]> =>
  (
    await db.rows<{ id: string }>(sql`
      select g.provider_id as id from llm_provider_grants g
      where g.org_id = ${orgId} and g.worker_id = ${workerId} order by g.provider_id`)
  ).map(({ id }) => id);

export const removeForWorker = (tx: Db, orgId: OrgId, workerId: string, keptProviderIds: readonly string[]) =>
  tx.run(sql`
    delete from llm_provider_grants
    where org_id = ${orgId} and worker_id = ${workerId} and provider_id <> all(${keptProviderIds}::text[])`);

/** Providers of other organizations are skipped. */
export const addForWorker = (tx: Db, orgId: OrgId, workerId: string, providerIds: readonly string[]) =>
  tx.run(sql`
    insert into llm_provider_grants (provider_id, org_id, subject_kind, worker_id)
    select p.id, p.org_id, 'worker', ${workerId} from llm_providers p
    where p.org_id = ${orgId} and p.id = any(${providerIds}::text[])
    on conflict (provider_id, subject_id) do nothing`);
