import { type Sql, sql } from "../../platform/db/index.ts";

/** A condition on `oauth_connections c`: false for the credentials of MCP connections, which are no accounts. */
export const isAccount: Sql = sql`c.provider_id not like 'mcp-__________________________'`;

/**
 * A condition on `oauth_connections c`: a member's own connections, and shared ones that are granted to all, to the
 * member, or to one of the member's teams.
 */
export const isUsableBy = (memberId: Sql): Sql =>
  sql`(${isAccount} and (c.member_id = ${memberId} or (c.shared and (c.everyone
    or exists (select from oauth_connection_grants g where g.connection_id = c.id and g.member_id = ${memberId})
    or exists (select from oauth_connection_team_grants g join team_members x on x.team_id = g.team_id
      where g.connection_id = c.id and x.member_id = ${memberId})))))`;
