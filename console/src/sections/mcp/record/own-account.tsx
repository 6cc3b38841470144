import { KeyRound, LogIn, ShieldAlert, Unplug } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../../lib/context.tsx";
import { usePath } from "../../../lib/paths.ts";
import { useAction } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button, LinkButton } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { FormProblem } from "../../../ui/form.tsx";
import { State, Tag } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { type ConnectionDetail, changed, findHost, isOauth } from "../types.ts";
import { CredentialForm } from "./credential-form.tsx";
import { useConnect } from "./use-connect.ts";

const { mine: words } = texts;

/** The person's own account at the server, or the shared one. */
export function OwnAccount({ connection }: { connection: ConnectionDetail }) {
  const { mine, credential, registration, id } = connection;
  const mayManage = usePermission("mcp_connections:manage");
  const path = usePath();
  const isShared = credential === "shared";
  const mayChange = isShared ? mayManage : mine.mayUse || mine.state === "connected";
  return (
    <Card
      title={isShared && registration !== "none" ? words.sharedTitle : words.title}
      actions={<State kind="mcp" value={mine.state} />}
      padded
    >
      <div className="stack-s">
        {!mine.mayUse && (
          <p className="row wrap">
            <span className="grow">{words.notGranted}</span>
            <LinkButton size="s" to={path(`/connections/mcp/${id}/access`)}>
              {words.grant}
            </LinkButton>
          </p>
        )}
        <About connection={connection} mayChange={mayChange} />
        {mayChange && isOauth(registration) && <SignIn connection={connection} />}
        {mayChange && registration === "bearer" && <FixedCredential connection={connection} />}
      </div>
    </Card>
  );
}

function About({ connection, mayChange }: { connection: ConnectionDetail; mayChange: boolean }) {
  const { mine, authorizationServer, credential, url } = connection;
  switch (mine.state) {
    case "not_needed":
      return <p>{words.notNeeded}</p>;
    case "connected":
      return (
        <p>
          {mine.account === null ? words.isConnected : words.as(mine.account)}
          {mine.since !== null && (
            <span className="t3">
              {" "}
              · <Time at={mine.since} />
            </span>
          )}
        </p>
      );
    case "sign_in":
      return <p>{words.signIn}</p>;
    case "needs_consent":
      return (
        <p className="row wrap">
          {words.missing}
          {mine.missingScopes.map((scope) => (
            <Tag key={scope} mono tone="care">
              {scope}
            </Tag>
          ))}
        </p>
      );
    default:
      if (credential === "shared" && !mayChange) return <p>{words.waits}</p>;
      return isOauth(connection.registration) && mayChange ? (
        <p>{words.leads(findHost(authorizationServer ?? url))}</p>
      ) : null;
  }
}

function SignIn({ connection }: { connection: ConnectionDetail }) {
  const { id, mine, credential } = connection;
  const { connect, problem, busy } = useConnect(id);
  const isShared = credential === "shared";
  const isConnected = mine.state === "connected";
  const label =
    mine.state === "needs_consent"
      ? words.consent
      : mine.state === "sign_in" || isConnected
        ? words.reconnect
        : isShared
          ? words.connectShared
          : words.connect;
  return (
    <>
      <FormProblem problem={problem} />
      <div className="row wrap">
        <Button
          // Held tools have the one primary button.
          look={isConnected || connection.heldTools > 0 ? "secondary" : "primary"}
          icon={mine.state === "needs_consent" ? ShieldAlert : LogIn}
          busy={busy}
          onClick={() => void connect(mine.missingScopes)}
        >
          {label}
        </Button>
        {mine.state !== "not_connected" && <Disconnect connection={connection} />}
      </div>
    </>
  );
}

function FixedCredential({ connection }: { connection: ConnectionDetail }) {
  const isSet = connection.mine.state !== "not_connected";
  const [isOpen, setIsOpen] = useState(!isSet);
  return isOpen ? (
    <CredentialForm
      connectionId={connection.id}
      onDone={() => setIsOpen(false)}
      onCancel={isSet ? () => setIsOpen(false) : undefined}
    />
  ) : (
    <div className="row wrap">
      <Button icon={KeyRound} onClick={() => setIsOpen(true)}>
        {isSet ? words.changeToken : words.setToken}
      </Button>
      {isSet && <Disconnect connection={connection} />}
    </div>
  );
}

function Disconnect({ connection: { id, name, credential } }: { connection: ConnectionDetail }) {
  const [asks, setAsks] = useState(false);
  const toast = useToast();
  const isShared = credential === "shared";
  const disconnect = useAction("POST /v1/mcp-connections/{id}/disconnect", {
    changes: changed,
    onDone: () => toast(words.disconnected),
  });
  return (
    <>
      <Button look="destructive" icon={Unplug} onClick={() => setAsks(true)}>
        {words.disconnect}
      </Button>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={isShared ? words.disconnectSharedTitle(name) : words.disconnectTitle(name)}
        text={isShared ? words.disconnectSharedText : words.disconnectText}
        action={words.disconnect}
        onConfirm={() => disconnect.run({ path: { id } })}
      />
    </>
  );
}
