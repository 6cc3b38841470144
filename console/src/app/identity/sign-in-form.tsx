import { Fingerprint } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useServices } from "../../lib/context.tsx";
import { hasPasskeys } from "../../lib/passkeys.ts";
import { useRead } from "../../lib/queries.ts";
import { findSsoStart, signInWithPasskey, signInWithPassword } from "../../lib/sign-in.ts";
import { entry } from "../../texts/entry.ts";
import { Button } from "../../ui/button.tsx";
import { Form, FormProblem, SecretField, TextField, useProblem } from "../../ui/form.tsx";
import { CodeForm } from "./code-form.tsx";

const texts = entry.signIn;

interface SignInFormProps {
  /** Throws when the person may not go on. The form shows why. */
  onSignedIn(): Promise<void>;
  /** Leads to the identity provider. */
  onSso(start: string, email: string): void;
  email?: string;
  /** Above the fields. Gets true at the second step. */
  head?(isSecond: boolean): ReactNode;
  /** Below the buttons of the first step. */
  foot?: ReactNode;
  className?: string;
}

/** Password, passkey, second factor and single sign-on: for the sign-in page and for signing in again in place. */
export function SignInForm({ onSignedIn, onSso, email: known = "", head, foot, className }: SignInFormProps) {
  const { api } = useServices();
  const instance = useRead("GET /v1/instance", {});
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [secondToken, setSecondToken] = useState<string>();
  const [wantsPassword, setWantsPassword] = useState(false);
  const sso = useSsoStart(email, instance.data?.signInMethods.sso ?? false);
  const passkey = useProblem();
  const usesSso = sso.start !== undefined && !wantsPassword;

  const submit = async () => {
    passkey.clear();
    if (email.trim() === "") throw new Error(texts.noEmail);
    const start = wantsPassword ? undefined : await sso.find();
    if (start !== undefined) return onSso(start, email);
    if (password === "") throw new Error(texts.noPassword);
    const { secondFactorToken } = await signInWithPassword(api, { email, password });
    if (secondFactorToken !== undefined) return setSecondToken(secondFactorToken);
    await onSignedIn();
  };
  const enterWithPasskey = () =>
    passkey.attempt(async () => {
      await signInWithPasskey(api);
      await onSignedIn();
    });

  if (secondToken !== undefined)
    return (
      <CodeForm
        token={secondToken}
        onSignedIn={onSignedIn}
        onBack={() => setSecondToken(undefined)}
        head={head?.(true)}
        className={className}
      />
    );
  return (
    <Form
      onSubmit={submit}
      {...(className === undefined ? {} : { className })}
      footer={(busy) => (
        <>
          <FormProblem problem={passkey.problem} />
          <div className="sign-in-acts">
            <Button look="primary" type="submit" busy={busy}>
              {usesSso ? texts.ssoContinue : texts.submit}
            </Button>
            {hasPasskeys() && !usesSso && (
              <Button icon={Fingerprint} onClick={enterWithPasskey} busy={passkey.busy}>
                {texts.passkey}
              </Button>
            )}
          </div>
          {foot}
        </>
      )}
    >
      {head?.(false)}
      <TextField
        label={texts.email}
        value={email}
        onChange={setEmail}
        onBlur={() => void sso.find()}
        type="email"
        autoComplete="username webauthn"
        path="email"
        autoFocus={known === ""}
        required
      />
      {usesSso ? (
        <p className="hint" role="status">
          {texts.ssoHint}{" "}
          <button type="button" className="link" onClick={() => setWantsPassword(true)}>
            {texts.ssoPassword}
          </button>
        </p>
      ) : (
        <SecretField
          label={texts.password}
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          path="password"
          autoFocus={known !== "" || wantsPassword}
        />
      )}
    </Form>
  );
}

/** Asks where an address signs in, once for each address. */
function useSsoStart(email: string, isOffered: boolean) {
  const { api } = useServices();
  const [known, setKnown] = useState<{ email: string; start: string | undefined }>();
  const address = email.trim();
  const latest = useRef(address);
  latest.current = address;
  const find = async (): Promise<string | undefined> => {
    if (!isOffered || address === "") return undefined;
    if (known?.email === address) return known.start;
    try {
      const start = await findSsoStart(api, address);
      if (latest.current === address) setKnown({ email: address, start });
      return start;
    } catch {
      // The person can still use a password. The next attempt asks again.
      return undefined;
    }
  };
  // An address that is known from the start is resolved without a blur.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when it becomes known that there is single sign-on.
  useEffect(() => void find(), [isOffered]);
  return { find, start: known?.email === address ? known.start : undefined };
}
