import { z } from "zod";
import { definePage, operator, route } from "../../../platform/http/index.ts";
import { AuditEvent, auditQuery } from "../../audit/index.ts";

export const list = route({
  method: "get",
  path: "/v1/admin/audit-events",
  tag: "Admin reporting",
  summary: "List the log of the instance",
  description:
    "Newest first: what administrators of the instance did, and changes that belong to no organization, such as accounts and sessions. The entries form a chain like those of an organization. What people did in organizations is not in it. A page also ends when it has about 2 MiB of states.",
  access: operator(),
  query: auditQuery,
  replies: { 200: definePage(AuditEvent).meta({ id: "AdminAuditEventPage" }) },
});

export const read = route({
  method: "get",
  path: "/v1/admin/audit-events/{id}",
  tag: "Admin reporting",
  summary: "Read an entry of the log of the instance",
  description: "Includes the state before and after the change. Entries of organizations are not found here.",
  access: operator(),
  params: z.strictObject({ id: z.string() }),
  replies: { 200: z.strictObject({ auditEvent: AuditEvent }) },
});
