import type { OrgId } from "../../../platform/context.ts";
import { type Db, type Sql, sql } from "../../../platform/db/index.ts";
import type { AuthMethod, Server } from "../../../platform/oauth/index.ts";

export interface CredentialsRow {
  credentialsId: string;
  providerId: string;
  clientId: string;
  authMethod: AuthMethod;
  secret: string | null;
  privateKey: string | null;
  keyId: string | null;
  tenant: string | null;
  server: Server | null;
  /** The resource that tokens are requested for, sealed, when its address contains a secret. */
  resource: string | null;
}

export interface ClientRow extends CredentialsRow {
  generation: number;
  scopes: string[];
  optionalScopes: string[];
  connectionMode: "personal" | "organization";
  createdAt: number;
  updatedAt: number;
}

/** A custom provider of an organization. */
export interface CustomRow {
  id: string;
  name: string;
  issuer: string | null;
  server: Server | null;
  discoveredAt: number | null;
  scopes: string[];
}

const credentials = sql`k.id as "credentialsId", k.provider_id as "providerId", k.client_id as "clientId",
  k.auth_method as "authMethod", k.secret, k.private_key as "privateKey", k.key_id as "keyId", k.tenant, k.server,
  k.resource`;

const client = sql`${credentials}, c.generation, c.scopes, c.optional_scopes as "optionalScopes",
  c.connection_mode as "connectionMode", c.created_at as "createdAt", c.updated_at as "updatedAt"`;

export type Setup = (ClientRow | { credentialsId: null }) & {
  customName: string | null;
  customIssuer: string | null;
  /** Null also when it equals the server of the client. */
  customServer: Server | null;
  hasServerOfProvider: boolean | null;
  discoveredAt: number | null;
  customScopes: string[] | null;
  /** Changes whenever the provider or the client is changed. */
  version: string;
};

/**
 * The version of a setup from `oauth_providers p`, `oauth_clients c` and `oauth_client_credentials k`: the transactions that
 * wrote the rows. PostgreSQL uses their numbers again, so compare only versions that were read within minutes.
 */
export const setupVersion: Sql = sql`concat_ws(' ', p.xmin, c.xmin, k.xmin)`;

export interface SetupKey {
  orgId: OrgId;
  providerId: string;
}

/** Finds the custom provider and the client of each key. `place` is the position of the key in `keys`, from 1. */
export const listSetupsAcrossOrganizations = (db: Db, keys: readonly SetupKey[]) =>
  db.rows<Setup & { place: number }>(sql`
    select wanted.place, ${client}, p.name as "customName", p.issuer as "customIssuer",
      nullif(p.server, k.server) as "customServer", p.server = k.server as "hasServerOfProvider",
      p.discovered_at as "discoveredAt", p.scopes as "customScopes",
      ${setupVersion} as version
    -- The subquery hides the lengths of the arrays from the planner, so that PostgreSQL keeps one plan for all lengths.
    from (select ${keys.map(({ orgId }) => orgId)}::text[] as org_ids,
        ${keys.map(({ providerId }) => providerId)}::text[] as ids offset 0) given
      cross join unnest(given.org_ids, given.ids) with ordinality as wanted (org_id, id, place)
    left join oauth_providers p on p.org_id = wanted.org_id and p.id = wanted.id
    left join oauth_clients c on c.org_id = wanted.org_id and c.provider_id = wanted.id
    left join oauth_client_credentials k on k.id = c.credentials_id`);

/** Locks a custom provider, so that it stays until the transaction ends. False when it was removed. */
export const lockProvider = async (tx: Db, orgId: OrgId, id: string): Promise<boolean> =>
  (await tx.row(sql`select 1 from oauth_providers where org_id = ${orgId} and id = ${id} for key share`)) !==
  undefined;

/**
 * Locks the client until the transaction ends, so that changes happen one after the other. Reads it afterwards: a change
 * that this call waited for can have replaced the credentials.
 */
export const lock = async (tx: Db, orgId: OrgId, providerId: string) => {
  await tx.rows(sql`
    select from oauth_clients where org_id = ${orgId} and provider_id = ${providerId} for update`);
  return tx.row<ClientRow>(sql`
    select ${client} from oauth_clients c join oauth_client_credentials k on k.id = c.credentials_id
    where c.org_id = ${orgId} and c.provider_id = ${providerId}`);
};

