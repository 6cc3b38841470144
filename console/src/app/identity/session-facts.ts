import { useEffect, useState } from "react";
import { useServices } from "../../lib/context.tsx";
import { isSignedOut } from "../../lib/session.ts";
import { findSsoStart } from "../../lib/sign-in.ts";

/** How the person of this session can prove who they are. */
export interface SessionFacts {
  email: string;
  signedInBy: "password" | "passkey" | "sso";
  hasSecondFactor: boolean;
  ssoStart: string | undefined;
}

/** Undefined while they are read. `signed_out` when the session has ended in the meantime. */
export function useSessionFacts(enabled: boolean): SessionFacts | "signed_out" | undefined {
  const { api } = useServices();
  const [facts, setFacts] = useState<SessionFacts | "signed_out">();
  useEffect(() => {
    if (!enabled) return;
    const read = async (): Promise<SessionFacts> => {
      const [me, sessions] = await Promise.all([
        api.request("GET /v1/me", {}, { asks: false }),
        api.request("GET /v1/me/sessions", { query: { limit: 100 } }, { asks: false }),
      ]);
      const { email } = me.user;
      return {
        email,
        signedInBy: sessions.items.find(({ current }) => current)?.signedInBy ?? "password",
        hasSecondFactor: me.twoFactorEnabled,
        ssoStart: await findSsoStart(api, email).catch(() => undefined),
      };
    };
    const unknown: SessionFacts = {
      email: "",
      signedInBy: "password",
      hasSecondFactor: false,
      ssoStart: undefined,
    };
    read().then(setFacts, (error) => setFacts(isSignedOut(error) ? "signed_out" : unknown));
  }, [api, enabled]);
  return facts;
}
