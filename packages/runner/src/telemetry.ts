import type { Assignment } from "./replies.ts";

/** Variables by which an operator says where telemetry goes, for all signals or for one. */
const destination = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?(?:ENDPOINT|HEADERS)$/;
const protocol = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?PROTOCOL$/;

/**
 * Environment variables with which OpenTelemetry SDKs in the program report to the server, with the run credential.
 * What the operator has set stays as it is. When the operator sends telemetry elsewhere, only the run is named: the
 * credential must not reach another server.
 */
export function createTelemetryEnvironment(
  { acceptsTelemetry, credential, runId }: Pick<Assignment, "acceptsTelemetry" | "credential" | "runId">,
  url: string,
  operator: Readonly<NodeJS.ProcessEnv>,
): NodeJS.ProcessEnv {
  if (!acceptsTelemetry || credential === null) return {};
  const attributes = operator.OTEL_RESOURCE_ATTRIBUTES ?? "";
  const named = /(?:^|,)\s*signalbox\.run_id=/.test(attributes)
    ? {}
    : { OTEL_RESOURCE_ATTRIBUTES: [attributes, `signalbox.run_id=${runId}`].filter(Boolean).join(",") };
  if (isSentElsewhere(operator)) return named;
  const variables: NodeJS.ProcessEnv = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(`Bearer ${credential}`)}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    // Claude Code reports only when it is told to, and which signals.
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp",
  };
  // For SDKs, an empty variable is not set. With an empty endpoint they send to their default, another server.
  const unset = Object.entries(variables).filter(([name]) => !operator[name]);
  return { ...Object.fromEntries(unset), ...named };
}

/** The server speaks OTLP over HTTP only, so another protocol means another server. */
const isSentElsewhere = (operator: Readonly<NodeJS.ProcessEnv>): boolean =>
  Object.entries(operator).some(
    ([name, value = ""]) =>
      (destination.test(name) && value !== "") ||
      (protocol.test(name) && value !== "" && !value.startsWith("http/")),
  );
