import { z } from "zod";
import type { Ctx, OrgId } from "../../../platform/context.ts";
import type { Place, SealedColumn } from "../../../platform/keyring.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { parseAccount } from "./account.ts";
import * as store from "./store.ts";

/** What the library stores. It decides most of the content itself. */
const Payload = z.looseObject({
  accountId: z.string().optional(),
  grantId: z.string().optional(),
  scope: z.string().optional(),
});
type Payload = z.output<typeof Payload>;

/** Where the library keeps one kind of its objects. */
export interface Adapter {
  upsert(id: string, payload: object, seconds?: number): Promise<void>;
  find(id: string): Promise<object | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
  findByUid(uid: string): Promise<undefined>;
  findByUserCode(code: string): Promise<undefined>;
}

export const sealedRecords: SealedColumn = {
  table: "mcp_authorization_records",
  id: "id",
  column: "payload",
  organization: "org_id",
};

const createPlace = (row: string, organization: OrgId | null): Place => ({
  table: "mcp_authorization_records",
  row,
  column: "payload",
  organization: organization ?? undefined,
});

/** What the library asks of every kind, and what kinds that are not stored do. */
export const nothingStored: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  // All tokens of a grant are deleted with its row.
  revokeByGrantId: async () => {},
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
};

interface Options {
  /** The request that is being answered. Its `db` may be a transaction. */
  current(): Ctx;
  /** Called when the grant of a new code or token has ended. */
  refuseEnded(): never;
  /** Called with the refresh token that the client sent. */
  onRenewal(token: string): void;
  /** Ends a grant with everything that belongs to it. */
  endGrant(ctx: Ctx, id: string): Promise<void>;
}

/** Stores objects of one kind: ids hashed, content sealed, the organization in its column. */
export function createRecords(
  kind: store.RecordKind,
  { current, refuseEnded, onRenewal, endGrant }: Options,
): Adapter {
  const isUsedOnce = kind === "code" || kind === "refresh_token";
  return {
    ...nothingStored,
    async upsert(id, given, seconds = 0) {
      const { db, keyring } = current();
      const row = hashSecret(id);
      const payload = Payload.parse(given);
      if (kind === "interaction") {
        const sealed = keyring.seal(JSON.stringify(payload), createPlace(row, null));
        return void (await store.upsertInteractionByToken(db, { id: row, payload: sealed, seconds }));
      }
      const orgId = parseAccount(payload.accountId)?.orgId;
      const grantId = kind === "grant" ? id : payload.grantId;
      if (!orgId || !grantId) throw new Error(`A ${kind} without a grant cannot be stored.`);
      const saved = await store.upsert(db, orgId, {
        id: row,
        kind,
        grantId,
        payload: keyring.seal(JSON.stringify(payload), createPlace(row, orgId)),
        scopes: kind === "access_token" ? listScopes(payload) : null,
        seconds,
        renews: kind === "access_token" || kind === "refresh_token",
      });
      if (!saved) refuseEnded();
    },
    async find(id) {
      const { db, keyring } = current();
      const row = hashSecret(id);
      if (kind === "refresh_token") onRenewal(id);
      if (isUsedOnce) await store.lockGrantByToken(db, row);
      const found = await store.findByToken(db, kind, row);
      if (!found) return undefined;
      const payload = Payload.parse(JSON.parse(keyring.open(found.payload, createPlace(row, found.orgId))));
      const { consumedAt, isJustConsumed } = found;
      if (consumedAt === null || (kind === "refresh_token" && isJustConsumed)) return payload;
      return { ...payload, consumed: Math.floor(consumedAt / 1000) };
    },
    async consume(id) {
      await store.consumeByToken(current().db, hashSecret(id));
    },
    async destroy(id) {
      const ctx = current();
      if (kind === "grant") await endGrant(ctx, id);
      else await store.removeByToken(ctx.db, kind, hashSecret(id));
    },
  };
}

const listScopes = ({ scope = "" }: Payload): string[] => scope.split(" ").filter(Boolean);
