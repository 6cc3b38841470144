import { findUrlProblem } from "@signalbox/discovery";
import { z } from "zod";
import { route } from "../../../platform/http/index.ts";
import { can } from "../../permissions/index.ts";

export const targetUrl = z
  .string()
  .max(2048)
  .superRefine((text, issue) => {
    const problem = findUrlProblem(text);
    if (problem) issue.addIssue({ code: "custom", message: problem });
  })
  .meta({
    format: "uri",
    description: "Where the MCP server answers. http or https, without credentials.",
  });

export const DiscoveryInput = z
  .object({ url: targetUrl })
  .meta({ id: "ExternalMcpRequirementsDiscoveryInput" });

const RegistrationMethod = z.enum(["client_metadata", "dynamic", "pre_registered"]);

const AuthorizationServer = z.strictObject({
  issuer: z.string(),
  authorizationEndpoint: z.string().optional(),
  tokenEndpoint: z.string().optional(),
  registrationEndpoint: z.string().optional(),
  clientIdMetadataDocumentSupported: z.boolean(),
  scopesSupported: z.array(z.string()).optional(),
  grantTypesSupported: z.array(z.string()).optional(),
  codeChallengeMethodsSupported: z.array(z.string()).optional(),
  tokenEndpointAuthMethodsSupported: z.array(z.string()).optional(),
});

const Tool = z.strictObject({
  name: z.string(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

export const EvidenceItem = z
  .strictObject({
    step: z.string().meta({ description: "What the request was for." }),
    method: z.string(),
    url: z.string().meta({
      description: "The requested address. Text that looks like a credential is replaced by [redacted].",
    }),
    status: z.int().optional(),
    failure: z.string().optional().meta({
      description: "Why there is no usable answer. `abandoned`: the verdict did not need the answer.",
    }),
    startedMs: z.number().meta({ description: "Milliseconds after the discovery began." }),
    ms: z.number().meta({ description: "How long the exchange took." }),
    learned: z.string(),
    rule: z.string().meta({ description: "The rule of the RFC or MCP revision that decided." }),
    decided: z
      .array(z.string())
      .meta({ description: "The fields of the result that this exchange decided." }),
  })
  .meta({ id: "ExternalMcpRequirementsDiscoveryEvidence" });

export const Discovery = z
  .strictObject({
    status: z.enum(["ready", "manual_action_required", "unsupported", "unreachable"]),
    server: z.strictObject({
      url: z.string(),
      protocolVersion: z.string().optional(),
      initialize: z.enum(["succeeded", "authentication_required", "failed"]),
    }),
    authentication: z.strictObject({
      kind: z.enum(["none", "oauth", "manual_bearer", "unknown"]),
      resource: z.string().optional(),
      protectedResourceMetadataUrl: z.string().optional(),
      authorizationServers: z.array(AuthorizationServer),
      requiredScopes: z.array(z.string()),
      recommendedScopes: z.array(z.string()),
      refreshSupport: z.enum(["supported", "not_advertised", "unknown"]),
      availableRegistrationMethods: z.array(RegistrationMethod),
      recommendedRegistrationMethod: RegistrationMethod,
    }),
    tools: z.strictObject({
      visibility: z.enum(["available_without_auth", "requires_auth", "unavailable"]),
      count: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
      items: z.array(Tool).optional(),
    }),
    manualRequirements: z.array(
      z.strictObject({ code: z.string(), label: z.string(), reason: z.string(), required: z.boolean() }),
    ),
    warnings: z.array(z.strictObject({ code: z.string(), message: z.string() })),
    evidence: z.array(EvidenceItem).optional().meta({ description: "Only with ?include=evidence." }),
  })
  .meta({ id: "ExternalMcpRequirementsDiscovery" });

export type Discovery = z.infer<typeof Discovery>;
export type EvidenceItem = z.infer<typeof EvidenceItem>;

const DiscoveryFailed = z
  .strictObject({ error: z.literal("requirements_discovery_failed"), message: z.string() })
  .meta({ id: "RequirementsDiscoveryFailed" });

export const discover = route({
  method: "post",
  path: "/v1/mcp-connections/discover",
  tag: "MCP Connections",
  summary: "Find out how an external MCP server must be connected",
  description:
    "Sends requests to the server without credentials, and reports authentication, authorization servers, scopes, " +
    "registration methods, tools and the steps for a person. Nothing is registered, stored or connected, no tool is " +
    "called, and sessions that had to be opened are closed. A server that cannot be reached or understood gives 200, " +
    "with a status and warnings that say so.",
  access: can("mcp:discover"),
  // Unknown parameters are passed over, as unknown fields of the body are.
  query: z.object({
    include: z
      .enum(["evidence"])
      .optional()
      .describe("`evidence` adds every request that was sent, its findings and the rule that decided."),
  }),
  body: DiscoveryInput,
  replies: { 200: Discovery },
  errors: {
    502: {
      description: "Discovery itself failed, before anything could be said about the server.",
      schema: DiscoveryFailed,
    },
  },
});
