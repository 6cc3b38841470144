import { useState } from "react";
import { useAction } from "../../lib/queries.ts";
import { account } from "../../texts/account.ts";
import { Button } from "../../ui/button.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";
import { QrImage } from "./qr-image.tsx";

const texts = account.secondFactor;

interface SetupProps {
  setup: { secret: string; uri: string };
  onDone(backupCodes: readonly string[]): void;
}

/** The secret for the app, and the first code from it. */
export function AuthenticatorSetup({ setup, onDone }: SetupProps) {
  const toast = useToast();
  const [code, setCode] = useState("");
  const confirm = useAction("POST /v1/me/two-factor/confirm", { changes: ["GET /v1/me/two-factor"] });
  return (
    <div className="qr-row">
      <QrImage text={setup.uri} label={texts.scanLabel} />
      <div className="grow">
        <p>{texts.scan}</p>
        <p className="small t3">{texts.orType}</p>
        <CopyRow value={setup.secret} />
        <Form
          onSubmit={async () => {
            const { backupCodes } = await confirm.run({ body: { code: code.trim() } });
            toast(texts.turnedOn);
            onDone(backupCodes);
          }}
          footer={(busy) => (
            <div className="form-acts">
              <Button look="primary" type="submit" busy={busy}>
                {texts.confirm}
              </Button>
            </div>
          )}
        >
          <TextField
            label={texts.code}
            hint={texts.codeHint}
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
            inputMode="numeric"
            path="code"
            autoFocus
          />
        </Form>
      </div>
    </div>
  );
}
