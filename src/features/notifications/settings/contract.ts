import { z } from "zod";
import { member, route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

const tag = "Notifications";

const runs = "A run failed.";
const connections = "A connection to an outside account needs a person.";
const budgets = "The month's budget for automations is spent to its warning, or entirely.";
const syncs = "A connector could not be synced.";

const recipients = z.array(z.enum(["member", "admins"])).max(2);

const NotificationSettings = z
  .strictObject({
    mail: z
      .strictObject({
        "run.failed": recipients.describe(`${runs} \`member\`: whose automation it is.`),
        "connection.needs_attention": recipients.describe(
          `${connections} \`member\`: whose connection it is, or who made it where it is shared.`,
        ),
        "budget.reached": z.array(z.literal("admins")).max(1).describe(budgets),
        "sync.failed": recipients.describe(`${syncs} \`member\`: who made the connector.`),
      })
      .describe(
        "Who gets a mail, for each type of event. `admins`: owners and admins. They also stand in for a member who is gone.",
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
      })
      .describe(
        "For each type of event: `off`: no mail. `own`: about what is mine. `all`: about everybody's. Null: as the organization has it.",
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
    })
    .describe("Which mails I get, the settings of the organization included."),
  emailVerified: z.boolean().describe("False: no mail is sent until the address is confirmed."),
});

export const read = route({
  method: "get",
  path: "/v1/notification-settings",
  tag,
  summary: "Who in the organization gets which mails",
  description: "Each member can choose otherwise for themselves.",
  access: can("organization:read"),
  replies: { 200: z.strictObject({ settings: NotificationSettings }) },
});

export const replace = route({
  method: "put",
  path: "/v1/notification-settings",
  tag,
  summary: "Say who gets which mails",
  description: "Replaces all of it. Holds for members who have not chosen for themselves.",
  access: can("notifications:manage"),
  body: NotificationSettings,
  replies: { 200: z.strictObject({ settings: NotificationSettings }) },
});

export const readMine = route({
  method: "get",
  path: "/v1/me/notification-settings",
  tag,
  summary: "Which mails I get from the active organization",
  description: "My own choice, and what follows from it and from the settings of the organization.",
  access: member(),
  replies: { 200: Mine },
});

export const replaceMine = route({
  method: "put",
  path: "/v1/me/notification-settings",
  tag,
  summary: "Choose which mails I get from the active organization",
  description: "Replaces all of it. Only with a session: a key that leaked cannot silence warnings.",
  access: member({ credentials: ["session"] }),
  body: MyNotificationSettings,
  replies: { 200: Mine },
});
