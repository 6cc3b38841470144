import type { Platform } from "../../platform/context.ts";
import { OperatorError } from "../../platform/errors.ts";
import { invalidateCallers } from "../../platform/http/index.ts";
import { isId } from "../../platform/ids.ts";
import { findLatestInstanceEntry, recordAsSystem, removeInstanceChain } from "../audit/index.ts";
import { findUser, removeUser } from "../auth/index.ts";
import { pruneAutomations } from "../automations/index.ts";
import { deleteOrganizationRows, findOrganization } from "../organizations/index.ts";
import { pruneTelemetry } from "../telemetry/index.ts";
import { type DemoMark, markAction } from "./service.ts";
import * as store from "./store.ts";

interface RemovedDemo {
  organization: { id: string; name: string | null };
  people: { email: string }[];
  /** People who are now members of another organization. */
  kept: { email: string }[];
  runs: number;
}

const removedAction = "demo.removed";
const sweepMs = 60_000;
/** How many members the refusal names at most. */
const maxNamedMembers = 10;

interface RemovalOptions {
  /** Removes what is left of deleted organizations, in every room. */
  removeLeftovers(platform: Platform, until: number): Promise<void>;
  /** Removes the workspace even if it has members who are not from the demo. */
  force?: boolean;
}

/** Removes what `fillDemo` made, and what was added to the demo workspace since. */
export async function removeDemo(
  platform: Platform,
  { removeLeftovers, force = false }: RemovalOptions,
): Promise<RemovedDemo> {
  const { db, bus } = platform;
  const removed = await db.transaction(async (tx) => {
    await store.lockInstance(tx);
    const mark = await findLatestInstanceEntry(tx, markAction);
    const earlier = await findLatestInstanceEntry(tx, removedAction);
    const orgId = mark?.targetId;
    if (!mark || !orgId || !isId("org", orgId) || earlier?.targetId === orgId) {
      throw new OperatorError(
        "There is no demo workspace here. `signalbox demo` makes one on an empty instance.",
      );
    }
    const { people } = mark.after as DemoMark;
    const userIds = people.map(({ id }) => id);
    await store.lockMemberships(tx, orgId, userIds);
    const organization = await findOrganization(tx, orgId);
    if (!force)
      requireNoOtherMembers(
        organization?.name ?? orgId,
        await store.listOtherMembers(tx, orgId, userIds, maxNamedMembers),
      );
    const runs = await store.countRuns(tx, orgId);
    const neededElsewhere = new Set(await store.listNeededElsewhere(tx, orgId, userIds));
    await deleteOrganizationRows(bus, tx, orgId);
    const removedPeople = people.filter(({ id }) => !neededElsewhere.has(id));
    for (const { id } of removedPeople) {
      if (!(await findUser(tx, id))) continue;
      await removeUser(tx, id);
      await invalidateCallers(bus, tx, id);
    }
    await store.removeRemainingRows(
      tx,
      orgId,
      removedPeople.map(({ email }) => email),
    );
    const about = [orgId, ...userIds];
    const result: RemovedDemo = {
      organization: { id: orgId, name: organization?.name ?? null },
      people: removedPeople.map(({ email }) => ({ email })),
      kept: people.filter(({ id }) => neededElsewhere.has(id)).map(({ email }) => ({ email })),
      runs,
    };
    // If other people have used the instance, its audit log stays and records the removal.
    const isEmpty = await store.isEmpty(tx);
    // The next account is then the first one again.
    if (isEmpty) await store.forgetFirstAccount(tx);
    const isAlone = isEmpty && (await removeInstanceChain(tx, about));
    if (!isAlone) {
      await recordAsSystem(tx, null, {
        action: removedAction,
        target: { type: "organization", id: orgId },
        before: { ...result.organization, people: result.people.length, kept: result.kept.length },
      });
    }
    return result;
  });
  // Rows of large tables are deleted in small steps. After a minute, scheduled jobs delete the rest.
  const until = Date.now() + sweepMs;
  await removeLeftovers(platform, until);
  await pruneAutomations(platform, until);
  await pruneTelemetry(platform, until);
  return removed;
}

function requireNoOtherMembers(
  organization: string,
  others: readonly { name: string; email: string; total: number }[],
): void {
  const total = others[0]?.total ?? 0;
  if (total === 0) return;
  const names = others.map(({ name, email }) => `${name} (${email})`).join(", ");
  const rest = total > others.length ? ` and ${total - others.length} more` : "";
  throw new OperatorError(
    `${organization} has ${total === 1 ? "1 member who is" : `${total} members who are`} not from the demo: ${names}${rest}. ` +
      "Removing it deletes everything they made in it. Save what they need, then use `signalbox demo --remove --force`.",
  );
}
