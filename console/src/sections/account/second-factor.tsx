import type { Me } from "@signalbox/client";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { useRefreshMe } from "../../lib/session.ts";
import { account } from "../../texts/account.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Pairs } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { FormProblem, TextField, useProblem } from "../../ui/form.tsx";
import { Tag } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { AuthenticatorSetup } from "./authenticator-setup.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { EmailFirst } from "./passkeys.tsx";

const texts = account.secondFactor;
const read = "GET /v1/me/two-factor";
type Setup = Reply<"POST /v1/me/two-factor">;

export function SecondFactor({ me }: { me: Me }) {
  const state = useRead(read, {});
  const refreshMe = useRefreshMe();
  const [setup, setSetup] = useState<Setup>();
  const [codes, setCodes] = useState<readonly string[]>();
  const begin = useAction("POST /v1/me/two-factor");
  const { problem, busy, attempt } = useProblem();
  return (
    <div className="parts">
      <p>{texts.lead}</p>
      <Loaded query={state} what={texts.what}>
        {({ twoFactor }) => (
          <Card
            title={texts.title}
            beside={
              <Tag tone={twoFactor.enabled ? "ok" : "none"}>{twoFactor.enabled ? texts.on : texts.off}</Tag>
            }
            padded
          >
            <Pairs
              items={[
                [texts.authenticator, twoFactor.authenticator ? texts.on : texts.off],
                [texts.passkeys, twoFactor.passkeys],
                twoFactor.enabled && [texts.since, <Time key="since" at={twoFactor.enabledAt} form="date" />],
                twoFactor.enabled && [texts.codesLeft, twoFactor.backupCodesLeft],
              ]}
            />
            <FormProblem problem={problem} />
            {!me.user.emailVerified ? (
              <EmailFirst />
            ) : twoFactor.authenticator ? null : setup ? (
              <AuthenticatorSetup
                setup={setup}
                onDone={(made) => {
                  setSetup(undefined);
                  setCodes(made);
                  void refreshMe();
                }}
              />
            ) : (
              <div>
                <Button
                  look={twoFactor.enabled ? "secondary" : "primary"}
                  icon={ShieldCheck}
                  busy={busy}
                  onClick={() => attempt(async () => setSetup(await begin.run({})))}
                >
                  {texts.setUp}
                </Button>
              </div>
            )}
            {twoFactor.enabled && <Manage hasApp={twoFactor.authenticator} onCodes={setCodes} />}
          </Card>
        )}
      </Loaded>
      <BackupCodes codes={codes} onClose={() => setCodes(undefined)} />
    </div>
  );
}

interface ManageProps {
  hasApp: boolean;
  onCodes(codes: readonly string[]): void;
}

/** New backup codes, and removing the app. Both need a code while the app is on. */
function Manage({ hasApp, onCodes }: ManageProps) {
  const toast = useToast();
  const refreshMe = useRefreshMe();
  const [open, setOpen] = useState<"codes" | "remove">();
  const [code, setCode] = useState("");
  const makeCodes = useAction("POST /v1/me/two-factor/backup-codes", { changes: [read] });
  const remove = useAction("DELETE /v1/me/two-factor", { changes: [read], onDone: () => void refreshMe() });
  const close = () => {
    setOpen(undefined);
    setCode("");
  };
  const codeField = hasApp && (
    <TextField
      label={texts.code}
      value={code}
      onChange={setCode}
      autoComplete="one-time-code"
      path="code"
      autoFocus
    />
  );
  return (
    <div className="row wrap">
      <Button onClick={() => setOpen("codes")}>{texts.newCodes}</Button>
      {hasApp && (
        <Button look="destructive" onClick={() => setOpen("remove")}>
          {texts.remove}
        </Button>
      )}
      <ConfirmDialog
        open={open === "codes"}
        onClose={close}
        title={texts.newCodesTitle}
        text={texts.newCodesText}
        action={texts.newCodesAction}
        onConfirm={async () => {
          const { backupCodes } = await makeCodes.run({ body: hasApp ? { code } : {} });
          onCodes(backupCodes);
        }}
      >
        {codeField}
      </ConfirmDialog>
      <ConfirmDialog
        open={open === "remove"}
        onClose={close}
        title={texts.removeTitle}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={async () => {
          await remove.run({ body: { code } });
          toast(texts.removed);
        }}
      >
        {codeField}
      </ConfirmDialog>
    </div>
  );
}
