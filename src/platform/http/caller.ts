import { type Caller, findRights, type MemberCtx, type UserId } from "../context.ts";
import type { CheckedCaller } from "./access.ts";

/** Adds the fields by which handlers know their caller. The types of a route's context follow from its access. */
export function addCaller(ctx: Partial<Omit<MemberCtx, "caller">>, caller: Caller): void {
  if (caller.principal === "machine") {
    Object.assign(ctx, caller.machine);
    return;
  }
  const { userId, member } = caller;
  ctx.userId = userId;
  if (!member) return;
  ctx.orgId = member.orgId;
  ctx.member = member;
  ctx.permissions = member.permissions;
}

/** Finds out whether the caller administers the instance. */
export async function checkOperator(
  found: Promise<Caller | undefined> | Caller | undefined,
  isOperator: (userId: UserId) => Promise<boolean>,
): Promise<CheckedCaller | undefined> {
  const caller = await found;
  if (caller?.userId === undefined) return caller;
  return { ...caller, isOperator: await isOperator(caller.userId) };
}

/** Returns true when the caller is the same member or machine, and has kept every permission. */
export function hasSameRights(now: Caller | undefined, before: Caller | undefined): boolean {
  const [rights, earlier] = [findRights(now), findRights(before)];
  return (
    now?.member?.id === before?.member?.id &&
    rights?.orgId === earlier?.orgId &&
    [...(earlier?.permissions ?? [])].every((name) => rights?.permissions.has(name))
  );
}
