import type { Ctx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import type { EventType } from "./contract.ts";
import * as store from "./store.ts";

/** Who did it, with what and from where. */
export interface Actor {
  memberId: string | null;
  credential: string | null;
  credentialId: string | null;
  address: string | null;
  userAgent: string | null;
}

export const theService: Actor = {
  memberId: null,
  credential: null,
  credentialId: null,
  address: null,
  userAgent: null,
};

export const actorOf = ({ caller, address, userAgent }: Ctx): Actor => ({
  memberId: caller?.member?.id ?? null,
  credential: caller?.credential ?? null,
  credentialId: caller?.credentialId ?? null,
  address,
  userAgent,
});

/** Everything that is remembered of connections and clients passes here; nothing secret may. */
export async function note(
  tx: Db,
  orgId: OrgId,
  type: EventType,
  actor: Actor,
  about: { providerId: string; connectionId?: string | null },
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { providerId, connectionId = null } = about;
  await store.insert(tx, orgId, { id: newId("oce"), type, providerId, connectionId, ...actor, detail });
}
