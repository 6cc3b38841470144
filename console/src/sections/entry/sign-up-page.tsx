import { Link, Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { useServices } from "../../lib/context.tsx";
import { useFilters } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { readReturnPath } from "../../lib/return-path.ts";
import { isSignedOut } from "../../lib/session.ts";
import { announceSignIn } from "../../lib/sign-in-channel.ts";
import { common } from "../../texts/common.ts";
import { entry } from "../../texts/entry.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { NewPasswordField } from "../../ui/new-password.tsx";
import { EntryFrame, EntryHead } from "./frame.tsx";

const texts = entry.signUp;

export default function SignUpPage() {
  const instance = useRead("GET /v1/instance", {});
  if (instance.data?.isEmpty) return <Navigate to="/setup" replace />;
  return (
    <EntryFrame name={texts.name}>
      <Loaded query={instance} what={common.product}>
        {({ signUp }) =>
          signUp === "open" ? (
            <SignUpForm />
          ) : (
            <div className="form">
              <EntryHead
                title={signUp === "invited" ? texts.invitedTitle : texts.closedTitle}
                lead={signUp === "invited" ? texts.invited : texts.closed}
              />
              <SignInLink />
            </div>
          )
        }
      </Loaded>
    </EntryFrame>
  );
}

function SignInLink() {
  const { returnTo } = useFilters().filters;
  return (
    <p>
      {texts.haveAccount}{" "}
      <Link className="link" to="/sign-in" search={(returnTo ? { returnTo } : {}) as never}>
        {texts.signIn}
      </Link>
    </p>
  );
}

function SignUpForm() {
  const { api } = useServices();
  const { filters } = useFilters();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const submit = async () => {
    const body = { name: name.trim(), email: email.trim(), password };
    await api.request("POST /api/auth/sign-up/email", { body }, { asks: false });
    await api.request("GET /v1/me", {}, { asks: false }).catch((error) => {
      throw isSignedOut(error) ? new Error(texts.existing) : error;
    });
    announceSignIn();
    window.location.assign(readReturnPath(filters.returnTo, window.location.origin));
  };
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <>
          <Button look="primary" type="submit" busy={busy}>
            {texts.submit}
          </Button>
          <SignInLink />
        </>
      )}
    >
      <EntryHead title={texts.title} lead={texts.lead} />
      <TextField
        label={entry.setup.yourName}
        value={name}
        onChange={setName}
        autoComplete="name"
        path="name"
        autoFocus
      />
      <TextField
        label={entry.setup.email}
        value={email}
        onChange={setEmail}
        type="email"
        autoComplete="username"
        path="email"
      />
      <NewPasswordField label={entry.setup.password} value={password} onChange={setPassword} />
    </Form>
  );
}
