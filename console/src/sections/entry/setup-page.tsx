import { Navigate, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useServices } from "../../lib/context.tsx";
import { useRead } from "../../lib/queries.ts";
import { isSignedOut, useRefreshMe } from "../../lib/session.ts";
import { createSlug } from "../../lib/slug.ts";
import { common } from "../../texts/common.ts";
import { entry } from "../../texts/entry.ts";
import { Button } from "../../ui/button.tsx";
import { Failure, Skeleton } from "../../ui/feedback.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { NewPasswordField } from "../../ui/new-password.tsx";
import { EntryFrame, EntryHead } from "./frame.tsx";
import { StepsAhead } from "./steps.tsx";

const texts = entry.setup;

/** The first page of an empty instance: the owner and the organization in one form. */
export default function SetupPage() {
  const instance = useRead("GET /v1/instance", {});
  // The instance is no longer empty after the first half of the form. The page stays until the second half is done.
  const [hasBegun, setHasBegun] = useState(false);
  if (instance.error)
    return <Failure error={instance.error} what={common.product} onRetry={() => void instance.refetch()} />;
  if (!instance.data) return <Skeleton />;
  if (!instance.data.isEmpty && !hasBegun) return <Navigate to="/sign-in" replace />;
  return (
    <EntryFrame name={texts.name} aside={<StepsAhead />}>
      <SetupForm onBegin={() => setHasBegun(true)} />
    </EntryFrame>
  );
}

function SetupForm({ onBegin }: { onBegin(): void }) {
  const { api } = useServices();
  const navigate = useNavigate();
  const refreshMe = useRefreshMe();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [organization, setOrganization] = useState("");
  const hasAccount = useRef(false);

  const createOwner = async () => {
    const body = { name: name.trim(), email: email.trim(), password };
    await api.request("POST /api/auth/sign-up/email", { body }, { asks: false });
    // For an address that has an account, the reply is the same but nobody is signed in.
    await api.request("GET /v1/me", {}, { asks: false }).catch((error) => {
      throw isSignedOut(error) ? new Error(texts.addressTaken) : error;
    });
    hasAccount.current = true;
  };
  const submit = async () => {
    onBegin();
    // When only the organization is refused, the next try begins there.
    if (!hasAccount.current) await createOwner();
    const reply = await api
      .request("POST /v1/organizations", { body: { name: organization.trim() } })
      .catch(renameField);
    await refreshMe();
    await navigate({ to: `/o/${reply.organization.slug}`, replace: true });
  };
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <Button look="primary" type="submit" busy={busy}>
          {texts.submit}
        </Button>
      )}
    >
      <EntryHead title={texts.title} lead={texts.lead} />
      <TextField
        label={texts.yourName}
        value={name}
        onChange={setName}
        autoComplete="name"
        path="name"
        autoFocus
      />
      <TextField
        label={texts.email}
        value={email}
        onChange={setEmail}
        type="email"
        autoComplete="username"
        path="email"
      />
      <NewPasswordField label={texts.password} value={password} onChange={setPassword} />
      <TextField
        label={texts.organization}
        value={organization}
        onChange={setOrganization}
        autoComplete="organization"
        path="organization"
        hint={
          organization.trim() === ""
            ? texts.organizationHintEmpty
            : texts.organizationHint(createSlug(organization))
        }
      />
    </Form>
  );
}

/** Both requests have a field `name`. The message about the organization belongs to its own field. */
function renameField(error: unknown): never {
  const details = (error as { body?: { details?: { path?: unknown[] }[] } }).body?.details;
  if (Array.isArray(details))
    for (const detail of details) if (detail.path?.[0] === "name") detail.path = ["organization"];
  throw error;
}
