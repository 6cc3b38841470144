import type { MemberId, OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import * as store from "./store.ts";

interface TeamByMapping {
  memberId: MemberId;
  teamId: string;
}

/** A statement compares each row with each id that it names. With more ids, all rows are read and compared here. */
const maxNamedInStatement = 500;

const groupByTeam = (pairs: readonly TeamByMapping[]) => Map.groupBy(pairs, ({ teamId }) => teamId);
const toKey = ({ teamId, memberId }: TeamByMapping) => `${teamId} ${memberId}`;

/**
 * Makes the teams that a directory gives to these members equal to `wanted`, with one statement for each team that
 * changes. Teams that people gave stay. `memberIds` null: all members of the organization. Returns the changes.
 */
export async function setMappedTeams(
  tx: Db,
  orgId: OrgId,
  memberIds: readonly MemberId[] | null,
  wanted: readonly TeamByMapping[],
): Promise<{ joined: TeamByMapping[]; left: TeamByMapping[] }> {
  // The difference is computed here: the database would compare each pair with each other one.
  const few = memberIds !== null && memberIds.length <= maxNamedInStatement ? memberIds : null;
  const isWanted = new Set(memberIds);
  const managed = await store.listManaged(tx, orgId, few);
  const current = memberIds === null ? managed : managed.filter(({ memberId }) => isWanted.has(memberId));
  const [before, after] = [new Set(current.map(toKey)), new Set(wanted.map(toKey))];
  const joined = wanted.filter((pair) => !before.has(toKey(pair)));
  const left = current.filter((pair) => !after.has(toKey(pair)));
  for (const [teamId, pairs] of groupByTeam(left))
    await store.removeManaged(
      tx,
      orgId,
      teamId,
      pairs.map(({ memberId }) => memberId),
    );
  for (const [teamId, pairs] of groupByTeam(joined))
    await store.addManaged(
      tx,
      orgId,
      teamId,
      pairs.map(({ memberId }) => memberId),
    );
  return { joined, left };
}
