import { z } from "zod";
import { member, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const tag = "Notifications";

const runs = "A run failed.";
const connections = "A connection to an outside account needs attention.";
const budgets = "Costs reached the warning level or the whole of a budget or alert.";
const syncs = "A connector could not be synced.";
const workers = "A worker is lost, will be removed soon, or was removed.";
const drift = "The server of an MCP connection changed its tools.";
const failing = "The server of an MCP connection does not answer as it should.";
const approvals = "An agent wants to call a destructive tool and needs approval.";

const recipients = z.array(z.enum(["member", "admins"])).max(2);

const NotificationSettings = z
  .strictObject({
    mail: z
      .strictObject({
        "run.failed": recipients.describe(`${runs} \`member\`: the owner of the automation.`),
        "connection.needs_attention": recipients.describe(
          `${connections} \`member\`: the owner of the connection, or the member who made it if it is shared.`,
        ),
        "budget.reached": z.array(z.literal("admins")).max(1).describe(budgets),
        "sync.failed": recipients.describe(`${syncs} \`member\`: the member who created the connector.`),
        "worker.unseen": recipients
          .default(["admins"])
          .describe(`${workers} \`member\`: the member that the worker acts for.`),
        "mcp_connection.drift": recipients
          .default(["admins"])
          .describe(`${drift} \`member\`: the member who saved the connection.`),
        "mcp_connection.failing": recipients
          .default(["admins"])
          .describe(`${failing} \`member\`: the member who saved the connection.`),
        "mcp_approval.requested": recipients
          .default(["admins"])
          .describe(`${approvals} \`member\`: the member whose agent asks.`),
      })
      .describe(
        "Who gets a mail, for each type of event. `admins`: owners and admins. They also get the mails of a member who has left.",
      ),
  })
  .meta({ id: "NotificationSettings" });
export type NotificationSettings = z.output<typeof NotificationSettings>;

const choice = z.enum(["off", "own", "all"]).nullable();

const MyNotificationSettings = z
  .strictObject({
    mail: z
      .strictObject({
        "run.failed": choice.describe(`${runs} \`all\` needs \`automations:manage\`.`),
        "connection.needs_attention": choice.describe(`${connections} \`all\` needs \`connections:manage\`.`),
        "budget.reached": z
          .enum(["off", "all"])
          .nullable()
          .describe(`${budgets} \`all\` needs \`usage:read\`.`),
        "sync.failed": choice.describe(`${syncs} \`all\` needs \`connectors:read\`.`),
        "worker.unseen": choice.default(null).describe(`${workers} \`all\` needs \`workers:read\`.`),
        "mcp_connection.drift": choice
          .default(null)
          .describe(`${drift} \`all\` needs \`mcp_connections:manage\`.`),
        "mcp_connection.failing": choice
          .default(null)
          .describe(`${failing} \`all\` needs \`mcp_connections:manage\`.`),
        "mcp_approval.requested": choice
          .default(null)
          .describe(`${approvals} \`all\` needs \`mcp_connections:manage\`.`),
      })
      .describe(
        "For each type of event. `off`: no mails. `own`: mails about my own events. `all`: mails about the events of all members. Null means that the settings of the organization apply.",
      ),
  })
  .meta({ id: "MyNotificationSettings" });
export type MyNotificationSettings = z.output<typeof MyNotificationSettings>;

const outcome = z.enum(["off", "own", "all"]);
const Mine = z.strictObject({
  settings: MyNotificationSettings,
  effective: z
    .strictObject({
      "run.failed": outcome.describe(runs),
      "connection.needs_attention": outcome.describe(connections),
      "budget.reached": outcome.describe(budgets),
      "sync.failed": outcome.describe(syncs),
      "worker.unseen": outcome.describe(workers),
      "mcp_connection.drift": outcome.describe(drift),
      "mcp_connection.failing": outcome.describe(failing),
      "mcp_approval.requested": outcome.describe(approvals),
    })
    .describe("Which mails I get, according to my settings and those of the organization."),
  emailVerified: z.boolean().describe("Whether my address is confirmed. Without that, no mail is sent."),
});

export const read = route({
  method: "get",
  path: "/v1/notification-settings",
  tag,
  summary: "Read who in the organization gets which mails",
  description: "Each member can choose other settings for themselves.",
  access: can("organization:read"),
  replies: { 200: z.strictObject({ settings: NotificationSettings }) },
});

export const replace = route({
  method: "put",
  path: "/v1/notification-settings",
  tag,
  summary: "Set who in the organization gets which mails",
  description: "Replaces all settings. They apply to members who have not chosen their own.",
  access: can("notifications:manage"),
  body: NotificationSettings,
  replies: { 200: z.strictObject({ settings: NotificationSettings }) },
});

export const readMine = route({
  method: "get",
  path: "/v1/me/notification-settings",
  tag,
  summary: "Read which mails I get from the active organization",
  description: "My own settings, and their effect together with the settings of the organization.",
  access: member(),
  replies: { 200: Mine },
});

export const replaceMine = route({
  method: "put",
  path: "/v1/me/notification-settings",
  tag,
  summary: "Choose which mails I get from the active organization",
  description:
    "Replaces all my settings. Needs a session, so that a leaked API key cannot turn off warnings.",
  access: member({ credentials: ["session"] }),
  body: MyNotificationSettings,
  replies: { 200: Mine },
});
