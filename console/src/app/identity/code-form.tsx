import { Fingerprint } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useServices } from "../../lib/context.tsx";
import { hasPasskeys } from "../../lib/passkeys.ts";
import { signInWithCode, signInWithPasskey } from "../../lib/sign-in.ts";
import { entry } from "../../texts/entry.ts";
import { Button } from "../../ui/button.tsx";
import { Form, FormProblem, TextField, useProblem } from "../../ui/form.tsx";

const texts = entry.signIn.second;

interface CodeFormProps {
  /** The token of the first step. */
  token: string;
  onSignedIn(): Promise<void>;
  onBack(): void;
  head?: ReactNode;
  className?: string | undefined;
}

/** The second step of a sign-in: a code or a passkey. */
export function CodeForm({ token, onSignedIn, onBack, head, className }: CodeFormProps) {
  const { api } = useServices();
  const [code, setCode] = useState("");
  const passkey = useProblem();
  const submit = async () => {
    passkey.clear();
    await signInWithCode(api, token, code);
    await onSignedIn();
  };
  const enterWithPasskey = () =>
    passkey.attempt(async () => {
      await signInWithPasskey(api, token);
      await onSignedIn();
    });
  return (
    <Form
      onSubmit={submit}
      {...(className === undefined ? {} : { className })}
      footer={(busy) => (
        <>
          <FormProblem problem={passkey.problem} />
          <div className="sign-in-acts">
            <Button look="primary" type="submit" busy={busy}>
              {texts.submit}
            </Button>
            {hasPasskeys() && (
              <Button icon={Fingerprint} onClick={enterWithPasskey} busy={passkey.busy}>
                {entry.signIn.passkey}
              </Button>
            )}
            <Button look="quiet" onClick={onBack}>
              {texts.back}
            </Button>
          </div>
        </>
      )}
    >
      {head}
      <TextField
        label={texts.code}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        inputMode="text"
        path="code"
        autoFocus
      />
    </Form>
  );
}
