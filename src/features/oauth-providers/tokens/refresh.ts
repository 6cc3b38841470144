import { randomUUID } from "node:crypto";
import { computePause } from "../../../platform/backoff.ts";
import type { Bus } from "../../../platform/bus.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { OAuthFailure, refreshTokens, type Tokens } from "../../../platform/oauth/index.ts";
import { defineState } from "../../../platform/state.ts";
import { type Destination, findCredentials, peerOf, serverFor } from "../clients/index.ts";
import { announceNeed, findOfToken, isClientRejected, needReconnect } from "../connections/index.ts";
import { note, theService } from "../events/index.ts";
import { openToken, sealTokens } from "./sealing.ts";
import * as store from "./store.ts";

const topic = "oauth-tokens";
const pollMs = 250;
const pauses = { firstMs: 2_000, maxMs: 15 * 60_000, jitter: 0.2 };

/** The refreshes that this process has started, by token. */
export const activeRefreshes = defineState({
  name: "active token refreshes",
  create: () => new Map<string, Promise<void>>(),
});

/**
 * Refreshes a token, or waits while another caller or process refreshes it. The result is in the row. Resolves at
 * `until` at the latest.
 */
export async function refreshToken(
  platform: Platform,
  orgId: OrgId,
  token: store.Seen,
  until: number,
): Promise<void> {
  const active = platform.state.get(activeRefreshes);
  let refreshing = active.get(token.id);
  if (!refreshing) {
    refreshing = refreshOrWait(platform, orgId, token, until).finally(() => active.delete(token.id));
    active.set(token.id, refreshing);
  }
  await waitUntil(until, refreshing);
}

async function refreshOrWait(
  platform: Platform,
  orgId: OrgId,
  token: store.Seen,
  until: number,
): Promise<void> {
  const { db, bus } = platform;
  const holder = randomUUID();
  const taken = await store.takeRefresh(db, orgId, token, holder);
  if (taken) return refresh(platform, taken, holder);
  const other = await store.findRefreshing(db, orgId, token.id);
  if (other?.lapsed) return settleLapsed(platform, other);
  if (other) await waitForChange(bus, token.id, until);
}

/** Waits for an announcement about this token, but at most `pollMs`. */
async function waitForChange(bus: Bus, id: string, until: number): Promise<void> {
  let unsubscribe = () => {};
  const announced = new Promise<void>((resolve) => {
    unsubscribe = bus.subscribe(topic, { onMessage: (one) => one === id && resolve(), onGap: resolve });
  });
  await waitUntil(Math.min(until, Date.now() + pollMs), announced);
  unsubscribe();
}

async function waitUntil(until: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, until - Date.now()));
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function refresh(platform: Platform, taken: store.Taken, holder: string): Promise<void> {
  const { db, keyring, bus } = platform;
  const { orgId, id } = taken;
  let tokens: Tokens | OAuthFailure;
  let client: Destination | undefined;
  try {
    const credentials = await findCredentials(db, orgId, taken.credentialsId);
    client = credentials;
    tokens = await refreshTokens(
      peerOf(platform, orgId, credentials!),
      openToken(keyring, { id, orgId, client: credentials! }, "refresh_token", taken.refreshToken),
    );
  } catch (error) {
    if (!(error instanceof OAuthFailure)) {
      // Nothing was sent: a value could not be opened, or a row was removed.
      await store.putFailure(db, orgId, taken, holder, { code: "internal_error", pauseSeconds: 60 });
      throw error;
    }
    tokens = error;
  }
  await db.transaction(async (tx) => {
    if (tokens instanceof OAuthFailure) await fail(tx, taken, holder, tokens);
    else {
      const sealed = sealTokens(keyring, { id, orgId, client: client! }, tokens);
      await store.putRenewed(tx, orgId, taken, holder, { ...sealed, scopes: tokens.scopes ?? null });
    }
    await bus.publish(tx, topic, id);
  });
}

async function fail(tx: Db, taken: store.Taken, holder: string, failure: OAuthFailure): Promise<void> {
  const { orgId, id } = taken;
  const { code } = failure;
  if (failure.kind !== "invalid_grant") {
    const pauseSeconds = failure.retryAfterSeconds ?? computePause(taken.failures + 1, pauses) / 1000;
    const kept = await store.putFailure(tx, orgId, taken, holder, { code, pauseSeconds });
    const connection = kept ? await findOfToken(tx, orgId, id) : undefined;
    if (connection) {
      const about = { providerId: connection.providerId, connectionId: connection.id };
      await note(tx, orgId, "refresh_failed", theService, about, { code });
      if (isClientRejected(code)) await announceNeed(tx, orgId, connection, "client_rejected");
    }
    return;
  }
  if ((await store.putEnd(tx, orgId, taken, holder, code)) === 0) return;
  for (const connection of await needReconnect(tx, orgId, id, "revoked_at_provider")) {
    const about = { providerId: connection.providerId, connectionId: connection.id };
    await note(tx, orgId, "reconnect_needed", theService, about, { code });
  }
}

/** The process that refreshed the token died, so it is unknown whether the provider used up the refresh token. */
export async function settleLapsed(
  { db, bus }: Platform,
  { id, orgId, credentialsId }: store.Lapsed,
): Promise<void> {
  await db.transaction(async (tx) => {
    const credentials = await findCredentials(tx, orgId, credentialsId);
    const reusable = credentials && serverFor(credentials)?.refresh === "reusable";
    const settled = await store.settleLapsed(tx, orgId, id, reusable ? "idle" : "uncertain");
    if (!settled) return;
    const connection = await findOfToken(tx, orgId, id);
    if (connection && settled === "uncertain") {
      const about = { providerId: connection.providerId, connectionId: connection.id };
      await note(tx, orgId, "uncertain", theService, about);
      await announceNeed(tx, orgId, connection, "refresh_uncertain");
    }
    await bus.publish(tx, topic, id);
  });
}
