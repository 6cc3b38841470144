import { createBatcher } from "../../../platform/batcher.ts";
import { defineState } from "../../../platform/state.ts";
import { openToken } from "./sealing.ts";
import * as store from "./store.ts";

/** A token that several requests can share. It is decrypted with the first call of `open`. */
export interface SharedToken extends store.FoundToken {
  open(): string;
}

interface Issue {
  request: store.TokenRequest;
  record: store.IssueRecord;
}

/**
 * Finds tokens, and records who got them. Requests that arrive at the same time share a statement and a commit. The
 * statement starts after each of them arrived, so it sees every connection that had ended before.
 */
export const tokenIssues = defineState({
  name: "token issues",
  create: ({ db: anyDb, keyring }) => {
    const db = anyDb.withOptions({ work: "change", share: "tokens" });
    return createBatcher<Issue, SharedToken | undefined>({
      async send(issues) {
        const places = new Map<string, number>();
        const requests: store.TokenRequest[] = [];
        const records = issues.map(({ request, record }) => {
          const key = JSON.stringify(request);
          let place = places.get(key);
          if (place === undefined) {
            place = requests.push(request) - 1;
            places.set(key, place);
          }
          return { ...record, place };
        });
        const found = new Map<number, SharedToken>();
        for (const { place, ...token } of await store.findAndIssueAcrossOrganizations(
          db,
          requests,
          records,
        )) {
          const binding = { id: token.tokenId, orgId: requests[place]!.orgId, client: token };
          let opened: string | undefined;
          const open = () => (opened ??= openToken(keyring, binding, "access_token", token.accessToken!));
          found.set(place, { ...token, open });
        }
        return records.map(({ place }) => found.get(place));
      },
      owner: ({ request }) => request.orgId,
      size: () => 1,
      maxItems: 64,
      maxSize: 64,
      sharesThread: db.kind === "pglite",
    });
  },
});
