import type { Item, Reply } from "../../lib/api.ts";

export type Connector = Item<"GET /v1/connectors">;
export type Setup = Reply<"GET /v1/connectors/{id}">["setup"];
export type Delivery = Item<"GET /v1/webhook-deliveries">;
export type DeliveryDetail = Reply<"GET /v1/webhook-deliveries/{id}">["delivery"];
export type Sync = Item<"GET /v1/connector-syncs">;
export type Test = Reply<"POST /v1/connectors/{id}/test">["test"];

/** `main` for `refs/heads/main`, `v1` for `refs/tags/v1`. */
export const shortenRef = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, "");

/** The first seven characters of a commit id, as code hosts show it. */
export const shortenCommit = (commit: string): string => commit.slice(0, 7);
