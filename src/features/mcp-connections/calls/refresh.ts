import type { MemberId, Platform } from "../../../platform/context.ts";
import { defineState } from "../../../platform/state.ts";
import type { UsableConnection } from "../model.ts";
import { recordListing } from "../tools/index.ts";
import { findListChange, listUpstreamTools } from "../upstream/index.ts";

/** Lists the tools of connections in use, where calls do not wait for a listing. */
export interface ListingRefresher {
  /** Starts a listing when the last one is too old or the server has announced a change. Nobody waits for it. */
  refresh(connection: UsableConnection, headers: Record<string, string>, account: MemberId | null): void;
}

const maxConnections = 10_000;

export const listingRefresher = defineState({
  name: "listings of tools of MCP connections in use",
  create: createRefresher,
});

function createRefresher(platform: Platform): ListingRefresher {
  /** When the last listing began, per connection and account, in order of time. */
  const listedAt = new Map<string, number>();
  return {
    refresh(connection, headers, account) {
      const { id, limits } = connection;
      const now = performance.now();
      const key = account === null ? id : `${id} ${account}`;
      const last = listedAt.get(key);
      const isFresh = last !== undefined && now - last < limits.listingSeconds * 1000;
      if (isFresh && findListChange(platform, id) < last) return;
      listedAt.delete(key);
      listedAt.set(key, now);
      for (const other of listedAt.keys()) {
        if (listedAt.size <= maxConnections) break;
        listedAt.delete(other);
      }
      listUpstreamTools(platform, connection, headers)
        .then((listing) => recordListing(platform, connection, listing, { account }))
        .catch(() => platform.metrics.count("mcp_listing_failures_total"));
    },
  };
}
