import { cleanText, createPaint, type Paint, type Screen, wrap } from "@signalbox/command-line";
import type { DiscoveryResult, Evidence } from "../engine/result.ts";
import { chooseNextAction } from "./next-action.ts";

interface Style extends Screen {
  /** How the person started the command. */
  program: string;
  /** Shows each request with its findings, instead of one line per request. */
  evidence: boolean;
}

const headlines: Record<DiscoveryResult["status"], { colour: keyof Paint; text: string }> = {
  ready: { colour: "green", text: "READY" },
  manual_action_required: { colour: "yellow", text: "SOMETHING HAS TO BE DONE BY HAND" },
  unsupported: { colour: "red", text: "UNSUPPORTED" },
  unreachable: { colour: "red", text: "UNREACHABLE" },
};

const authenticationNames: Record<DiscoveryResult["authentication"]["kind"], string> = {
  none: "none needed",
  oauth: "OAuth sign-in",
  manual_bearer: "a bearer token, entered by hand",
  unknown: "not known",
};

const registrationNames = {
  client_metadata: "client metadata document",
  dynamic: "dynamic registration",
  pre_registered: "a client registered by hand",
};

const shownWithCredentials = "shown only with credentials";

const stepNames: Record<string, string> = {
  probe_discover: "server/discover",
  probe_initialize: "initialize",
  initialized: "initialized",
  list_tools: "tools/list",
  close_session: "close session",
  probe_legacy_sse: "event stream",
  probe_challenge: "challenge to GET",
  resource_metadata: "resource metadata",
  server_metadata: "server metadata",
};

/** Renders a verdict for a terminal. Text from outside is cleaned, because it may contain control sequences. */
export function showVerdict(result: DiscoveryResult, evidence: readonly Evidence[], style: Style): string {
  const paint = createPaint(style.colour);
  const headline = headlines[result.status];
  const lines = [`${paint[headline.colour](`● ${headline.text}`)}  ${cleanText(result.server.url)}`, ""];
  for (const [name, value] of listFacts(result)) {
    const [first = "", ...more] = wrap(value, style.width - 18);
    lines.push(
      `  ${paint.dim(name.padEnd(14))}  ${first}`,
      ...more.map((line) => `${" ".repeat(18)}${line}`),
    );
  }
  lines.push(
    "",
    ...showRequirements(result, paint, style.width),
    ...showWarnings(result, paint, style.width),
  );
  lines.push(...showSteps(evidence, paint, style), ...showNext(result, paint, style));
  return lines.join("\n");
}

function listFacts({ server, authentication, tools }: DiscoveryResult): [string, string][] {
  const { kind, authorizationServers, requiredScopes, recommendedScopes } = authentication;
  const facts: [string, string][] = [
    ["Protocol", describeProtocol(server)],
    ["Authentication", authenticationNames[kind]],
  ];
  for (const { issuer } of authorizationServers) facts.push(["Sign-in at", issuer]);
  if (requiredScopes.length > 0) facts.push(["Required scopes", requiredScopes.join(" ")]);
  if (recommendedScopes.length > 0) facts.push(["Scopes to ask", recommendedScopes.join(" ")]);
  if (kind === "oauth") {
    facts.push([
      "Refresh",
      { supported: "supported", not_advertised: "not advertised", unknown: "not known" }[
        authentication.refreshSupport
      ],
    ]);
    facts.push(["Registration", registrationNames[authentication.recommendedRegistrationMethod]]);
  }
  facts.push(["Tools", describeTools(tools)]);
  return facts.map(([name, value]) => [name, cleanText(value)]);
}

function describeProtocol({ protocolVersion, initialize }: DiscoveryResult["server"]): string {
  if (protocolVersion !== undefined) return `MCP ${protocolVersion}`;
  return initialize === "authentication_required" ? shownWithCredentials : "no MCP server answered";
}

function describeTools({ visibility, count, items = [] }: DiscoveryResult["tools"]): string {
  if (visibility === "requires_auth") return shownWithCredentials;
  if (visibility === "unavailable") return "not available";
  const names = items
    .slice(0, 12)
    .map(
      ({ name, readOnlyHint, destructiveHint }) =>
        `${name}${readOnlyHint ? " (reads)" : destructiveHint ? " (destroys)" : ""}`,
    );
  const rest = (count ?? 0) - names.length;
  return `${count ?? "not counted"}${names.length > 0 ? `: ${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}` : ""}`;
}

function showRequirements({ manualRequirements }: DiscoveryResult, paint: Paint, width: number): string[] {
  if (manualRequirements.length === 0) return [];
  const steps = manualRequirements.flatMap(({ code, label, reason }, index) => [
    `  ${paint.yellow(`${index + 1}. ${label}`)}${label.length + code.length + 6 > width ? "\n     " : " "}${paint.dim(code)}`,
    ...wrap(cleanText(reason), width - 5).map((line) => `     ${line}`),
  ]);
  return [paint.bold("To do"), ...steps, ""];
}

function showWarnings({ warnings }: DiscoveryResult, paint: Paint, width: number): string[] {
  if (warnings.length === 0) return [];
  const notes = warnings.flatMap(({ code, message }) => [
    `  ${paint.cyan("!")} ${paint.dim(code)}`,
    ...wrap(cleanText(message), width - 4).map((line) => `    ${line}`),
  ]);
  return [paint.bold("Worth knowing"), ...notes, ""];
}

function showNext(result: DiscoveryResult, paint: Paint, { program, width }: Style): string[] {
  const { action, command } = chooseNextAction(result, program);
  const lines = wrap(`Next: ${action}`, width).map(paint.bold);
  // A command stays on one line, so that it can be copied.
  return command === undefined ? lines : [...lines, `  ${cleanText(command)}`];
}

function showSteps(evidence: readonly Evidence[], paint: Paint, style: Style): string[] {
  const steps = evidence.flatMap((entry) => {
    const answer = String(entry.status ?? "–").padEnd(4);
    const step = (stepNames[entry.step] ?? entry.step).padEnd(17);
    const isOver = entry.status !== undefined || entry.failure !== undefined;
    const how = isOver ? `${entry.failure ? `${entry.failure}, ` : ""}${entry.ms} ms` : "not waited for";
    const head = `  ${answer} ${step} ${entry.method.padEnd(6)} ${cleanText(entry.url)} ${paint.dim(how)}`;
    if (!style.evidence) return [head];
    const decided = entry.decided.length > 0 ? ` → ${entry.decided.join(", ")}` : "";
    const detail = [
      ...wrap(cleanText(entry.learned), style.width - 7),
      ...wrap(`${entry.rule}${decided}`, style.width - 7).map(paint.dim),
    ];
    return [head, ...detail.map((line) => `       ${line}`)];
  });
  return [paint.bold("Asked"), ...steps, ""];
}
