import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import {
  type AuthMethod,
  OAuthFailure,
  type RegisteredClient,
  registerClient,
  UnusableClient,
} from "../../../platform/oauth/index.ts";
import { sealManagementToken } from "../sealing.ts";
import { buildCallbackUrl, clientName } from "./client-metadata.ts";
import { queueRemoval } from "./queue.ts";
import * as store from "./store.ts";

/** A client that is not used by a connection after this time is removed. */
const intentMinutes = 10;

interface Wanted {
  issuer: string;
  registrationEndpoint: string;
  /** Undefined when the server does not say. */
  authMethods: readonly string[] | undefined;
}

/** A client that was registered for a connection which is not saved yet. */
export interface NewClient extends Omit<RegisteredClient, "management"> {
  registrationId: string;
}

/**
 * Registers this instance at an authorization server. The intent is committed before the request: whatever happens
 * afterwards, a job removes a client that no connection uses.
 */
export async function registerDynamically(ctx: MemberCtx, wanted: Wanted): Promise<NewClient> {
  const { db, orgId } = ctx;
  const registrationId = newId("mcr");
  await store.insertIntent(db, orgId, registrationId, wanted.registrationEndpoint, intentMinutes);
  try {
    const { management, ...client } = await registerClient(
      ctx.egress.forOrganization(orgId).forAddressFrom(wanted.issuer),
      {
        registrationEndpoint: wanted.registrationEndpoint,
        clientName,
        clientUri: ctx.config.publicUrl,
        redirectUri: buildCallbackUrl(ctx.config),
        authMethod: chooseAuthMethod(wanted.authMethods),
        softwareVersion: registrationId,
      },
    );
    await storeClient(ctx, registrationId, { clientId: client.clientId, management });
    return { ...client, registrationId };
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    if (error instanceof UnusableClient) await storeClient(ctx, registrationId, error.client);
    // A refusal registers nothing. After any other failure there may be a client.
    if (error.kind === "rejected") await store.removeIntent(db, orgId, registrationId);
    else await db.transaction((tx) => releaseClient(ctx, tx, registrationId));
    throw conflict(
      "mcp_registration_failed",
      `${wanted.issuer} did not register this instance: ${error.message} Choose another way to register, or ask the operator of that server.`,
      { reason: error.code },
    );
  }
}

async function storeClient(
  { db, orgId, keyring }: MemberCtx,
  id: string,
  { clientId, management }: Pick<RegisteredClient, "clientId" | "management">,
): Promise<void> {
  await store.setRegistered(db, orgId, id, {
    clientId,
    managementUrl: management?.url ?? null,
    accessToken: management
      ? sealManagementToken(keyring, { id, orgId, url: management.url }, management.accessToken)
      : null,
  });
}

/** A client with a secret cannot be used by somebody who only knows its id. */
function chooseAuthMethod(supported: readonly string[] | undefined): AuthMethod {
  const order: readonly AuthMethod[] = ["client_secret_basic", "client_secret_post", "none"];
  // RFC 8414 §2: without the list, the method is client_secret_basic.
  return order.find((method) => supported?.includes(method)) ?? "client_secret_basic";
}

/** Binds the client to the connection that was saved, in its transaction. */
export async function keepClient(
  tx: Db,
  orgId: OrgId,
  registrationId: string,
  connectionId: string,
): Promise<void> {
  if ((await store.keep(tx, orgId, registrationId, connectionId)) === 1) return;
  throw conflict(
    "mcp_registration_failed",
    "Saving took so long that the registered client was removed again. Send the request again.",
    { reason: "too_late" },
  );
}

/** For a client that is not needed after all. */
export async function releaseClient(
  { jobs, orgId }: Pick<Platform, "jobs"> & { orgId: OrgId },
  tx: Db,
  registrationId: string,
): Promise<void> {
  await store.release(tx, orgId, registrationId);
  await queueRemoval({ jobs }, tx);
}

/** Removes the client of a deleted connection, as soon as possible. */
export async function releaseClientOfConnection(
  { jobs, orgId }: Pick<Platform, "jobs"> & { orgId: OrgId },
  tx: Db,
  connectionId: string,
): Promise<void> {
  if ((await store.releaseOfConnection(tx, orgId, connectionId)) > 0) await queueRemoval({ jobs }, tx);
}
