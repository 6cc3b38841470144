import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, expireIn, filterOrder, listSource, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import type {
  Attempt,
  ListQuery,
  WebhookEndpointDelivery,
  WebhookEndpointDeliveryDetail,
} from "./contract.ts";

export type DeliveryId = Id<"wed">;

const columns = sql`d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.type, d.status, d.attempt,
  case when d.status = 'pending' then d.due_at end as "nextAttemptAt", d.attempts -> -1 as "lastAttempt",
  d.created_at as "createdAt", d.finished_at as "finishedAt"`;

/** Most deliveries succeed, so the index of the other statuses leaves them out. */
const chooseRange = (status: ListQuery["status"]) =>
  status === undefined || status === "succeeded"
    ? { where: emptySql, id: sql`d.id` }
    : { where: sql`and d.status = ${status} and d.status <> 'succeeded'`, id: filterOrder(sql`d.id`) };

export const list = (db: Db, orgId: OrgId, endpointId: string, { status }: Pick<ListQuery, "status">) => {
  const { where, id } = chooseRange(status);
  return listSource<WebhookEndpointDelivery>(db, {
    filtered: status !== undefined,
    candidates: (after, count) => sql`
      select d.id, ${status === undefined ? sql`true` : sql`d.status = ${status}`} as matches
      from webhook_endpoint_deliveries d
      where d.endpoint_id = ${endpointId} ${where} and ${id} < ${after}
        and exists (select from webhook_endpoints e where e.id = ${endpointId} and e.org_id = ${orgId})
      order by ${id} desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from webhook_endpoint_deliveries d where d.id = any(${ids})`,
  });
};

const matchDelivery = (orgId: OrgId, endpointId: string, id: DeliveryId) =>
  sql`d.org_id = ${orgId} and d.endpoint_id = ${endpointId} and d.id = ${id}`;

export const find = (db: Db, orgId: OrgId, endpointId: string, id: DeliveryId) =>
  db.row<WebhookEndpointDeliveryDetail>(sql`
    select ${columns}, d.body, d.attempts from webhook_endpoint_deliveries d where ${matchDelivery(orgId, endpointId, id)}`);

export interface NewDelivery {
  id: DeliveryId;
  endpointId: string;
}

export interface NewMessage {
  eventId: string;
  type: string;
  body: string;
}

/** Queues one event for several endpoints. Endpoints that already have it are skipped. */
export const insert = (tx: Db, orgId: OrgId, deliveries: readonly NewDelivery[], message: NewMessage) =>
  tx.rows<WebhookEndpointDelivery>(sql`
    insert into webhook_endpoint_deliveries as d (id, org_id, endpoint_id, event_id, type, body)
    select n.id, ${orgId}, n.endpoint_id, ${message.eventId}, ${message.type}, ${message.body}
    from unnest(${deliveries.map(({ id }) => id)}::text[], ${deliveries.map(({ endpointId }) => endpointId)}::text[])
      as n (id, endpoint_id)
    on conflict (endpoint_id, event_id) do nothing
    returning ${columns}`);

/** Makes a delivery due now, with a full series of retries. A delivery that is being sent keeps its lease. */
export const requeue = (tx: Db, orgId: OrgId, endpointId: string, id: DeliveryId) =>
  tx.row<WebhookEndpointDelivery>(sql`
    update webhook_endpoint_deliveries d set status = 'pending', finished_at = null,
      tries = case when sending then tries else 0 end, due_at = case when sending then due_at else now() end
    where ${matchDelivery(orgId, endpointId, id)} returning ${columns}`);

const maxStoredAttempts = 20;

/** Appends an attempt, and removes the oldest one when there are `maxStoredAttempts`. */
const appendAttempt = (entry: ReturnType<typeof sql>) => sql`case
  when jsonb_array_length(attempts) >= ${maxStoredAttempts}::int then (attempts - 0) || ${entry}
  else attempts || ${entry} end`;

export interface ClaimedDelivery {
  id: DeliveryId;
  orgId: OrgId;
  endpointId: Id<"whe">;
  eventId: string;
  body: string;
  attempt: number;
  tries: number;
  url: string;
  /** Sealed, like `previousSecret`. */
  secret: string;
  previousSecret: string | null;
  enabled: boolean;
  /** True when the last attempt at the endpoint failed, or a send to it is slow now. */
  isFailing: boolean;
}

export interface ClaimLimits {
  /** Deliveries of these organizations and endpoints are not taken. */
  busyOrganizations: readonly string[];
  busyEndpoints: readonly string[];
  /** These endpoints count as failing. */
  slowEndpoints: readonly string[];
  /** The organization of each running send. Each send counts as one turn that the organization has had. */
  openOrganizations: readonly string[];
  perOrganization: number;
  perEndpoint: number;
  limit: number;
  /** How many of the `limit` may be for failing endpoints. */
  limitFailing: number;
}

/** Longer than the wait for a place and one attempt together, so an expired lease means that the process died. */
const lease = expireIn(120);
const interruptedError = "The service stopped before the outcome was recorded. The event may have arrived.";

const isDue = sql`status = 'pending' and due_at <= now()`;
export const hasDue = sql`exists (select from webhook_endpoint_deliveries where ${isDue})`;

/**
 * Takes due deliveries, in turn by organization and endpoint, failing endpoints last. The attempt is counted before
 * anything is sent: if the process dies, the next process that takes the delivery records the interrupted attempt.
 */
