import { formatNameForSubject, formatNameForText, type Message } from "../../../platform/mail/index.ts";
import type { Digest, DigestType, Item } from "./store.ts";

/** Text of an item is untrusted. It becomes one line that no mail program turns into a link. */
const formatText = (value: unknown, max = 300): string => {
  const line = formatNameForText(String(value ?? ""));
  return line.length > max ? `${line.slice(0, max)}…` : line;
};

const formatMoney = (micros: unknown) =>
  (Number(micros) / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 2 });
const formatTime = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
const formatTimes = (count: number) => (count === 1 ? "" : ` ${count} times`);

const stages: Record<string, string> = {
  lost: "is not seen any more",
  removal_due: "will be removed soon",
  removed: "was removed",
};
const describeStage = (stage: unknown) => stages[String(stage)] ?? "is not seen any more";

const readSubject = (subject: unknown) => (subject ?? {}) as { kind?: string; name?: string | null };
const readKind = (subject: unknown) => readSubject(subject).kind ?? "organization";

/** Such as `80 % of this month's budget of the team Support`. */
function formatShare({ percent, period, mode, subject }: Item): string {
  const whole = `this ${period ?? "month"}'s ${mode === "alert" ? "alert limit" : "budget"}`;
  const kind = readKind(subject);
  const name = formatNameForSubject(String(readSubject(subject).name ?? ""), "");
  const whose =
    kind === "organization" ? "" : ` of the ${kind === "provider" ? "LLM provider" : kind} ${name}`.trimEnd();
  return `${percent === 100 ? "" : `${percent} % of `}${whole}${whose}`;
}

/** Such as `Changed: search_issues, create_issue and 3 more; its instructions`. */
function formatChanged({ tools, toolCount, instructions, verdictFields }: Item): string {
  const names = (Array.isArray(tools) ? tools : []).slice(0, 5).map((name) => formatText(name, 80));
  const more = Number(toolCount) - names.length;
  const fields = Array.isArray(verdictFields) ? verdictFields.map((field) => formatText(field, 80)) : [];
  const parts = [
    ...(names.length > 0 ? [`${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`] : []),
    ...(instructions ? ["its instructions"] : []),
    ...(fields.length > 0 ? [`how to connect (${fields.join(", ")})`] : []),
  ];
  return `Changed: ${parts.join("; ")}`;
}

interface Wording {
  /** Follows the name of the organization. */
  subject(first: Item, count: number): string;
  opening(first: Item, count: number): string;
  /** The lines about one item. `console` is the address of the organization there. Links contain only our own ids. */
  lines(item: Item, console: string): string[];
  /** What to do. */
  closing?: string;
}

