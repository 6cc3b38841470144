import type { Input } from "../../lib/api.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { AreaField, ChoiceField, SecretField, TextField } from "../../ui/form.tsx";

const { form: words } = texts;

export interface AccessValues {
  /** `keep`: the stored credential stays. */
  kind: "keep" | "none" | "token" | "github_app";
  token: string;
  username: string;
  appId: string;
  installationId: string;
  privateKey: string;
}

type Access = NonNullable<Input<"POST /v1/connectors">["body"]["access"]>;

/** The part of the request that says how the repository is read. */
export function createAccess({ kind, token, username, appId, installationId, privateKey }: AccessValues): {
  access?: Access;
} {
  switch (kind) {
    case "keep":
      return {};
    case "none":
      return { access: { kind } };
    case "token":
      return { access: { kind, token, ...(username ? { username } : {}) } };
    default:
      return { access: { kind, appId, privateKey, ...(installationId ? { installationId } : {}) } };
  }
}

interface AccessFieldsProps {
  values: AccessValues;
  onChange(values: AccessValues): void;
  mayKeep: boolean;
  isGithub: boolean;
}

/** How the repository is read: without a credential, with a token, or with a GitHub App. */
export function AccessFields({ values, onChange, mayKeep, isGithub }: AccessFieldsProps) {
  const set = (name: keyof AccessValues) => (value: string) => onChange({ ...values, [name]: value });
  return (
    <>
      <ChoiceField
        legend={words.access}
        value={values.kind}
        onChange={(kind) => onChange({ ...values, kind })}
        options={[
          ...(mayKeep ? [{ value: "keep" as const, label: words.accessKeep }] : []),
          { value: "none", label: words.accessNone, hint: words.accessNoneHint },
          { value: "token", label: words.accessToken, hint: words.accessTokenHint },
          ...(isGithub
            ? [{ value: "github_app" as const, label: words.accessApp, hint: words.accessAppHint }]
            : []),
        ]}
      />
      {values.kind === "token" && (
        <>
          <SecretField
            label={words.token}
            path="access.token"
            value={values.token}
            onChange={set("token")}
            autoComplete="off"
          />
          <TextField
            label={words.username}
            path="access.username"
            hint={words.usernameHint}
            value={values.username}
            onChange={set("username")}
            autoComplete="off"
          />
        </>
      )}
      {values.kind === "github_app" && (
        <>
          <TextField
            label={words.appId}
            path="access.appId"
            mono
            value={values.appId}
            onChange={set("appId")}
          />
          <TextField
            label={words.installationId}
            path="access.installationId"
            mono
            inputMode="numeric"
            value={values.installationId}
            onChange={set("installationId")}
          />
          <AreaField
            label={words.privateKey}
            path="access.privateKey"
            hint={words.privateKeyHint}
            mono
            value={values.privateKey}
            onChange={set("privateKey")}
            autoComplete="off"
            spellCheck={false}
          />
        </>
      )}
    </>
  );
}