export const findCredentials = (db: Db, orgId: OrgId, id: string) =>
  db.row<CredentialsRow>(
    sql`select ${credentials} from oauth_client_credentials k where k.org_id = ${orgId} and k.id = ${id}`,
  );

/** Inserts credentials, or updates the secret of the same client. */
export const saveCredentials = (db: Db, orgId: OrgId, row: CredentialsRow) =>
  db.run(sql`
    insert into oauth_client_credentials (id, org_id, provider_id, client_id, auth_method, secret, private_key,
      key_id, tenant, server, resource)
    values (${row.credentialsId}, ${orgId}, ${row.providerId}, ${row.clientId}, ${row.authMethod}, ${row.secret},
      ${row.privateKey}, ${row.keyId}, ${row.tenant}, ${row.server ? JSON.stringify(row.server) : null}::jsonb,
      ${row.resource})
    on conflict (id) do update set auth_method = excluded.auth_method, secret = excluded.secret,
      private_key = excluded.private_key, key_id = excluded.key_id, server = excluded.server,
      resource = excluded.resource`);

interface NewClient {
  providerId: string;
  credentialsId: string;
  scopes: readonly string[];
  optionalScopes: readonly string[];
  connectionMode: string;
  updatedBy: string;
}

export const save = (db: Db, orgId: OrgId, row: NewClient) =>
  db.run(sql`
    insert into oauth_clients (org_id, provider_id, credentials_id, scopes, optional_scopes, connection_mode, updated_by)
    values (${orgId}, ${row.providerId}, ${row.credentialsId}, ${row.scopes}::text[], ${row.optionalScopes}::text[],
      ${row.connectionMode}, ${row.updatedBy})
    on conflict (org_id, provider_id) do update set credentials_id = excluded.credentials_id,
      generation = oauth_clients.generation + 1, scopes = excluded.scopes,
      optional_scopes = excluded.optional_scopes, connection_mode = excluded.connection_mode,
      updated_by = excluded.updated_by, updated_at = now()`);

export const remove = (db: Db, orgId: OrgId, providerId: string) =>
  db.run(sql`delete from oauth_clients where org_id = ${orgId} and provider_id = ${providerId}`);

/**
 * Stores newly discovered server metadata. The client gets it too when its metadata still equals `followed`. Changes nothing
 * when the provider was discovered again, or changed, since `discoveredAt` was read: of many starts at this moment, one
 * stores the metadata, so the version of the setup changes once.
 */
export const setServer = (
  db: Db,
  orgId: OrgId,
  { id, discoveredAt }: Pick<CustomRow, "id" | "discoveredAt">,
  server: Server,
  followed: Server | null,
) =>
  db.run(sql`
    with told as (
      update oauth_providers set server = ${JSON.stringify(server)}::jsonb, discovered_at = now()
      where org_id = ${orgId} and id = ${id} and case when ${discoveredAt}::float8 is null then discovered_at is null
        -- The database counts microseconds.
        else abs(extract(epoch from discovered_at) * 1000 - ${discoveredAt}::float8) < 1 end
      returning org_id, id)
    update oauth_client_credentials k set server = ${JSON.stringify(server)}::jsonb
    from told join oauth_clients c on c.org_id = told.org_id and c.provider_id = told.id
    where k.id = c.credentials_id and k.server = ${followed ? JSON.stringify(followed) : null}::jsonb`);

/** Which providers the organization has a client for. */
export const listConfigured = (db: Db, orgId: OrgId) =>
  db.rows<{ providerId: string; connectionMode: ClientRow["connectionMode"] }>(sql`
    select provider_id as "providerId", connection_mode as "connectionMode" from oauth_clients
    where org_id = ${orgId}`);

/** Removes credentials that no client and no token uses. */
export const removeUnusedAcrossOrganizations = (db: Db) =>
  db.run(sql`
    delete from oauth_client_credentials k
    where k.created_at < now() - interval '1 hour'
      and not exists (select from oauth_clients c where c.credentials_id = k.id)
      and not exists (select from oauth_tokens t where t.credentials_id = k.id)`);
