import type { Ctx } from "../../../platform/context.ts";
import { readCookie } from "../../../platform/http/index.ts";
import { hashSecret, isToken, newToken } from "../../../platform/secrets.ts";

/** A prefix shows that the value is ours, so a value of somebody else is not kept. */
const prefix = "sbb_";

const nameFor = (publicUrl: string) =>
  publicUrl.startsWith("https:") ? "__Host-signalbox_sso" : "signalbox_sso";

/** The secret of this browser: the browser that starts a sign-in must be the one that finishes it. */
export const readBrowserSecret = (publicUrl: string, cookies: string | undefined): string | undefined => {
  const value = readCookie(cookies, nameFor(publicUrl));
  return value !== undefined && isToken(prefix, value) ? value : undefined;
};

export function isOfBrowser(
  { config }: Pick<Ctx, "config">,
  { browserHash }: { browserHash: string | null },
  cookies: string | undefined,
): boolean {
  const secret = readBrowserSecret(config.publicUrl, cookies);
  return secret !== undefined && browserHash === hashSecret(secret);
}

export const newBrowserSecret = () => newToken(prefix);

/** `Lax`: the browser returns from the provider by a navigation, which carries the cookie. */
export const createBrowserCookie = (publicUrl: string, secret: string) =>
  `${nameFor(publicUrl)}=${secret}; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`;
