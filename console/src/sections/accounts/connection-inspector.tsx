import { Link } from "@tanstack/react-router";
import { RotateCw, Unplug } from "lucide-react";
import { useState } from "react";
import { useOrganization, usePermission } from "../../lib/context.tsx";
import { useMemberNames } from "../../lib/member-names.ts";
import { usePath } from "../../lib/paths.ts";
import { useProviderNames } from "../../lib/provider-names.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { FormProblem } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { State, Tag } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { AccessSection } from "./access-section.tsx";
import { EventsSection } from "./events-section.tsx";
import { type Connection, changed, nameAccount, useWhose } from "./types.ts";
import { useConnect } from "./use-connect.ts";
import { UsesSection } from "./uses-section.tsx";

const { connection: words } = texts;

/** One account: how it is, what it may do, who uses it, and how it goes on. */
export function ConnectionInspector({ id, onClose }: { id: string; onClose(): void }) {
  const query = useRead("GET /v1/oauth-connections/{id}", { path: { id } }, { everyMs: 10_000 });
  const connection = query.data?.connection.id === id ? query.data.connection : undefined;
  const mayManage = usePermission("connections:manage");
  return (
    <Inspector
      title={connection ? nameAccount(connection) : texts.one}
      lead={connection && <State kind="account" value={connection.health.status} boxed />}
      onClose={onClose}
      beside={connection && connection.endedAt === null && <Actions connection={connection} />}
    >
      <Loaded query={{ ...query, data: connection }} what={texts.one}>
        {(shown) => (
          <>
            <p className={`note${shown.health.status === "connected" ? "" : " care"}`}>
              {shown.health.message}
            </p>
            <Facts connection={shown} />
            <Scopes connection={shown} />
            <UsesSection connectionId={id} />
            {shown.shared && shown.endedAt === null && mayManage && <AccessSection connectionId={id} />}
            <EventsSection connectionId={id} />
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

function Actions({ connection }: { connection: Connection }) {
  const { memberId } = useOrganization();
  const mayUse = usePermission("connections:use");
  const mayManage = usePermission("connections:manage");
  const [isEnding, setIsEnding] = useState(false);
  const toast = useToast();
  const { connect, problem, busy } = useConnect(connection.providerId);
  const uses = useRead(
    "GET /v1/oauth-connections/{id}/uses",
    { path: { id: connection.id } },
    { enabled: isEnding },
  );
  const end = useAction("DELETE /v1/oauth-connections/{id}", { changes: changed });
  const isOwn = connection.memberId === memberId;
  const mayReconnect = mayUse && (isOwn || (connection.shared && mayManage));
  const reconnect = () =>
    void connect({
      account: connection.account,
      ...(connection.scopes.requested.length > 0 ? { scopes: connection.scopes.requested.join(" ") } : {}),
      ...(connection.shared ? { shared: "true" } : {}),
    });
  return (
    <>
      {mayReconnect && (
        <Button
          size="s"
          look={connection.health.status === "connected" ? "secondary" : "primary"}
          icon={RotateCw}
          busy={busy}
          onClick={reconnect}
        >
          {words.reconnect}
        </Button>
      )}
      {mayUse && (isOwn || mayManage) && (
        <Button size="s" look="destructive" icon={Unplug} onClick={() => setIsEnding(true)}>
          {words.end}
        </Button>
      )}
      <FormProblem problem={problem} />
      <ConfirmDialog
        open={isEnding}
        onClose={() => setIsEnding(false)}
        title={words.endTitle(nameAccount(connection))}
        text={uses.data ? words.endText(uses.data.uses.automationCount) : ""}
        action={words.end}
        onConfirm={async () => {
          await end.run({ path: { id: connection.id } });
          toast(words.ended);
        }}
      />
    </>
  );
}

function Facts({ connection }: { connection: Connection }) {
  const path = usePath();
  const whose = useWhose();
  const nameMember = useMemberNames();
  const nameProvider = useProviderNames();
  const { outsideAccount, tokenExpiresAt, revocation } = connection;
  return (
    <Pairs
      items={[
        [
          words.provider,
          <Link key="provider" className="link" to={path(`/connections/accounts/${connection.providerId}`)}>
            {nameProvider(connection.providerId)}
          </Link>,
        ],
        [words.outside, outsideAccount ? (outsideAccount.name ?? outsideAccount.subject) : words.notNamed],
        connection.account !== "default" && [words.label, connection.account],
        [words.whose, whose(connection)],
        connection.endedAt === null && [words.renewal, describeRenewal(connection)],
        connection.endedAt === null && [
          words.expires,
          tokenExpiresAt === null ? words.never : <Time key="expires" at={tokenExpiresAt} />,
        ],
        [words.used, <Time key="used" at={connection.lastUsedAt} />],
        [
          words.connected,
          <span key="connected">
            <Time at={connection.connectedAt} /> {words.by} {nameMember(connection.connectedBy)}
          </span>,
        ],
        connection.endedAt !== null && [words.endedAt, <Time key="ended" at={connection.endedAt} />],
        revocation !== null && [words.revocation, revocation.message],
      ]}
    />
  );
}

function describeRenewal({ refreshes, tokenExpiresAt }: Connection): string {
  if (refreshes) return words.renews;
  return tokenExpiresAt === null ? words.unneeded : words.noRenewal;
}

function Scopes({ connection: { scopes } }: { connection: Connection }) {
  return (
    <section className="field">
      <h3 className="strong">{words.scopes}</h3>
      {scopes.granted.length === 0 && scopes.missing.length === 0 && <p className="t3">{words.noScopes}</p>}
      <p className="row wrap">
        {scopes.granted.map((scope) => (
          <Tag key={scope} mono outlined>
            {scope}
          </Tag>
        ))}
      </p>
      {scopes.missing.length > 0 && (
        <p className="row wrap">
          <span className="care">{words.missing}</span>
          {scopes.missing.map((scope) => (
            <Tag key={scope} mono tone="care">
              {scope}
            </Tag>
          ))}
        </p>
      )}
    </section>
  );
}
