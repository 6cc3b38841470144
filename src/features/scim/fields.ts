import type { FieldGuide } from "../../platform/http/index.ts";

const connector = {
  id: "scm_01jz8q2d9xf4vvh0tbq8k3m5na",
  name: "Okta",
  enabled: true,
  defaultRole: "member",
  groupMappings: [{ group: "Signalbox admins", role: "admin" }],
  tokens: [
    {
      id: "sct_01jz8q2d9xf4vvh0tbq8k3m5na",
      start: "sbs_4fQ2xz",
      expiresAt: null,
      lastUsedAt: 1_793_611_800_000,
      createdAt: 1_793_611_800_000,
    },
  ],
  health: {
    status: "working",
    lastCallAt: 1_793_611_800_000,
    lastErrorAt: null,
    lastError: null,
    calls: 1_204,
    errors: 0,
    users: 42,
    activeUsers: 40,
    linkedUsers: 42,
    groups: 6,
  },
  createdAt: 1_793_611_800_000,
  updatedAt: 1_793_611_800_000,
};
const baseUrl = "https://signalbox.example.com/scim/v2";

export const scimFields: FieldGuide = {
  ScimConnector: ["A directory.", connector],
  "getV1Scim.connector": ["The connector. Null when there is none.", connector],
  "getV1Scim.baseUrl": ["The address to enter in the directory.", baseUrl],
  "postV1ScimToken.baseUrl": ["The address to enter in the directory.", baseUrl],
  "patchV1Scim.baseUrl": ["The address to enter in the directory.", baseUrl],
  "postV1ScimToken.token": ["The token, shown once.", "sbs_4fQ2xzV7nB1kTjRw0pYcLmE9aHsGdUoI3e5t"],
  "postV1ScimToken request": ["A whole example.", { name: "Okta" }],
  "patchV1Scim request": [
    "A whole example.",
    { groupMappings: [{ group: "Signalbox admins", role: "admin" }] },
  ],
  ScimGroupMapping: ["What a group becomes.", { group: "Signalbox admins", role: "admin" }],
  ScimCall: [
    "A call of the directory.",
    {
      id: "scl_01jz8q2d9xf4vvh0tbq8k3m5na",
      method: "GET",
      path: '/scim/v2/Users?filter=userName eq "ada@example.com"',
      status: 200,
      error: null,
      durationMs: 4,
      requestId: "req_01jz8q2d9xf4vvh0tbq8k3m5na",
      calledAt: 1_793_611_800_000,
    },
  ],
};
