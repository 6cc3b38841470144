import type { AttentionItem } from "@signalbox/client";
import {
  Bell,
  CircleSlash2,
  CircleX,
  Coins,
  Cpu,
  GitBranch,
  KeyRound,
  Link2,
  type LucideIcon,
  MailQuestion,
  Plug,
  Server,
  ShieldAlert,
  ShieldCheck,
  Unplug,
  Wallet,
  Webhook,
} from "lucide-react";
import { formatCost, formatDate, formatNumber, formatPercent, formatWhen } from "../../lib/format.ts";
import { attention } from "../../texts/overview.ts";

const { texts, titles, actions } = attention;

export interface Described {
  icon: LucideIcon;
  title: string;
  text: string;
  /** Where it is solved, or the person who can solve it. */
  action: { label: string; to: string } | { label: string; ask: string } | undefined;
}

interface Reader {
  memberId: string;
  now: number;
}

const icons: Record<string, LucideIcon> = {
  automation: CircleX,
  budget: Wallet,
  connection: Unplug,
  connector: GitBranch,
  worker: Server,
  llm_provider_key: Cpu,
  webhook_endpoint: Webhook,
  sso_connector: ShieldAlert,
  sso_domain: ShieldAlert,
  scim_connector: KeyRound,
  quota: Bell,
  api_key: KeyRound,
  invitation: MailQuestion,
  organization: Coins,
  mcp_connection: Plug,
  mcp_approval: ShieldCheck,
};

/** The place where a subject is changed, below the organization. */
const places: Record<string, (item: AttentionItem) => string> = {
  automation: ({ subject }) => `/automations/${subject.id}`,
  budget: () => "/usage",
  connection: ({ subject }) => `/connections/accounts/${subject.parentId ?? ""}`,
  connector: ({ subject, kind }) =>
    kind.startsWith("deliveries_") ? "/code-host/deliveries" : `/code-host/connectors/${subject.id}`,
  mcp_connection: ({ kind, subject }) =>
    `/connections/mcp/${subject.id}${kind === "mcp_tools_held" ? "/drift" : ""}`,
  mcp_approval: ({ subject }) => `/connections/mcp?view=approvals&approval=${subject.id}`,
  worker: ({ subject }) => `/workers/${subject.id}`,
  llm_provider_key: ({ subject }) => `/llm-providers/${subject.parentId ?? ""}`,
  webhook_endpoint: ({ subject }) => `/settings/webhooks/${subject.id}`,
  sso_connector: () => "/access/sso",
  sso_domain: () => "/access/sso",
  scim_connector: () => "/access/scim",
  quota: () => "/settings/quotas",
  api_key: () => "/access/keys",
  invitation: () => "/people/invitations",
  organization: () => "/usage",
};

/** Sentences and the right action for something that needs care. The API gives facts only. */
export function describeAttention(item: AttentionItem, reader: Reader): Described {
  const { kind, subject, owner } = item;
  const name = subject.name ?? attention.unnamed;
  const firstName = owner?.name.split(" ")[0];
  const title = titles[kind]?.(name, firstName, subject.parentName) ?? `${kind} ${name}`;
  return {
    icon:
      kind === "automation_skipped"
        ? CircleSlash2
        : kind === "connection_expires"
          ? Link2
          : (icons[subject.type] ?? Bell),
    title,
    text: writeText(item, reader.now),
    action: chooseAction(item, reader),
  };
}

function chooseAction(item: AttentionItem, { memberId }: Reader): Described["action"] {
  const { kind, subject, owner, related } = item;
  const place = places[subject.type]?.(item);
  if (subject.type === "connection") {
    // An account is reconnected by the person who signs in there.
    if (owner && owner.memberId !== memberId)
      return { label: actions.ask(owner.name.split(" ")[0]!), ask: owner.name };
    return { label: actions.reconnect, to: place! };
  }
  if (related?.type === "run") return { label: actions.seeRun, to: `/runs/${related.id}` };
  if (related?.type === "sync") return { label: actions.retry, to: `/code-host/syncs/${related.id}` };
  if (kind === "usage_held") return { label: actions.review, to: "/usage" };
  if (subject.type === "budget") return { label: actions.budget, to: "/usage" };
  return place === undefined ? undefined : { label: actions.open, to: place };
}

function writeText(item: AttentionItem, now: number): string {
  const { kind, message, count, since, dueAt, used, limit } = item;
  const date = (at: number) => formatDate(at, now);
  const sinceText = since === null ? "" : attention.since(date(since));
  const sentences = (...parts: (string | null | false | undefined)[]) =>
    parts
      .filter((part) => typeof part === "string" && part !== "")
      .map((part) => (/[.!?…]$/.test(part as string) ? part : `${part}.`))
      .join(" ");
  switch (kind) {
    case "automation_failed":
      return sentences(message, count > 1 && texts.failedInRow(count), sinceText);
    case "automation_skipped":
      return sentences(message, texts.skippedInRow(count), sinceText);
    case "budget_exceeded":
    case "budget_warned":
      return sentences(
        used !== null && limit !== null && texts.spent(formatCost(used), formatCost(limit)),
        dueAt !== null && texts.resets(date(dueAt)),
      );
    case "quota_nearly_full":
      return used === null || limit === null
        ? ""
        : `${texts.used(formatNumber(used), formatNumber(limit))} ${formatPercent(used / Math.max(1, limit))}.`;
    case "connection_needs_reconnect":
      return sentences(
        message ?? (item.code === "revoked_at_provider" && texts.revoked),
        count > 0 && texts.automationsUse(count),
        sinceText,
      );
    case "connection_uncertain":
      return sentences(message ?? texts.uncertain, count > 0 && texts.automationsUse(count));
    case "connection_expires":
      return sentences(
        dueAt !== null && texts.ends(formatWhen(dueAt, now)),
        count > 0 && texts.automationsUse(count),
      );
    case "mcp_tools_held":
      return sentences(texts.heldTools(count), sinceText);
    case "mcp_sign_in":
    case "mcp_consent":
      return sentences(texts.membersSignIn(count), sinceText);
    case "mcp_approval_pending":
      return sentences(texts.approval, dueAt !== null && texts.ends(formatWhen(dueAt, now)));
    case "worker_lost":
      return since === null ? (message ?? "") : texts.workerLost(date(since));
    case "worker_stale":
      return since === null ? (message ?? "") : texts.workerStale(formatWhen(since, now));
    case "deliveries_refused":
    case "deliveries_altered":
      return sentences(message, texts.deliveries(count), sinceText);
    case "usage_held":
      return sentences(message, texts.reports(count));
    case "connector_disconnected":
      return sentences(message ?? texts.disconnected, sinceText);
    case "webhook_endpoint_disabled":
      return sentences(message ?? texts.disabled, sinceText);
    case "webhook_endpoint_failing":
      return sentences(message ?? texts.failing, sinceText);
    case "invitation_expires":
      return sentences(texts.invitation, dueAt !== null && texts.ends(formatWhen(dueAt, now)));
    default:
      return sentences(message, dueAt !== null ? texts.ends(formatWhen(dueAt, now)) : sinceText);
  }
}
