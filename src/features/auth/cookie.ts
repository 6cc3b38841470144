import { sessionDays } from "./library.ts";

export const cookieName = (publicUrl: string) =>
  publicUrl.startsWith("https:") ? "__Host-signalbox_session" : "signalbox_session";

const attributes = (publicUrl: string) =>
  `Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`;

export const sessionCookie = (publicUrl: string, token: string) =>
  `${cookieName(publicUrl)}=${token}; Max-Age=${sessionDays * 24 * 3600}; ${attributes(publicUrl)}`;

export const noSessionCookie = (publicUrl: string) =>
  `${cookieName(publicUrl)}=; Max-Age=0; ${attributes(publicUrl)}`;
