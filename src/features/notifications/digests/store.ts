import type { OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import type { EventType } from "../facts.ts";

/** The subject of a mail: a type of event, or a disabled endpoint. */
export type DigestType = EventType | "endpoint.disabled";

export type Item = Record<string, unknown> & { at: number };

export interface Addition {
  memberIds: readonly string[];
  topic: string;
  type: DigestType;
  item: Item;
}

export interface Pace {
  /** A mail is sent after this many seconds without another item. */
  quietSeconds: number;
  /** A mail is sent at the latest this long after its first item, and at the earliest this long after the last mail. */
  windowSeconds: number;
}

const maxListedItems = 10;

/** Adds the item to the digest of each member. */
export const add = (
  tx: Db,
  orgId: OrgId,
  { memberIds, topic, type, item }: Addition,
  { quietSeconds, windowSeconds }: Pace,
) => {
  const quiet = sql`now() + make_interval(secs => ${quietSeconds}::int)`;
  const window = sql`make_interval(secs => ${windowSeconds}::int)`;
  return tx.run(sql`
    insert into notification_digests as d (member_id, topic, org_id, type, pending, items, due_at)
    select m.id, ${topic}, ${orgId}, ${type}, 1, jsonb_build_array(${JSON.stringify(item)}::text::jsonb), ${quiet}
    from unnest(${memberIds}::text[]) m (id) order by m.id
    on conflict (member_id, topic) do update set pending = d.pending + 1,
      items = case when d.pending = 0 then excluded.items
        when jsonb_array_length(d.items) < ${maxListedItems}::int then d.items || excluded.items else d.items end,
      opened_at = case when d.pending = 0 then now() else d.opened_at end,
      due_at = case when d.pending = 0 then greatest(${quiet}, d.mailed_at + ${window})
        else greatest(d.due_at, least(${quiet}, d.opened_at + ${window})) end`);
};

const isDue = sql`pending > 0 and due_at <= now()`;
export const hasDue = sql`exists (select from notification_digests where ${isDue})`;

export const listDueAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<{ orgId: OrgId; memberId: string; topic: string }>(sql`
    select org_id as "orgId", member_id as "memberId", topic from (
      select org_id, member_id, topic, due_at, row_number() over (partition by org_id order by due_at) as turn
      from notification_digests
      where ${isDue} and ${isNotSuspended(sql`org_id`)}) d
    order by turn, due_at limit ${limit}`);

export interface Digest {
  type: DigestType;
  pending: number;
  items: Item[];
  userId: UserId;
  email: string;
  /** True when the address is confirmed and the member is active. */
  verified: boolean;
  organization: string;
  slug: string;
}

/** Undefined when the digest is not due any more or another process has locked it. */
export const lockDue = (tx: Db, orgId: OrgId, memberId: string, topic: string) =>
  tx.row<Digest>(sql`
    select d.type, d.pending, d.items, u.id as "userId", u.email, u.email_verified and m.deactivated_at is null as verified, o.name as organization, o.slug
    from notification_digests d join members m on m.id = d.member_id join users u on u.id = m.user_id
    join organizations o on o.id = d.org_id
    where d.org_id = ${orgId} and d.member_id = ${memberId} and d.topic = ${topic} and d.pending > 0
      and d.due_at <= now() and o.suspended_at is null
    for update of d skip locked`);

export const markMailed = (tx: Db, orgId: OrgId, memberId: string, topic: string) =>
  tx.run(sql`
    update notification_digests set pending = 0, items = '[]', mailed_at = now()
    where org_id = ${orgId} and member_id = ${memberId} and topic = ${topic}`);

export const postpone = (db: Db, orgId: OrgId, memberId: string, topic: string, seconds: number) =>
  db.run(sql`
    update notification_digests set due_at = now() + make_interval(secs => ${seconds}::int)
    where org_id = ${orgId} and member_id = ${memberId} and topic = ${topic}`);

/** Deletes digests that have been empty for longer than any window, at most `limit` rows. */
export const removeIdleAcrossOrganizations = (db: Db, limit: number) =>
  db.run(sql`
    delete from notification_digests where (member_id, topic) in (
      select member_id, topic from notification_digests
      where pending = 0 and mailed_at < now() - interval '1 day' limit ${limit})
      and pending = 0`);
