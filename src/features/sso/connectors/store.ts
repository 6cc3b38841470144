import type { OrgId, UserId } from "../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import { isNotSuspended } from "../../suspension/index.ts";
import type { GroupMapping } from "./contract.ts";
import type { ConnectorSettings, OidcSettings, SamlConnectorSettings } from "./settings.ts";

export type ConnectorId = Id<"sso">;

interface Row {
  id: ConnectorId;
  orgId: OrgId;
  name: string;
  enabled: boolean;
  clientSecret: string | null;
  earlierClientSecret: string | null;
  earlierSecretUntil: number | null;
  defaultRole: string;
  groupMappings: GroupMapping[];
  createsMembers: boolean;
  testedAt: number | null;
  testedBy: UserId | null;
  lastSignInAt: number | null;
  lastErrorAt: number | null;
  lastErrorCode: string | null;
  lastError: string | null;
  signIns: number;
  failures: number;
  createdAt: number;
  updatedAt: number;
}

export type OidcRow = Row & { kind: "oidc"; settings: OidcSettings };
export type SamlRow = Row & { kind: "saml"; settings: SamlConnectorSettings };
export type ConnectorRow = OidcRow | SamlRow;

const columns = sql`c.id, c.org_id as "orgId", c.kind, c.name, c.enabled, c.settings, c.client_secret as "clientSecret",
  c.earlier_client_secret as "earlierClientSecret", c.earlier_secret_until as "earlierSecretUntil",
  c.default_role as "defaultRole", c.group_mappings as "groupMappings", c.creates_members as "createsMembers",
  c.tested_at as "testedAt", c.tested_by as "testedBy", c.last_sign_in_at as "lastSignInAt",
  c.last_error_at as "lastErrorAt", c.last_error_code as "lastErrorCode", c.last_error as "lastError",
  c.sign_ins as "signIns", c.failures, c.created_at as "createdAt", c.updated_at as "updatedAt"`;

export interface NewConnector {
  id: ConnectorId;
  kind: ConnectorRow["kind"];
  name: string;
  settings: ConnectorSettings;
  clientSecret: string | null;
  defaultRole: string;
  groupMappings: readonly GroupMapping[];
  createsMembers: boolean;
}

export const insert = (db: Db, orgId: OrgId, given: NewConnector) =>
  db.row<ConnectorRow>(sql`
    insert into sso_connectors as c (id, org_id, kind, name, settings, client_secret, default_role, group_mappings,
      creates_members)
    values (${given.id}, ${orgId}, ${given.kind}, ${given.name}, ${JSON.stringify(given.settings)}::jsonb,
      ${given.clientSecret}, ${given.defaultRole}, ${JSON.stringify(given.groupMappings)}::jsonb, ${given.createsMembers})
    returning ${columns}`);

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<ConnectorRow>(sql`
    select ${columns} from sso_connectors c where c.org_id = ${orgId} and c.id < ${after} order by c.id desc
    limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: ConnectorId) =>
  db.row<ConnectorRow>(
    sql`select ${columns} from sso_connectors c where c.org_id = ${orgId} and c.id = ${id}`,
  );

/** The connector in the address that a browser opens. It is not secret: whoever has it may start a sign-in. */
export const findByAddressAcrossOrganizations = (db: Db, id: ConnectorId) =>
  db.row<ConnectorRow>(sql`select ${columns} from sso_connectors c where c.id = ${id}`);

/** Enabled SAML connectors in the order of their ids, after this one. */
export const listSamlAcrossOrganizations = (db: Db, after: string, limit: number) =>
  db.rows<SamlRow>(sql`
    select ${columns} from sso_connectors c
    where c.kind = 'saml' and c.enabled and c.id > ${after} and ${isNotSuspended(sql`c.org_id`)}
    order by c.id limit ${limit}`);

/** The enabled SAML connectors of an organization. It has few. */
export const listSaml = (db: Db, orgId: OrgId) =>
  db.rows<SamlRow>(sql`
    select ${columns} from sso_connectors c where c.org_id = ${orgId} and c.kind = 'saml' and c.enabled
    order by c.id desc`);

export const lock = (db: Db, orgId: OrgId, id: ConnectorId) =>
  db.row<ConnectorRow>(
    sql`select ${columns} from sso_connectors c where c.org_id = ${orgId} and c.id = ${id} for update`,
  );

export interface Update {
  name: string;
  enabled: boolean;
  settings: ConnectorSettings;
  clientSecret: string | null;
  earlierClientSecret: string | null;
  /** Hours from now, null for none. Undefined keeps the time. */
  earlierHours?: number | null;
  defaultRole: string;
  groupMappings: readonly GroupMapping[];
  createsMembers: boolean;
  /** False when the connection itself has changed: then it must be tested again. */
  keepsTest: boolean;
}

export const update = (db: Db, orgId: OrgId, id: ConnectorId, to: Update) => {
  const until: Sql =
    to.earlierHours === undefined
      ? sql`c.earlier_secret_until`
      : sql`now() + make_interval(hours => ${to.earlierHours}::int)`;
  return db.row<ConnectorRow>(sql`
    update sso_connectors c set name = ${to.name}, enabled = ${to.enabled},
      settings = ${JSON.stringify(to.settings)}::jsonb, client_secret = ${to.clientSecret},
      earlier_client_secret = ${to.earlierClientSecret}, earlier_secret_until = ${until},
      default_role = ${to.defaultRole}, group_mappings = ${JSON.stringify(to.groupMappings)}::jsonb,
      creates_members = ${to.createsMembers},
      tested_at = case when ${to.keepsTest} then c.tested_at end,
      tested_by = case when ${to.keepsTest} then c.tested_by end, updated_at = now()
    where c.org_id = ${orgId} and c.id = ${id} returning ${columns}`);
};

export const remove = (db: Db, orgId: OrgId, id: ConnectorId) =>
  db.run(sql`delete from sso_connectors where org_id = ${orgId} and id = ${id}`);

export const markTested = (db: Db, orgId: OrgId, id: ConnectorId, userId: UserId) =>
  db.run(sql`
    update sso_connectors set tested_at = now(), tested_by = ${userId} where org_id = ${orgId} and id = ${id}`);

/** True when the organization requires single sign-on, and no other connector is enabled. */
export const isLastRequired = async (db: Db, orgId: OrgId, id: ConnectorId): Promise<boolean> =>
  (
    await db.row<{ last: boolean }>(sql`
      select o.require_sso and not exists (
        select from sso_connectors c where c.org_id = o.id and c.enabled and c.id <> ${id}) as last
      from organizations o where o.id = ${orgId}`)
  )?.last ?? false;

/** Forgets secrets that are no longer tried. */
export const removeEarlierSecretsAcrossOrganizations = (db: Db) =>
  db.run(sql`
    update sso_connectors set earlier_client_secret = null, earlier_secret_until = null
    where earlier_secret_until < now()`);
