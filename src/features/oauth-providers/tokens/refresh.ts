import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { computePause } from "@signalbox/flow-control";
import type { Bus } from "../../../platform/bus.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import { type Db, isDatabaseBusy, isDatabaseDown } from "../../../platform/db/index.ts";
import { OAuthFailure, refreshTokens, type Tokens } from "../../../platform/oauth/index.ts";
import { defineState } from "../../../platform/state.ts";
import { createPeer, type Destination, findCredentials, findServerOfClient } from "../clients/index.ts";
import {
  announceAttention,
  findByTokenId,
  isClientRejected,
  markForReconnect,
} from "../connections/index.ts";
import { recordEvent, serviceActor } from "../events/index.ts";
import { openToken, sealTokens } from "./sealing.ts";
import * as store from "./store.ts";

const topic = "oauth-tokens";
const pollMs = 250;
const retryDelays = { firstMs: 2_000, maxMs: 15 * 60_000, jitter: 0.2 };
/** How long an outcome waits in memory for a database that cannot be reached, for example during a failover. */
const keepForMs = 60_000;
const storeDelays = { firstMs: 100, maxMs: 2_000, jitter: 0.2 };

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
  token: store.RefreshCandidate,
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
  token: store.RefreshCandidate,
  until: number,
): Promise<void> {
  const { db, bus } = platform;
  const holder = randomUUID();
  const claimed = await store.claimRefresh(db, orgId, token, holder);
  if (claimed) return performRefresh(platform, claimed, holder);
  const other = await store.findActiveRefresh(db, orgId, token.id);
  if (other?.isAbandoned) return settleAbandonedRefresh(platform, other);
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

async function performRefresh(
  platform: Platform,
  claimed: store.ClaimedRefresh,
  holder: string,
): Promise<void> {
  const { db, keyring, bus } = platform;
  const { orgId, id } = claimed;
  let tokens: Tokens | OAuthFailure;
  let client: Destination | undefined;
  try {
    const credentials = await findCredentials(db, orgId, claimed.credentialsId);
    client = credentials;
    tokens = await refreshTokens(
      createPeer(platform, orgId, credentials!),
      openToken(keyring, { id, orgId, client: credentials! }, "refresh_token", claimed.refreshToken),
    );
  } catch (error) {
    if (!(error instanceof OAuthFailure)) {
      // Nothing was sent: a value could not be opened, or a row was removed.
      await storeOutcome(() =>
        store.storeRefreshFailure(db, orgId, claimed, holder, { code: "internal_error", pauseSeconds: 60 }),
      );
      throw error;
    }
    tokens = error;
  }
  const storeTokens = () =>
    db.transaction(async (tx) => {
      if (tokens instanceof OAuthFailure) await recordFailure(tx, claimed, holder, tokens);
      else {
        const sealed = sealTokens(keyring, { id, orgId, client: client! }, tokens);
        await store.storeRefreshedTokens(tx, orgId, claimed, holder, {
          ...sealed,
          scopes: tokens.scopes ?? null,
        });
      }
      await bus.publish(tx, topic, id);
    });
  await storeOutcome(storeTokens);
}

/**
 * Repeats `write` while the database cannot be reached. The provider does not send the same tokens again, so without them
 * the account would have to be connected again. Writes name their holder, so one that was repeated changes nothing.
 */
async function storeOutcome(write: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + keepForMs;
  for (let failures = 1; ; failures++) {
    try {
      await write();
      return;
    } catch (error) {
      const mayPass = isDatabaseDown(error) || isDatabaseBusy(error);
      if (!mayPass || Date.now() >= until) throw error;
    }
    await sleep(computePause(failures, storeDelays), undefined, { ref: false });
  }
}

async function recordFailure(
  tx: Db,
  claimed: store.ClaimedRefresh,
  holder: string,
  failure: OAuthFailure,
): Promise<void> {
  const { orgId, id } = claimed;
  const { code } = failure;
  if (failure.kind !== "invalid_grant") {
    const pauseSeconds = failure.retryAfterSeconds ?? computePause(claimed.failures + 1, retryDelays) / 1000;
    const isStored = await store.storeRefreshFailure(tx, orgId, claimed, holder, { code, pauseSeconds });
    const connection = isStored ? await findByTokenId(tx, orgId, id) : undefined;
    if (connection) {
      const about = { providerId: connection.providerId, connectionId: connection.id };
      await recordEvent(tx, orgId, "refresh_failed", serviceActor, about, { code });
      if (isClientRejected(code)) await announceAttention(tx, orgId, connection, "client_rejected");
    }
    return;
  }
  if ((await store.endToken(tx, orgId, claimed, holder, code)) === 0) return;
  for (const connection of await markForReconnect(tx, orgId, id, "revoked_at_provider")) {
    const about = { providerId: connection.providerId, connectionId: connection.id };
    await recordEvent(tx, orgId, "reconnect_needed", serviceActor, about, { code });
  }
}

/** The process that refreshed the token died, so it is unknown whether the provider used up the refresh token. */
export async function settleAbandonedRefresh(
  { db, bus }: Platform,
  { id, orgId, credentialsId }: store.AbandonedRefresh,
): Promise<void> {
  await db.transaction(async (tx) => {
    const credentials = await findCredentials(tx, orgId, credentialsId);
    const reusable = credentials && findServerOfClient(credentials)?.refresh === "reusable";
    const settled = await store.settleAbandonedRefresh(tx, orgId, id, reusable ? "idle" : "uncertain");
    if (!settled) return;
    const connection = await findByTokenId(tx, orgId, id);
    if (connection && settled === "uncertain") {
      const about = { providerId: connection.providerId, connectionId: connection.id };
      await recordEvent(tx, orgId, "uncertain", serviceActor, about);
      await announceAttention(tx, orgId, connection, "refresh_uncertain");
    }
    await bus.publish(tx, topic, id);
  });
}
