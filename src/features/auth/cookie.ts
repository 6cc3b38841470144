import type { Refusal } from "../../platform/errors.ts";
import { type HttpHeaders, readCookie } from "../../platform/http/index.ts";

/** The maximum that browsers allow. The server decides when a session ends, not the cookie. */
const maxAgeSeconds = 400 * 24 * 3600;

export const cookieName = (publicUrl: string) =>
  publicUrl.startsWith("https:") ? "__Host-signalbox_session" : "signalbox_session";

const createAttributes = (publicUrl: string) =>
  `Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`;

export const createSessionCookie = (publicUrl: string, token: string) =>
  `${cookieName(publicUrl)}=${token}; Max-Age=${maxAgeSeconds}; ${createAttributes(publicUrl)}`;

export const createExpiredSessionCookie = (publicUrl: string) =>
  `${cookieName(publicUrl)}=; Max-Age=0; ${createAttributes(publicUrl)}`;

/**
 * Clears the cookie of a session that has already ended, because scripts cannot remove it. Other sites cannot trigger
 * this: browsers do not send the cookie with cross-site POST requests.
 */
export const clearCookieOfEndedSession = (
  publicUrl: string,
  { status }: Refusal,
  headers: HttpHeaders,
): Record<string, string> => {
  const isByCookie = headers.authorization === undefined && headers["x-api-key"] === undefined;
  return status === 401 && isByCookie && readCookie(headers.cookie, cookieName(publicUrl)) !== undefined
    ? { "set-cookie": createExpiredSessionCookie(publicUrl) }
    : {};
};
