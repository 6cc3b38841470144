import { readCookie } from "../../../platform/http/index.ts";
import { hashSecret, isToken, newToken } from "../../../platform/secrets.ts";

/** A prefix shows that the value is ours, so a value of somebody else is not kept. */
const prefix = "sbb_";

const nameFor = (publicUrl: string) =>
  publicUrl.startsWith("https:") ? "__Host-signalbox_sso" : "signalbox_sso";

/** The secret of this browser: who begins to sign in must be who finishes. */
export const readBrowserSecret = (publicUrl: string, cookies: string | undefined): string | undefined => {
  const value = readCookie(cookies, nameFor(publicUrl));
  return value !== undefined && isToken(prefix, value) ? value : undefined;
};

export const hashBrowser = (publicUrl: string, cookies: string | undefined): string | undefined => {
  const secret = readBrowserSecret(publicUrl, cookies);
  return secret && hashSecret(secret);
};

export const newBrowserSecret = () => newToken(prefix);

/** `Lax`: the browser comes back from the provider by a navigation, which carries it. */
export const createBrowserCookie = (publicUrl: string, secret: string) =>
  `${nameFor(publicUrl)}=${secret}; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`;