export const claimDueAcrossOrganizations = (db: Db, limits: ClaimLimits) => {
  const interrupted = sql`jsonb_build_object('attempt', attempt, 'at', (extract(epoch from now()) * 1000)::bigint,
    'durationMs', null, 'responseStatus', null, 'response', null, 'error', ${interruptedError}::text)`;
  const isFailing = sql`(e.failing_since is not null or e.id = any(${limits.slowEndpoints}::text[]))`;
  return db.rows<ClaimedDelivery>(sql`
    update webhook_endpoint_deliveries d set attempt = attempt + 1, tries = tries + 1, sending = true,
      due_at = ${lease}, attempts = case when sending then ${appendAttempt(interrupted)} else attempts end
    from webhook_endpoints e
    where e.id = d.endpoint_id and d.id in (
      select id from webhook_endpoint_deliveries where ${isDue} and id in (
        select id from (
          select id, due_at, turn, failing, row_number() over (partition by failing order by turn, due_at) as place
          from (
            select due.id, due.due_at, e.failing, coalesce(open.sends, 0)
              + row_number() over (partition by e.org_id order by e.failing, due.turn, due.due_at) as turn
            from (
              select e.id, e.org_id, ${isFailing} as failing from webhook_endpoints e
              where e.org_id <> all(${limits.busyOrganizations}::text[]) and ${isNotSuspended(sql`e.org_id`)}
                and e.id <> all(${limits.busyEndpoints}::text[])
                and e.id in (select endpoint_id from webhook_endpoint_deliveries where ${isDue})) e
            left join (
              select org_id, count(*) as sends from unnest(${limits.openOrganizations}::text[]) o (org_id)
              group by org_id) open on open.org_id = e.org_id
            cross join lateral (
              select id, due_at, row_number() over (order by due_at, id) as turn from webhook_endpoint_deliveries
              where endpoint_id = e.id and ${isDue} order by due_at, id limit ${limits.perEndpoint}) due) by_organization
          where turn <= ${limits.perOrganization}::int) shared
        where not failing or place <= ${limits.limitFailing}::int
        order by failing, turn, due_at limit ${limits.limit})
      for update skip locked)
    returning d.id, d.org_id as "orgId", d.endpoint_id as "endpointId", d.event_id as "eventId", d.body, d.attempt,
      d.tries, e.url, e.secret, case when e.previous_secret_expires_at > now() then e.previous_secret end
      as "previousSecret", e.status = 'enabled' as enabled, ${isFailing} as "isFailing"`);
};

export interface AttemptResult {
  state: "succeeded" | "failed" | "pending";
  afterSeconds: number;
  entry: Attempt;
}

/** Returns 0 when the lease expired and another process has taken the delivery, or when it has ended. */
export const record = (
  db: Db,
  orgId: OrgId,
  { id, attempt }: Pick<ClaimedDelivery, "id" | "attempt">,
  { state, afterSeconds, entry }: AttemptResult,
) =>
  db.run(sql`
    update webhook_endpoint_deliveries set status = ${state}, sending = false,
      due_at = now() + make_interval(secs => ${afterSeconds}::float8),
      finished_at = case when ${state} = 'pending' then null else now() end,
      attempts = ${appendAttempt(sql`${JSON.stringify(entry)}::text::jsonb`)}
    where org_id = ${orgId} and id = ${id} and attempt = ${attempt}::int and status = 'pending'`);

/** Deletes finished deliveries older than `days`, at most `limit` rows. Ids sort by time: no other index is needed. */
export const removeOldAcrossOrganizations = (db: Db, days: number, limit: number) =>
  db.run(sql`
    delete from webhook_endpoint_deliveries where id in (
      select id from (
        select id, created_at from webhook_endpoint_deliveries where status <> 'pending' order by id limit ${limit}) oldest
      where created_at < now() - make_interval(days => ${days}::int))`);

/** Lists endpoints with their organizations, at most `limit` after the id `after`. */
export const listEndpointsAcrossOrganizations = (db: Db, after: string, limit: number) =>
  db.rows<{ id: string; orgId: OrgId }>(sql`
    select id, org_id as "orgId" from webhook_endpoints where id > ${after} order by id limit ${limit}`);

/** Deletes finished deliveries of an endpoint beyond its newest `keep`, at most `limit` rows. */
export const removeBeyond = (db: Db, orgId: OrgId, endpointId: string, keep: number, limit: number) =>
  db.run(sql`
    delete from webhook_endpoint_deliveries where org_id = ${orgId} and status <> 'pending' and id in (
      select id from (
        select id, status from webhook_endpoint_deliveries where endpoint_id = ${endpointId}
        order by id desc offset ${keep}) older
      where status <> 'pending' limit ${limit})`);

const tooManyError =
  "Too many deliveries were pending for this endpoint, so the oldest failed (quota webhook_endpoint_deliveries).";

/** Fails pending deliveries of an endpoint beyond its newest `keep`, at most `limit` rows. Skips those being sent. */
export const failBeyond = (db: Db, orgId: OrgId, endpointId: string, keep: number, limit: number) => {
  const failedAttempt = sql`jsonb_build_object('attempt', attempt, 'at', (extract(epoch from now()) * 1000)::bigint,
    'durationMs', null, 'responseStatus', null, 'response', null, 'error', ${tooManyError}::text)`;
  return db.run(sql`
    update webhook_endpoint_deliveries set status = 'failed', finished_at = now(), attempts = ${appendAttempt(failedAttempt)}
    where org_id = ${orgId} and status = 'pending' and not sending and id in (
      select id from webhook_endpoint_deliveries where endpoint_id = ${endpointId} and status = 'pending' and not sending
      order by id desc offset ${keep} limit ${limit})`);
};
