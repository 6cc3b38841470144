import { Fingerprint } from "lucide-react";
import { useState } from "react";
import { RefusedError } from "../../lib/api.ts";
import { useServices } from "../../lib/context.tsx";
import { getPasskey, hasPasskeys } from "../../lib/passkeys.ts";
import { isSignedOut } from "../../lib/session.ts";
import { common } from "../../texts/common.ts";
import { identity as texts } from "../../texts/identity.ts";
import { Button } from "../../ui/button.tsx";
import { Form, FormProblem, SecretField, TextField, useProblem } from "../../ui/form.tsx";

interface ConfirmFormProps {
  hasSecondFactor: boolean;
  /** The session has ended, so a proof is not enough. */
  onEnded(): void;
}

/** The password, or a code where there is a second factor, or a passkey. The server makes the session fresh. */
export function ConfirmForm({ hasSecondFactor, onEnded }: ConfirmFormProps) {
  const { api, identity } = useServices();
  const [proof, setProof] = useState("");
  const [asksCode, setAsksCode] = useState(hasSecondFactor);
  const [hasNoPassword, setHasNoPassword] = useState(false);
  const passkey = useProblem();
  const prove = async (body: object) => {
    try {
      await api.request("POST /api/auth/reauthenticate", { body: body as never }, { asks: false });
      identity.answer(true);
    } catch (error) {
      if (isSignedOut(error)) return onEnded();
      throw error;
    }
  };
  const submit = async () => {
    passkey.clear();
    try {
      await prove(asksCode ? { code: proof } : { password: proof });
    } catch (error) {
      if (error instanceof RefusedError && error.code === "no_password") return setHasNoPassword(true);
      // The second factor was switched on in another window in the meantime.
      if (!asksCode && isAboutCode(error)) {
        setProof("");
        return setAsksCode(true);
      }
      throw error;
    }
  };
  const enterWithPasskey = () =>
    passkey.attempt(async () => {
      const begun = await api.request("POST /api/auth/passkey/options", { body: {} }, { asks: false });
      const credential = await getPasskey(begun).catch(() => {
        throw new Error(texts.passkeyUnused);
      });
      await prove({ passkey: credential });
    });
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <>
          <FormProblem problem={passkey.problem} />
          <footer className="row dlg-acts">
            {hasPasskeys() && (
              <>
                <Button look="quiet" icon={Fingerprint} onClick={enterWithPasskey} busy={passkey.busy}>
                  {texts.passkey}
                </Button>
                <span className="grow" />
              </>
            )}
            <Button onClick={() => identity.answer(false)}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {texts.confirm}
            </Button>
          </footer>
        </>
      )}
    >
      {asksCode ? (
        <TextField
          key="code"
          label={texts.code}
          value={proof}
          onChange={setProof}
          autoComplete="one-time-code"
          path="code"
          autoFocus
        />
      ) : (
        <SecretField
          key="password"
          label={texts.password}
          value={proof}
          onChange={setProof}
          autoComplete="current-password"
          path="password"
          autoFocus
        />
      )}
      {hasNoPassword && (
        <p className="note care">
          <span className="grow">{texts.noPassword}</span>
          <a className="link" href="/reset-password" target="_blank" rel="noreferrer">
            {texts.choosePassword}
          </a>
        </p>
      )}
    </Form>
  );
}

const isAboutCode = (error: unknown): boolean =>
  error instanceof RefusedError &&
  Array.isArray(error.body.details) &&
  error.body.details.some(({ path }: { path?: unknown[] }) => path?.[0] === "code");
