import { useParams } from "@tanstack/react-router";
import { PartNotFound } from "../../app/fallbacks.tsx";
import { useMe } from "../../lib/session.ts";
import { account as texts } from "../../texts/account.ts";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Preferences } from "./preferences.tsx";
import { Profile } from "./profile.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";
import "./account.css";

const parts = {
  profile: Profile,
  sessions: Sessions,
  passkeys: Passkeys,
  "second-factor": SecondFactor,
  preferences: Preferences,
};

export default function AccountPage() {
  const { tab = "profile" } = useParams({ strict: false }) as { tab?: string };
  const me = useMe();
  if (!me.data) return null;
  const Part = Object.hasOwn(parts, tab) ? parts[tab as keyof typeof parts] : undefined;
  return (
    <Page name={texts.name} title={me.data.user.name} lead={texts.lead(me.data.user.email)}>
      <Tabs
        label={texts.tabs.label}
        items={[
          { to: "/me", label: texts.tabs.profile },
          { to: "/me/sessions", label: texts.tabs.sessions },
          { to: "/me/passkeys", label: texts.tabs.passkeys },
          { to: "/me/second-factor", label: texts.tabs.secondFactor },
          { to: "/me/preferences", label: texts.tabs.preferences },
        ]}
      />
      {Part ? <Part me={me.data} /> : <PartNotFound />}
    </Page>
  );
}
