import { definePage, operator, route } from "../../../platform/http/index.ts";
import { AuditEvent, auditQuery } from "../../audit/index.ts";

export const list = route({
  method: "get",
  path: "/v1/admin/audit-events",
  tag: "Admin reporting",
  summary: "List the log of the instance",
  description:
    "Newest first: what administrators of the instance did, and changes that belong to no organization, such as accounts and sessions. The entries form a chain like those of an organization. What people did in organizations is not in it.",
  access: operator(),
  query: auditQuery,
  replies: { 200: definePage(AuditEvent).meta({ id: "AdminAuditEventPage" }) },
});
