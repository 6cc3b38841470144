import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { forbidden } from "../../../platform/errors.ts";
import { record } from "../../audit/index.ts";
import { type Permission, permissionsOfRole } from "../../permissions/index.ts";
import { type EventType, eventTypes } from "../facts.ts";
import type { MyNotificationSettings, NotificationSettings } from "./contract.ts";
import * as store from "./store.ts";

/** The defaults for an organization without settings: mails go to the people who can fix the problem. */
const defaults: NotificationSettings = {
  mail: {
    "run.failed": ["member"],
    "connection.needs_attention": ["member"],
    "budget.reached": ["admins"],
    "sync.failed": ["admins"],
    "worker.unseen": ["admins"],
    "mcp_connection.drift": ["admins"],
    "mcp_connection.failing": ["admins"],
    "mcp_approval.requested": ["admins"],
  },
};

const noChoice: MyNotificationSettings = {
  mail: {
    "run.failed": null,
    "connection.needs_attention": null,
    "budget.reached": null,
    "sync.failed": null,
    "worker.unseen": null,
    "mcp_connection.drift": null,
    "mcp_connection.failing": null,
    "mcp_approval.requested": null,
  },
};

/** The permission that a member needs to get the events of all members. */
const neededPermissions: Record<EventType, Permission> = {
  "run.failed": "automations:manage",
  "connection.needs_attention": "connections:manage",
  "budget.reached": "usage:read",
  "sync.failed": "connectors:read",
  "worker.unseen": "workers:read",
  "mcp_connection.drift": "mcp_connections:manage",
  "mcp_connection.failing": "mcp_connections:manage",
  "mcp_approval.requested": "mcp_connections:manage",
};

/** Whether the caller may see the events of all members of this type. */
export const maySee = ({ member }: MemberCtx, type: EventType): boolean =>
  member.permissions.has(neededPermissions[type]);

/** Refuses a caller who may not see the events of all members, for any of these types. */
export function checkMaySee(ctx: MemberCtx, types: readonly EventType[]): void {
  for (const type of types) {
    if (!maySee(ctx, type))
      throw forbidden(
        "missing_permission",
        `To see every ${type} event you need the permission ${neededPermissions[type]}. Ask an owner or admin.`,
      );
  }
}

/** Stored settings can be older than a type of event, so the defaults fill the gaps. */
const findSettings = async (db: Db, orgId: OrgId): Promise<NotificationSettings> => ({
  mail: { ...defaults.mail, ...(await store.find(db, orgId))?.mail },
});

const findChoice = async (db: Db, orgId: OrgId, memberId: string): Promise<MyNotificationSettings> => ({
  mail: { ...noChoice.mail, ...(await store.findByMember(db, orgId, memberId))?.mail },
});

export const read = async ({ db, orgId }: MemberCtx) => ({ settings: await findSettings(db, orgId) });

export async function replace(ctx: MemberCtx, { mail }: NotificationSettings) {
  const unique = <Name extends string>(names: readonly Name[]) => [...new Set(names)].sort();
  const settings: NotificationSettings = {
    mail: {
      "run.failed": unique(mail["run.failed"]),
      "connection.needs_attention": unique(mail["connection.needs_attention"]),
      "budget.reached": unique(mail["budget.reached"]),
      "sync.failed": unique(mail["sync.failed"]),
      "worker.unseen": unique(mail["worker.unseen"]),
      "mcp_connection.drift": unique(mail["mcp_connection.drift"]),
      "mcp_connection.failing": unique(mail["mcp_connection.failing"]),
      "mcp_approval.requested": unique(mail["mcp_approval.requested"]),
    },
  };
  return ctx.db.transaction(async (tx) => {
    const before = await findSettings(tx, ctx.orgId);
    await store.save(tx, ctx.orgId, settings);
    const target = { type: "notification_settings", id: ctx.orgId };
    await record(ctx, tx, {
      action: "notification_settings.changed",
      target,
      before: before.mail,
      after: settings.mail,
    });
    return { settings };
  });
}

