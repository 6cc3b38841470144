import type { MemberId, OrgId, UserId } from "../../platform/context.ts";
import { type Db, listSource, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { Invitation } from "./contract.ts";

export type InvitationId = Id<"inv">;

const status = sql`case when i.accepted_at is not null then 'accepted' when i.cancelled_at is not null then 'cancelled'
  when i.expires_at <= now() then 'expired' else 'pending' end`;
const columns = sql`i.id, i.email, i.role, coalesce((select r.name from roles r where r.id = i.role and r.org_id = i.org_id),
  initcap(i.role)) as "roleName", i.team_ids as "teamIds", ${status} as status, i.invited_by as "invitedBy",
  i.inviter_name as "inviterName", i.expires_at as "expiresAt", i.sent_at as "sentAt", i.created_at as "createdAt"`;

export const list = (db: Db, orgId: OrgId, wanted?: Invitation["status"]) =>
  listSource<Invitation>(db, {
    filtered: wanted !== undefined,
    candidates: (after, count) => sql`
      select i.id, ${wanted === undefined ? sql`true` : sql`${status} = ${wanted}`} as matches from invitations i
      where i.org_id = ${orgId} and i.id < ${after} order by i.id desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from invitations i where i.id = any(${ids})`,
  });

export const find = (db: Db, orgId: OrgId, id: InvitationId) =>
  db.row<Invitation>(sql`select ${columns} from invitations i where i.org_id = ${orgId} and i.id = ${id}`);

interface SentInvitation {
  tokenHash: string;
  mailHash: string;
  invitedBy: MemberId;
  inviterName: string;
  days: number;
}

export const insert = (
  db: Db,
  orgId: OrgId,
  invitation: SentInvitation & { id: InvitationId; email: string; role: string; teamIds: readonly string[] },
) =>
  db.row<Invitation>(sql`
    insert into invitations as i (id, org_id, email, role, team_ids, token_hash, mail_hash, invited_by, inviter_name,
      expires_at)
    values (${invitation.id}, ${orgId}, ${invitation.email}, ${invitation.role}, ${invitation.teamIds}::text[], ${invitation.tokenHash},
      ${invitation.mailHash}, ${invitation.invitedBy}, ${invitation.inviterName}, now() + make_interval(days => ${invitation.days}))
    returning ${columns}`);

export const renew = (db: Db, orgId: OrgId, id: InvitationId, sent: SentInvitation) =>
  db.row<Invitation>(sql`
    update invitations i set token_hash = ${sent.tokenHash}, mail_hash = ${sent.mailHash},
      invited_by = ${sent.invitedBy}, inviter_name = ${sent.inviterName},
      expires_at = now() + make_interval(days => ${sent.days}), sent_at = now()
    where i.org_id = ${orgId} and i.id = ${id} returning ${columns}`);

export const cancel = (db: Db, orgId: OrgId, id: InvitationId) =>
  db.row<Invitation>(sql`
    update invitations i set cancelled_at = now()
    where i.org_id = ${orgId} and i.id = ${id} and i.accepted_at is null and i.cancelled_at is null
    returning ${columns}`);

/** Cancels the pending invitation for this address. Undefined when there is none. */
export const cancelPending = (db: Db, orgId: OrgId, email: string) =>
  db.row<{ id: InvitationId }>(sql`
    update invitations set cancelled_at = now()
    where org_id = ${orgId} and email = ${email} and accepted_at is null and cancelled_at is null returning id`);

export const markAccepted = (db: Db, orgId: OrgId, id: InvitationId) =>
  db.run(sql`update invitations set accepted_at = now() where org_id = ${orgId} and id = ${id}`);

export interface InvitationByToken extends Invitation {
  id: InvitationId;
  orgId: OrgId;
  organizationName: string;
  /** True for the token that was sent only by mail. */
  isMailToken: boolean;
}

export const findInvitationByToken = (db: Db, tokenHash: string) =>
  db.row<InvitationByToken>(sql`
    select ${columns}, i.org_id as "orgId", o.name as "organizationName", i.mail_hash = ${tokenHash} as "isMailToken"
    from invitations i join organizations o on o.id = i.org_id
    where i.token_hash = ${tokenHash} or i.mail_hash = ${tokenHash}`);

/** The account with this address. `isDeactivated` is null for somebody who is not a member. */
export const findPersonByEmail = (db: Db, orgId: OrgId, email: string) =>
  db.row<{ isDeactivated: boolean | null }>(sql`
    select (select m.deactivated_at is not null from members m where m.user_id = u.id and m.org_id = ${orgId}) as "isDeactivated"
    from users u where u.email = ${email}`);

export const findUserName = async (db: Db, userId: UserId): Promise<string> =>
  (await db.row<{ name: string }>(sql`select name from users where id = ${userId}`))?.name ?? "";
