import { scopes } from "../contract.ts";

/** Where the authorization server answers. */
export const paths = {
  authorize: "/oauth/authorize",
  consent: "/oauth/consent",
  token: "/oauth/token",
  revoke: "/oauth/revoke",
  register: "/oauth/register",
} as const;

const day = 86_400;

/** How long codes and tokens are valid, in seconds. The names are those of the library. */
export const lifetimes = {
  Interaction: 1_800,
  AuthorizationCode: 60,
  AccessToken: 3_600,
  RefreshToken: 30 * day,
  Grant: 365 * day,
  Session: 1_800,
} as const;

/** Cookies of the browser in which a client was started. Our own session says who is signed in. */
export const cookies = {
  interaction: "signalbox_mcp_consent",
  resume: "signalbox_mcp_resume",
  /** The library creates it. It is never sent to a browser. */
  session: "signalbox_mcp_session",
} as const;

export type Scope = (typeof scopes)[number];

/** The scopes of a text that are known. */
export const filterScopes = (text: string): Scope[] => {
  const asked = text.split(" ");
  return scopes.filter((scope) => asked.includes(scope));
};

export interface Resource {
  url: string;
  scopes: readonly string[];
}

/** The only resource that tokens are issued for. */
export const findResource = (publicUrl: string): Resource => ({ url: `${publicUrl}/mcp`, scopes });
