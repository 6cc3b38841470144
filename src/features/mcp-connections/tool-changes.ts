import type { Bus } from "../../platform/bus.ts";
import type { OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";

const topic = "mcp-tools";

/** Announces that some callers of the organization may see other tools now, when the transaction of `db` has committed. */
export const announceToolChange = ({ bus }: { bus: Bus }, db: Db, orgId: OrgId): Promise<void> =>
  bus.publish(db, topic, orgId);

/** Calls the listener with the id of each organization whose tools changed, on every replica. */
export const onToolChange = ({ bus }: { bus: Bus }, listener: Parameters<Bus["subscribe"]>[1]) =>
  bus.subscribe(topic, listener);
