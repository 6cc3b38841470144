import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ToSignIn } from "../../app/to-sign-in.tsx";
import { useServices } from "../../lib/context.tsx";
import { isSignedOut, useMe, useRefreshMe } from "../../lib/session.ts";
import { useSignOut } from "../../lib/sign-out.ts";
import { common } from "../../texts/common.ts";
import { entry } from "../../texts/entry.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Failure, Skeleton } from "../../ui/feedback.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { EntryFrame, EntryHead } from "./frame.tsx";

const texts = entry.newOrganization;

export default function NewOrganizationPage() {
  const me = useMe();
  if (me.data)
    return (
      <EntryFrame name={texts.name}>
        <NewOrganization email={me.data.user.email} isFirst={me.data.organizations.length === 0} />
      </EntryFrame>
    );
  if (isSignedOut(me.error)) return <ToSignIn />;
  if (me.error) return <Failure error={me.error} what={common.product} onRetry={() => void me.refetch()} />;
  return <Skeleton />;
}

function NewOrganization({ email, isFirst }: { email: string; isFirst: boolean }) {
  const { api } = useServices();
  const navigate = useNavigate();
  const refreshMe = useRefreshMe();
  const signOut = useSignOut();
  const [name, setName] = useState("");
  const [slug, setSlug] = useState("");
  const submit = async () => {
    const wanted = slug.trim();
    const body = { name: name.trim(), ...(wanted === "" ? {} : { slug: wanted }) };
    const { organization } = await api.request("POST /v1/organizations", { body });
    await refreshMe();
    await navigate({ to: `/o/${organization.slug}` });
  };
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <>
          <Button look="primary" type="submit" busy={busy}>
            {texts.submit}
          </Button>
          <div className="row wrap">
            <span className="grow small t3">{texts.signedInAs(email)}</span>
            {isFirst ? (
              <Button look="quiet" size="s" onClick={signOut}>
                {texts.signOut}
              </Button>
            ) : (
              <LinkButton look="quiet" size="s" to="/">
                {texts.back}
              </LinkButton>
            )}
          </div>
        </>
      )}
    >
      <EntryHead title={texts.title} lead={isFirst ? texts.first : texts.lead} />
      <TextField
        label={texts.organization}
        value={name}
        onChange={setName}
        autoComplete="organization"
        path="name"
        autoFocus
      />
      <TextField
        label={texts.slug}
        value={slug}
        onChange={setSlug}
        path="slug"
        mono
        hint={texts.slugHint}
        spellCheck={false}
        autoCapitalize="none"
      />
    </Form>
  );
}