export async function readMine(ctx: MemberCtx) {
  const { db, orgId, member, userId } = ctx;
  const settings = await findChoice(db, orgId, member.id);
  const organization = await findSettings(db, orgId);
  const isAdmin = isAdminRole(member.role);
  const findEffect = (type: EventType) =>
    decideEffect(
      settings.mail[type],
      organization.mail[type],
      isAdmin,
      member.permissions.has(neededPermissions[type]),
    );
  const effective = {
    "run.failed": findEffect("run.failed"),
    "connection.needs_attention": findEffect("connection.needs_attention"),
    "budget.reached": findEffect("budget.reached"),
    "sync.failed": findEffect("sync.failed"),
    "worker.unseen": findEffect("worker.unseen"),
    "mcp_connection.drift": findEffect("mcp_connection.drift"),
    "mcp_connection.failing": findEffect("mcp_connection.failing"),
    "mcp_approval.requested": findEffect("mcp_approval.requested"),
  };
  return { settings, effective, emailVerified: await store.isVerified(db, userId) };
}

export async function replaceMine(ctx: MemberCtx, settings: MyNotificationSettings) {
  const { orgId, member } = ctx;
  checkMaySee(
    ctx,
    eventTypes.filter((type) => settings.mail[type] === "all"),
  );
  await ctx.db.transaction(async (tx) => {
    const before = await findChoice(tx, orgId, member.id);
    await store.saveForMember(tx, orgId, member.id, settings);
    const target = { type: "member", id: member.id };
    const action = "member.notification_settings_changed";
    await record(ctx, tx, { action, target, before: before.mail, after: settings.mail });
  });
  return readMine(ctx);
}

const isAdminRole = (role: string) => role === "owner" || role === "admin";

/** Decides which events of a type a member gets mails about. */
function decideEffect(
  choice: "off" | "own" | "all" | null,
  organization: readonly ("member" | "admins")[],
  isAdmin: boolean,
  maySeeAll: boolean,
): "off" | "own" | "all" {
  // A member who chose `all` and lost the permission gets mails about their own.
  if (choice !== null) return choice === "all" && !maySeeAll ? "own" : choice;
  if (isAdmin && organization.includes("admins")) return "all";
  return organization.includes("member") ? "own" : "off";
}

/** Limits the mails for one event, because an organization can have thousands of admins. */
const maxRecipients = 100;

/** Returns who gets a mail about an event of `memberId`. Owners and admins get it when that member does not exist. */
export async function listRecipients(
  tx: Db,
  orgId: OrgId,
  type: EventType,
  memberId: string | null,
): Promise<string[]> {
  const candidates = await store.listCandidates(tx, orgId, memberId, type, maxRecipients);
  const organization: readonly ("member" | "admins")[] = (await findSettings(tx, orgId)).mail[type];
  const isOrphan = !candidates.some(({ id }) => id === memberId);
  const recipientGroups = isOrphan && organization.includes("member") ? (["admins"] as const) : organization;
  return candidates
    .filter(({ reachable }) => reachable)
    .filter(({ id, role, rolePermissions, settings }) => {
      const maySeeAll = permissionsOfRole(role, rolePermissions).has(neededPermissions[type]);
      const effect = decideEffect(
        settings?.mail[type] ?? null,
        recipientGroups,
        isAdminRole(role),
        maySeeAll,
      );
      return effect === "all" || (effect === "own" && id === memberId);
    })
    .map(({ id }) => id)
    .slice(0, maxRecipients);
}

/** Returns who gets mails about the notifications themselves, such as a disabled endpoint. */
export const listAdminIds = async (tx: Db, orgId: OrgId): Promise<string[]> =>
  (await store.listAdmins(tx, orgId, maxRecipients)).map(({ id }) => id);
