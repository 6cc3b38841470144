import type { FieldGuide } from "../../../platform/http/index.ts";

/** Examples of whole bodies, for schemas whose field examples would contradict each other. */
export const bodies: FieldGuide = {
  AutomationSchedule: [
    "The schedule of an automation.",
    { kind: "weekly", daysOfWeek: [5], hour: 9, minute: 30, timezone: "Europe/Berlin" },
  ],
  AutomationScheduleInput: [
    "The schedule of an automation.",
    { kind: "weekly", daysOfWeek: [5], hour: 9, minute: 30, timezone: "Europe/Berlin" },
  ],
  AutomationRunCompletion: [
    "A whole example.",
    {
      attempt: 1,
      status: "succeeded",
      sessionId: "session-7f31",
      resultSummary: "Wrote the release notes for version 1.4.0.",
      usage: { inputTokens: 18240, outputTokens: 2310, costMicros: 93400 },
    },
  ],
  AutomationRunEventReport: [
    "A whole example.",
    {
      attempt: 1,
      sequence: 0,
      type: "assistant",
      payload: { text: "Read 14 pull requests." },
      createdAt: 1793611800000,
    },
  ],
  "postV1AutomationRunsByIdEventsBatch request": [
    "A whole example.",
    {
      events: [
        {
          attempt: 1,
          sequence: 0,
          type: "assistant",
          payload: { text: "Read 14 pull requests." },
          createdAt: 1793611800000,
        },
        {
          attempt: 1,
          sequence: 1,
          type: "usage",
          payload: { inputTokens: 18240, outputTokens: 2310, costMicros: 93400 },
          createdAt: 1793611800000,
        },
      ],
    },
  ],
  "postApiAuthReauthenticate request": ["A whole example.", { password: "correct horse battery" }],
  "deleteV1Organization request": ["A whole example.", { confirm: "acme" }],
  "postV1Connectors request": [
    "A whole example.",
    {
      name: "Playbook",
      codehost: "github",
      repository: "acme/playbook",
      ref: "refs/heads/main",
      folder: "templates",
      access: { kind: "none" },
    },
  ],
  "patchV1ConnectorsById request": ["A whole example.", { ref: "refs/heads/release", folder: "templates" }],
  "postV1OauthProviders request": [
    "A whole example.",
    {
      id: "acme-login",
      name: "Acme login",
      issuer: "https://login.example.com",
      scopes: ["openid", "offline_access"],
    },
  ],
  "putV1OauthProvidersByProviderIdClient request": [
    "A whole example.",
    { clientId: "Iv1.8a61f9b3a7aba766", clientSecret: "d2f1c0b9a8e7f6d5c4b3a2918f7e6d5c", scopes: ["repo"] },
  ],
  "postV1OauthProvidersByProviderIdToken request": ["A whole example.", { minTtlSeconds: 300 }],
  "postV1OauthProvidersByProviderIdDisconnect request": [
    "A whole example.",
    { connectionId: "ocn_01jz8q2d9xf4vvh0tbq8k3m5na" },
  ],
  "patchV1AutomationSettings request": [
    "A whole example.",
    { runRetentionDays: 90, monthlyBudgetMicros: 50000000, budgetWarningPercent: 80 },
  ],
  "postV1AutomationRunsByIdUsageCorrections request": [
    "A whole example.",
    {
      attempt: 1,
      sequence: 4,
      inputTokens: 18240,
      outputTokens: 2310,
      costMicros: 93400,
      reason: "The runner reported tokens in thousands.",
    },
  ],
  "postV1AutomationRunnersToken request": [
    "A whole example.",
    { runnerId: "build-machine-2", platform: "linux-x64", version: "1.4.0", concurrency: 2 },
  ],
  "patchV1TemplatesById request": [
    "A whole example.",
    { body: "# Release notes\n\nWrite in plain English.", version: 3 },
  ],
  "patchV1AutomationsById request": [
    "A whole example.",
    {
      instructions: "Read the merged pull requests of the last week and write the release notes.",
      expectedRevision: 3,
    },
  ],
  ExternalMcpRequirementsDiscovery: [
    "A whole example.",
    {
      status: "ready",
      server: {
        url: "https://mcp.example.com/mcp",
        protocolVersion: "2025-11-25",
        initialize: "authentication_required",
      },
      authentication: {
        kind: "oauth",
        resource: "https://mcp.example.com/mcp",
        protectedResourceMetadataUrl: "https://mcp.example.com/.well-known/oauth-protected-resource/mcp",
        authorizationServers: [
          {
            issuer: "https://login.example.com",
            authorizationEndpoint: "https://login.example.com/authorize",
            tokenEndpoint: "https://login.example.com/token",
            registrationEndpoint: "https://login.example.com/register",
            clientIdMetadataDocumentSupported: false,
            scopesSupported: ["read", "write", "offline_access"],
            grantTypesSupported: ["authorization_code", "refresh_token"],
            codeChallengeMethodsSupported: ["S256"],
          },
        ],
        requiredScopes: ["read"],
        recommendedScopes: ["read", "offline_access"],
        refreshSupport: "supported",
        availableRegistrationMethods: ["dynamic", "pre_registered"],
        recommendedRegistrationMethod: "dynamic",
      },
      tools: { visibility: "requires_auth" },
      manualRequirements: [],
      warnings: [],
    },
  ],
  "postV1WebhooksConnectorsCodehost request": [
    "A whole example.",
    {
      ref: "refs/heads/main",
      after: "9fceb02d0ae598e95dc970b74767f19372d61af8",
      repository: { full_name: "acme/playbook" },
    },
  ],
  "postV1WebhooksConnectorsGithub request": [
    "A whole example.",
    {
      ref: "refs/heads/main",
      after: "9fceb02d0ae598e95dc970b74767f19372d61af8",
      repository: { full_name: "acme/playbook" },
    },
  ],
  "postV1WebhooksConnectorsGitea request": [
    "A whole example.",
    {
      ref: "refs/heads/main",
      after: "9fceb02d0ae598e95dc970b74767f19372d61af8",
      repository: { full_name: "acme/playbook" },
    },
  ],
  "postV1WebhooksConnectorsForgejo request": [
    "A whole example.",
    {
      ref: "refs/heads/main",
      after: "9fceb02d0ae598e95dc970b74767f19372d61af8",
      repository: { full_name: "acme/playbook" },
    },
  ],
  "postV1WebhooksConnectorsGitlab request": [
    "A whole example.",
    {
      object_kind: "push",
      ref: "refs/heads/main",
      after: "9fceb02d0ae598e95dc970b74767f19372d61af8",
      project: { path_with_namespace: "acme/playbook" },
    },
  ],
  "postV1WebhooksConnectorsBitbucket request": [
    "A whole example.",
    {
      repository: { full_name: "acme/playbook" },
      push: {
        changes: [
          {
            "new": {
              type: "branch",
              name: "main",
              target: { hash: "9fceb02d0ae598e95dc970b74767f19372d61af8" },
            },
          },
        ],
      },
    },
  ],
};
