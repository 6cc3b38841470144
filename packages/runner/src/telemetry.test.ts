import { describe, expect, test } from "vitest";
import { createTelemetryEnvironment } from "./telemetry.ts";

const assignment = { acceptsTelemetry: true, credential: "sbt_secret", runId: "run_1" };
const create = (operator: NodeJS.ProcessEnv, more: Partial<typeof assignment> = {}) =>
  createTelemetryEnvironment({ ...assignment, ...more }, "https://signalbox.example.com", operator);

describe("the variables of OpenTelemetry", () => {
  test("lead to the server, with the run credential and the id of the run", () => {
    expect(create({ PATH: "/bin" })).toEqual({
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://signalbox.example.com/otlp",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20sbt_secret",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_RESOURCE_ATTRIBUTES: "signalbox.run_id=run_1",
      CLAUDE_CODE_ENABLE_TELEMETRY: "1",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp",
    });
  });

  test("are absent when the organization accepts no telemetry, and without a credential", () => {
    expect(create({}, { acceptsTelemetry: false })).toEqual({});
    expect(createTelemetryEnvironment({ ...assignment, credential: null }, "https://s", {})).toEqual({});
  });

  test("keep what the operator has set", () => {
    const operator = {
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      CLAUDE_CODE_ENABLE_TELEMETRY: "0",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_RESOURCE_ATTRIBUTES: "team=red",
    };
    expect({ ...operator, ...create(operator) }).toMatchObject({
      ...operator,
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://signalbox.example.com/otlp",
      OTEL_RESOURCE_ATTRIBUTES: "team=red,signalbox.run_id=run_1",
    });
    expect(create({ OTEL_RESOURCE_ATTRIBUTES: "signalbox.run_id=mine" })).not.toHaveProperty(
      "OTEL_RESOURCE_ATTRIBUTES",
    );
  });

  test.each([
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4318/v1/traces" },
    { OTEL_EXPORTER_OTLP_LOGS_HEADERS: "a=b" },
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  ])("never give the credential to another server: %j", (operator) => {
    expect(create(operator)).toEqual({ OTEL_RESOURCE_ATTRIBUTES: "signalbox.run_id=run_1" });
  });

  test("treat an empty variable as one that is not set, as SDKs do", () => {
    // With an empty endpoint, an SDK would send the credential to its default, http://localhost:4318.
    const operator = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "",
      OTEL_EXPORTER_OTLP_PROTOCOL: "",
      OTEL_LOGS_EXPORTER: "",
    };
    expect({ ...operator, ...create(operator) }).toEqual(create({}));
  });
});
