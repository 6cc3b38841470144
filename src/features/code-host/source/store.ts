import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Target } from "./read.ts";

/** What it takes to read the repository of connector `c`. */
export const targetColumns = sql`c.id, c.org_id as "orgId", c.codehost, c.base_url as "baseUrl", c.repository,
  c.installation_id as "installationId", c.access_kind as "accessKind", c.access_secret as "accessSecret",
  c.access_settings as "accessSettings", c.clone_url as "cloneUrl", c.ref, c.folder, c.status`;

export type TargetRow = Omit<Target, "baseUrl"> & {
  orgId: OrgId;
  baseUrl: string | null;
  status: "active" | "disabled" | "disconnected";
};

export const findTarget = (db: Db, orgId: OrgId, connectorId: string) =>
  db.row<TargetRow>(
    sql`select ${targetColumns} from connectors c where c.org_id = ${orgId} and c.id = ${connectorId}`,
  );
