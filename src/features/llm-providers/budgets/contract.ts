import { z } from "zod";
import { definePage, pageQuery, route } from "../../../platform/http/index.ts";
import { idSchema } from "../../../platform/ids.ts";
import { can } from "../../permissions/index.ts";

const tag = "LLM Providers";
const manage = can("llm_providers:manage");

const subjectKinds = ["organization", "team", "member", "provider"] as const;
const periods = ["day", "week", "month"] as const;

const LlmBudget = z
  .strictObject({
    id: idSchema("lbg"),
    subject: z.strictObject({
      kind: z.enum(subjectKinds),
      id: z.string().describe("The id of the organization, team, member or LLM provider."),
      name: z.string().nullable(),
    }),
    period: z
      .enum(periods)
      .describe(
        "A calendar day, week or month in UTC. A week begins on Monday. What was spent is 0 again after it.",
      ),
    mode: z
      .enum(["budget", "alert"])
      .describe(
        "`budget`: once it is spent, credentials are not handed out and runs are not started. `alert`: people are notified, and nothing is refused.",
      ),
    limitMicros: z.int().describe("Millionths of a dollar."),
    warningPercent: z.int().describe("The share of the limit at which people are notified."),
    spentMicros: z.int().describe("What was spent in this period. Costs that are not known do not count."),
    state: z.enum(["within", "warned", "exceeded"]),
    periodStartAt: z.int(),
    resetsAt: z.int().describe("When the next period begins."),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .meta({ id: "LlmBudget" });
export type LlmBudget = z.output<typeof LlmBudget>;

const one = z.strictObject({ budget: LlmBudget });
const params = z.strictObject({ id: z.string().min(1).max(160) });
const limitMicros = z.int().min(0);
const warningPercent = z.int().min(1).max(100);
const mode = z.enum(["budget", "alert"]);

export const list = route({
  method: "get",
  path: "/v1/llm-budgets",
  tag,
  summary: "List budgets and alerts, with what is spent",
  description:
    "Newest first. Lists those of the caller, of the caller's teams and of the organization, or with `usage:read` all of them.",
  access: can("llm_providers:use"),
  query: pageQuery,
  replies: { 200: definePage(LlmBudget).meta({ id: "LlmBudgetPage" }) },
});

export const create = route({
  method: "post",
  path: "/v1/llm-budgets",
  tag,
  summary: "Set a budget or an alert",
  description:
    "All budgets that concern a caller are checked: of the organization, of each team, of the member and of the provider. The monthly budget of the organization is also `monthlyBudgetMicros` of `PATCH /v1/automation-settings`.",
  access: manage,
  body: z.strictObject({
    subject: z.strictObject({
      kind: z.enum(subjectKinds),
      id: z.string().min(1).max(160).optional().describe("Omitted for the organization."),
    }),
    period: z.enum(periods),
    mode: mode.default("budget"),
    limitMicros,
    warningPercent: warningPercent.default(80),
  }),
  replies: { 201: one },
  errors: { 409: "`llm_budget_exists`: there is one for this subject and period. Change it instead." },
});
export type NewBudget = z.output<(typeof create)["body"]>;

export const read = route({
  method: "get",
  path: "/v1/llm-budgets/{id}",
  tag,
  summary: "Read a budget or an alert, with what is spent",
  description: "Visible to those who find it in the list.",
  access: can("llm_providers:use"),
  params,
  replies: { 200: one },
});

export const change = route({
  method: "patch",
  path: "/v1/llm-budgets/{id}",
  tag,
  summary: "Change a budget or an alert",
  description: "Omitted fields do not change. A higher limit takes effect at once.",
  access: manage,
  params,
  body: z.strictObject({ mode, limitMicros, warningPercent }).partial(),
  replies: { 200: one },
});
export type BudgetChange = z.output<(typeof change)["body"]>;

export const remove = route({
  method: "delete",
  path: "/v1/llm-budgets/{id}",
  tag,
  summary: "Remove a budget or an alert",
  description: "Nothing is refused because of it any more.",
  access: manage,
  params,
  replies: { 204: null },
});
