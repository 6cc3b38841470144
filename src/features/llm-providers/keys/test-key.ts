import { type Egress, EgressError, type EgressReply } from "@signalbox/discovery/egress";
import type { ProviderKind } from "../catalogue/index.ts";
import { isAllowedModel } from "../models.ts";
import { explainFailure, type Finding, hasNothingLeft, parseModels } from "./reply.ts";
import { createHeaders, createModelUrl, createTestUrl } from "./request.ts";

const timeoutMs = 10_000;
const maxBytes = 4 * 1024 * 1024;

export interface KeyTest {
  kind: ProviderKind;
  baseUrl: string;
  apiKey: string | null;
  /** The model that must be available, if any. */
  model: string | undefined;
  /** The provider's list of allowed models. */
  allowed: readonly string[] | null;
}

export interface TestResult extends Finding {
  /** The models that the key can use, if the provider lists them. */
  models?: string[];
}

/** Tests a key with requests that cost nothing. Never throws because of the provider. */
export async function testKey(egress: Egress, test: KeyTest): Promise<TestResult> {
  const { kind, baseUrl, model } = test;
  const listed = await ask(egress, createTestUrl(kind, baseUrl), test);
  if ("verdict" in listed) return listed;
  const { body, host } = listed;
  if (hasNothingLeft(body))
    return {
      verdict: "quota_exhausted",
      message: `The limit of this key at ${host} is used up. Raise it there.`,
    };
  const models = parseModels(body);
  const accepts = describeAcceptance(host, test);
  if (!models) return { verdict: "valid", message: `${accepts}. It does not list its models.` };
  if (model !== undefined && !models.includes(model)) return checkModel(egress, test, model, models);
  const missing = (test.allowed ?? []).filter(
    (pattern) => !models.some((name) => isAllowedModel([pattern], name)),
  );
  if (model === undefined && missing.length > 0) {
    return {
      verdict: "model_not_allowed",
      message: `${accepts}, but does not offer: ${missing.slice(0, 10).join(", ")}. Check the names of the models, or the permissions of the key.`,
      models,
    };
  }
  const count = `${models.length} model${models.length === 1 ? "" : "s"}`;
  return { verdict: "valid", message: `${accepts} and offers ${count}.`, models };
}

/** Servers of an organization may take requests without a key. */
const describeAcceptance = (host: string, { apiKey }: Pick<KeyTest, "apiKey">) =>
  `${host} ${apiKey === null ? "answers without a key" : "accepts the key"}`;

/** A name that is not listed can be another name for a model, so the provider is asked for it. */
async function checkModel(
  egress: Egress,
  test: KeyTest,
  model: string,
  models: string[],
): Promise<TestResult> {
  const url = createModelUrl(test.kind, test.baseUrl, model);
  const reply = await ask(egress, url, test);
  const accepts = describeAcceptance(url.host, test);
  if (!("verdict" in reply)) return { verdict: "valid", message: `${accepts} and offers ${model}.`, models };
  if (reply.verdict === "unavailable" || reply.verdict === "quota_exhausted") return { ...reply, models };
  return {
    verdict: "model_not_allowed",
    message: `${accepts}, but does not offer the model ${model}. Check its name, or the permissions of the key.`,
    models,
  };
}

/** One request with the key. Returns the JSON of a success, or what the failure means. */
async function ask(
  egress: Egress,
  url: URL,
  { kind, apiKey }: Pick<KeyTest, "kind" | "apiKey">,
): Promise<Finding | { body: unknown; host: string }> {
  const { host } = url;
  let reply: EgressReply;
  try {
    reply = await egress.request(url, {
      headers: { ...createHeaders(kind, apiKey), accept: "application/json" },
      timeoutMs,
      maxBytes,
      // The key is never sent to an address that the server chooses.
      redirects: 0,
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return explainEgress(error);
  }
  const body = parseJson(reply);
  if (reply.status >= 200 && reply.status < 300) {
    if (body !== undefined) return { body, host };
    return {
      verdict: "wrong_address",
      message: `${host} answered, but not with JSON. Is the base URL that of a web page?`,
    };
  }
  const failure = explainFailure(host, reply.status, body);
  return failure.verdict === "refused" && apiKey === null
    ? { verdict: "refused", message: `${host} asks for a key (${reply.status}). Add one.` }
    : failure;
}

function explainEgress({ kind, message }: EgressError): Finding {
  switch (kind) {
    case "refused_by_policy":
      return {
        verdict: "blocked_by_egress",
        message: `${message} The egress guard of this instance does not allow the address. An operator can allow it with EGRESS_ALLOW.`,
      };
    case "invalid_url":
    case "dns_failed":
    case "connection_refused":
    case "tls_failed":
    case "protocol_error":
    case "redirect_refused":
    case "too_many_redirects":
      return { verdict: "wrong_address", message };
    default:
      return { verdict: "unavailable", message };
  }
}

function parseJson(reply: EgressReply): unknown {
  try {
    const value: unknown = JSON.parse(reply.text());
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