const wordings: Record<DigestType, Wording> = {
  "run.failed": {
    subject: ({ automationName }, count) =>
      `${formatNameForSubject(String(automationName), "an automation")} failed${formatTimes(count)}`,
    opening: ({ automationName }, count) =>
      `The automation ${formatText(automationName)} failed${formatTimes(count)}.`,
    lines: ({ at, runId, reason, message }, console) => [
      `${formatTime(at)}, ${runId}: ${formatText(message ?? reason ?? "no reason was given")}`,
      `${console}/runs/${runId}`,
    ],
    closing: "On the command line: signalbox runs show <run>.",
  },
  "connection.needs_attention": {
    subject: ({ providerId, connectionName }, count) =>
      count === 1
        ? `the connection to ${formatNameForSubject(String(connectionName ?? providerId), "a provider")} needs your attention`
        : `${count} connections to ${formatNameForSubject(String(connectionName ?? providerId), "a provider")} need attention`,
    opening: ({ providerId, connectionName }, count) =>
      count === 1
        ? `A connection to ${formatText(connectionName ?? providerId)} needs a person to make it work again.`
        : `${count} connections to ${formatText(connectionName ?? providerId)} need a person to make them work again.`,
    lines: ({ account, shared, message, providerId, connectionId }, console) => [
      `${shared ? "Shared account" : "Account"} ${account === null ? "of an MCP connection" : formatText(account)}: ${formatText(message)}`,
      providerId === null
        ? `${console}/connections/mcp/${connectionId}`
        : `${console}/connections/accounts/${providerId}`,
    ],
    closing:
      "On the command line: signalbox connections list, or signalbox mcp-connections list for MCP connections.",
  },
  "budget.reached": {
    subject: (item) => `${formatShare(item)} is spent`,
    opening: (item) =>
      `${formatMoney(item.spentMicros)} of ${formatMoney(item.budgetMicros)} are spent in the ${item.period ?? "month"} of ${item.periodStart ?? item.month}: ${formatShare(item)}.`,
    lines: ({ percent, mode, subject }, console) => [
      mode === "alert"
        ? "This is an alert: nothing is refused."
        : percent === 100
          ? `Credentials are not handed out, and new runs are skipped, until the period ends or an owner or admin raises the budget.${readKind(subject) === "organization" ? " Running runs are cancelled." : ""}`
          : "When all of it is spent, credentials are not handed out, running runs are cancelled and new runs are skipped.",
      `${console}/llm-providers?view=budgets`,
    ],
  },
  "sync.failed": {
    subject: ({ connectorName }, count) =>
      count === 1
        ? `the connector ${formatNameForSubject(String(connectorName), "of a repository")} could not be synced`
        : `${count} connectors could not be synced`,
    opening: (_, count) =>
      count === 1
        ? "Templates are not updated from their repository at the moment:"
        : "Templates are not updated from their repositories at the moment:",
    lines: ({ connectorName, repository, message, connectorId }, console) => [
      `${formatText(connectorName)} (${formatText(repository)}): ${formatText(message)}`,
      `${console}/code-host/connectors/${connectorId}`,
    ],
    closing: "You get another mail when a sync has succeeded and a later sync fails.",
  },
  "worker.unseen": {
    subject: ({ stage, workerName }, count) =>
      count === 1
        ? `the worker ${formatNameForSubject(String(workerName), "of a machine")} ${describeStage(stage)}`
        : `${count} workers: ${describeStage(stage)}`,
    opening: ({ stage }, count) =>
      count === 1
        ? `A worker ${describeStage(stage)}:`
        : `${count} workers, each of which ${describeStage(stage)}:`,
    lines: ({ workerName, workerId, lastSeenAt, removedAt, stage }, console) => [
      `${formatText(workerName)}: ${lastSeenAt === null ? "never seen" : `last seen ${formatTime(Number(lastSeenAt))}`}${stage === "removed" ? "" : `, removed after ${formatTime(Number(removedAt))} unless it is seen before`}`,
      `${console}/workers/${workerId}`,
    ],
    closing: "Start the machine again, or remove the worker.",
  },
  "mcp_connection.drift": {
    subject: ({ connectionName }) =>
      `${formatNameForSubject(String(connectionName), "an MCP connection")} changed`,
    opening: ({ connectionName }) =>
      `The server of the MCP connection ${formatText(connectionName)} is not any more what was approved.`,
    lines: (item, console) => [
      `${formatChanged(item)}. ${Number(item.heldTools) > 0 ? `${item.heldTools} of its tools cannot be called until somebody approves them.` : "All of its tools can still be called."}`,
      `${console}/connections/mcp/${item.connectionId}/drift`,
    ],
    closing: "Compare the tools in the console, under MCP connections, before you approve them.",
  },
  "mcp_connection.failing": {
    subject: ({ connectionName }) =>
      `${formatNameForSubject(String(connectionName), "an MCP connection")} does not work`,
    opening: ({ connectionName }) =>
      `The server of the MCP connection ${formatText(connectionName)} failed its last checks.`,
    lines: ({ since, message, connectionId }, console) => [
      `Since ${formatTime(Number(since))}: ${formatText(message)}`,
      `${console}/connections/mcp/${connectionId}`,
    ],
    closing:
      "It is checked again with growing pauses. You get another mail when it has worked and fails again.",
  },
  "mcp_approval.requested": {
    subject: ({ connectionName, tool }, count) =>
      count === 1
        ? `an agent wants to call ${formatNameForSubject(String(tool), "a tool")} of ${formatNameForSubject(String(connectionName), "an MCP connection")}`
        : `${count} calls of ${formatNameForSubject(String(connectionName), "an MCP connection")} wait for approval`,
    opening: ({ connectionName }, count) =>
      count === 1
        ? `A call of the MCP connection ${formatText(connectionName)} can destroy data, and waits for a person:`
        : `${count} calls of the MCP connection ${formatText(connectionName)} can destroy data, and wait for a person:`,
    lines: ({ at, tool, approvalId }, console) => [
      `${formatTime(at)}, ${formatText(tool)}`,
      `${console}/connections/mcp?view=approvals&approval=${approvalId}`,
    ],
    closing: "Approve or deny them in the console, under MCP connections. After a day they expire.",
  },
  "endpoint.disabled": {
    subject: () => "a webhook endpoint was disabled",
    opening: ({ reason }) =>
      reason === "gone"
        ? "A webhook endpoint answered 410 Gone, so nothing is sent to it any more."
        : "A webhook endpoint failed for 5 days, so nothing is sent to it any more.",
    lines: ({ url, endpointId }, console) => [formatText(url), `${console}/settings/webhooks/${endpointId}`],
    closing: "To use it again, repair it and set its status to enabled.",
  },
};

export function composeDigest(
  publicUrl: string,
  { type, email, organization, slug, items, pending }: Omit<Digest, "userId" | "verified">,
): Message {
  const { subject, opening, lines, closing } = wordings[type];
  const [first] = items as [Item, ...Item[]];
  const more = pending - items.length;
  const parts = [
    `${opening(first, pending)}`,
    ...items.map((item) => lines(item, `${publicUrl}/o/${slug}`).join("\n")),
    ...(more > 0 ? [`… and ${more} more.`] : []),
    ...(closing ? [closing] : []),
    `This is about the organization ${formatText(organization)} on Signalbox at ${publicUrl}.`,
    ...(type === "endpoint.disabled"
      ? []
      : [`To choose which mails you get: ${publicUrl}/o/${slug}/settings/mails`]),
  ];
  return {
    to: email,
    subject: `${formatNameForSubject(organization, "Signalbox")}: ${subject(first, pending)}`,
    text: `${parts.join("\n\n")}\n`,
  };
}
