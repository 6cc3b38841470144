/** As long as browsers allow: when a session ends is decided here, by its use, not by the cookie. */
const maxAgeSeconds = 400 * 24 * 3600;

export const cookieName = (publicUrl: string) =>
  publicUrl.startsWith("https:") ? "__Host-signalbox_session" : "signalbox_session";

const attributes = (publicUrl: string) =>
  `Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`;

export const sessionCookie = (publicUrl: string, token: string) =>
  `${cookieName(publicUrl)}=${token}; Max-Age=${maxAgeSeconds}; ${attributes(publicUrl)}`;

export const noSessionCookie = (publicUrl: string) =>
  `${cookieName(publicUrl)}=; Max-Age=0; ${attributes(publicUrl)}`;
