import type { Ctx, Platform, UserId } from "./context.ts";
import { credentialTypes } from "./credential-types.ts";
import { housekeeping } from "./housekeeping.ts";
import {
  type CredentialType,
  createAuthenticator,
  createHttp,
  describeApi,
  type FieldGuide,
  type HttpOptions,
  type Route,
  sealedReplies,
} from "./http/index.ts";
import { type Job, job } from "./jobs/index.ts";
import type { SealedColumn } from "./keyring.ts";
import { createLastUsed } from "./last-used.ts";
import { maxRemovalMs, type RemoveLeftovers, removeLeftovers } from "./leftovers/index.ts";
import * as mail from "./mail/index.ts";
import { upgradeSealing } from "./reseal/index.ts";
import type { StateDefinition } from "./state.ts";

/** Everything that a room adds to the product. */
export interface Room {
  /** The name of its folder. */
  name: string;
  /** Its sections of the API reference, in this order. */
  tags?: readonly { name: string; description: string }[];
  routes?: readonly Route[];
  jobs?: readonly Job[];
  /** The permissions that only this room defines the meaning of. */
  permissions?: readonly string[];
  /** The kinds of credentials that it issues. */
  credentials?: readonly CredentialType[];
  /** Decides who administers the instance. One room has it. */
  isOperator?(ctx: Ctx, userId: UserId): Promise<boolean>;
  /** Decides how many replies to repeated requests an organization may have stored. One room has it. */
  idempotencyLimits?: HttpOptions["idempotencyLimits"];
  /** Descriptions of API fields that its contracts do not describe, with an example of each. */
  fields?: FieldGuide;
  /** Columns with sealed values. `signalbox reseal` seals them again after the secret has changed. */
  sealedColumns?: readonly SealedColumn[];
  /** Columns with values that depend on the secret and that `reseal` handles in its own way. */
  signedColumns?: readonly SealedColumn[];
  /** Remove what is left of deleted organizations, in this order: tables that grow with time have no foreign keys to them. */
  leftovers?: readonly RemoveLeftovers[];
  /** What it keeps in memory. */
  state?: readonly StateDefinition<unknown>[];
  /** Called once, before the first request. Throws when the configuration is wrong. */
  start?(platform: Platform, product: Product): void;
  /** Called once in a process that answers routes of this room. */
  onServe?(platform: Platform): void;
}

export const defineRoom = (room: Room): Room => room;

/** The rooms of a product as one: what `app.ts` serves, and what commands need to know. */
export interface Product {
  rooms: readonly Room[];
  routes: readonly Route[];
  jobs: readonly Job[];
  credentials: readonly CredentialType[];
  sealedColumns: readonly SealedColumn[];
  /** The columns that show which secret a database was used with. */
  columnsUnderSecret: readonly SealedColumn[];
  /** Removes rows of deleted organizations until nothing is left or the time is over. */
  removeLeftovers(platform: Pick<Platform, "db">, until: number): Promise<void>;
  /** The API description, created on the first call. */
  api(): Record<string, unknown>;
  /** Starts every room, and creates its state. */
  start(platform: Platform): void;
}

/** The order of the rooms is the order of the API reference. */
export function assembleRooms(rooms: readonly Room[], description: string): Product {
  const routes = rooms.flatMap((room) => room.routes ?? []);
  const credentials = rooms.flatMap((room) => room.credentials ?? []);
  const sealedColumns = [
    mail.sealedMails,
    sealedReplies,
    ...rooms.flatMap((room) => room.sealedColumns ?? []),
  ];
  const tokenSchemes = Object.fromEntries(
    credentials.flatMap(({ kind, scheme }) => (scheme ? [[kind, scheme]] : [])),
  );
  const sealing = job({
    name: "platform.seal",
    schedule: "*/10 * * * *",
    handle: (platform) => upgradeSealing(platform, sealedColumns),
  });
  const removers = rooms.flatMap((room) => room.leftovers ?? []);
  const removal = job({
    name: "platform.remove_leftovers",
    schedule: "* * * * *",
    handle: (platform) => removeLeftovers(platform, removers, Date.now() + maxRemovalMs),
  });
  let api: Record<string, unknown> | undefined;
  const product: Product = {
    rooms,
    routes,
    credentials,
    jobs: [
      mail.deliver as Job,
      mail.removeOldMails,
      housekeeping,
      sealing,
      removal,
      ...rooms.flatMap((room) => room.jobs ?? []),
    ],
    sealedColumns,
    columnsUnderSecret: [...sealedColumns, ...rooms.flatMap((room) => room.signedColumns ?? [])],
    removeLeftovers: (platform, until) => removeLeftovers(platform, removers, until),
    api() {
      api ??= describeApi(
        routes.map(({ spec }) => spec),
        {
          version: "dev",
          description,
          tags: rooms.flatMap((room) => room.tags ?? []),
          tokenSchemes,
          fields: Object.assign({}, ...rooms.map((room) => room.fields ?? {})),
        },
      );
      return api;
    },
    start(platform) {
      for (const room of rooms) {
        room.start?.(platform, product);
        for (const definition of room.state ?? []) platform.state.get(definition);
      }
    },
  };
  return product;
}

export interface ServeOptions extends Pick<HttpOptions, "routes" | "checkReplies"> {
  /** Kinds of credentials beside those of the rooms, for tests. */
  moreCredentials?: readonly CredentialType[];
}

/** Starts the rooms and answers requests to `routes`. */
export function serveRooms(
  platform: Platform,
  { rooms, credentials: own, start }: Product,
  { moreCredentials = [], ...options }: ServeOptions,
) {
  start(platform);
  for (const room of rooms)
    if (room.onServe && room.routes?.some((route) => options.routes.includes(route))) room.onServe(platform);
  const credentials = [...own, ...moreCredentials];
  platform.state.get(credentialTypes).declared = credentials;
  const closing = new AbortController();
  const lastUsed = createLastUsed(platform.db, platform.log, credentials);
  const authenticate = createAuthenticator(platform, credentials);
  const isOperator = rooms.find((room) => room.isOperator)?.isOperator;
  const idempotencyLimits = rooms.find((room) => room.idempotencyLimits)?.idempotencyLimits;
  const http = createHttp({
    ...options,
    ...(isOperator ? { isOperator } : {}),
    ...(idempotencyLimits ? { idempotencyLimits } : {}),
    platform,
    closing: closing.signal,
    authenticate(ctx, request) {
      const found = authenticate(ctx, request);
      if (!(found instanceof Promise)) return lastUsed.note(found);
      return found.then(lastUsed.note);
    },
  });
  return {
    answer: http.answer,
    repliesWhole: http.repliesWhole,
    lastUsed,
    /** Ends streams. */
    closing: () => closing.abort(),
    close: () => lastUsed.stop(),
  };
}
