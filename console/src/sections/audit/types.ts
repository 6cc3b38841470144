import type { Input, Item } from "../../lib/api.ts";

export type AuditEvent = Item<"GET /v1/audit-events">;
export type AuditQuery = NonNullable<Input<"GET /v1/audit-events">["query"]>;
