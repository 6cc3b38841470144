import type { Me } from "@signalbox/client";
import { Link } from "@tanstack/react-router";
import { MailCheck, Plus } from "lucide-react";
import { useState } from "react";
import { useAction } from "../../lib/queries.ts";
import { useRefreshMe } from "../../lib/session.ts";
import { account } from "../../texts/account.ts";
import { common } from "../../texts/common.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card, Pairs } from "../../ui/card.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Form, FormProblem, TextField, useProblem } from "../../ui/form.tsx";
import { Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { DeleteAccount } from "./delete-account.tsx";

const texts = account.profile;

export const Profile = ({ me }: { me: Me }) => (
  <div className="parts">
    <Card title={texts.title} padded>
      <NameForm name={me.user.name} />
      <Address user={me.user} />
    </Card>
    <Organizations me={me} />
    <DeleteAccount email={me.user.email} />
  </div>
);

function NameForm({ name }: { name: string }) {
  const refreshMe = useRefreshMe();
  const toast = useToast();
  const [value, setValue] = useState(name);
  const save = useAction("PATCH /v1/me", { onDone: () => void refreshMe() });
  return (
    <Form
      onSubmit={async () => {
        await save.run({ body: { name: value.trim() } });
        toast(texts.saved);
      }}
      footer={(busy) => (
        <div className="form-acts">
          <Button type="submit" busy={busy}>
            {common.actions.save}
          </Button>
        </div>
      )}
    >
      <TextField
        label={texts.yourName}
        value={value}
        onChange={setValue}
        path="name"
        autoComplete="name"
        hint={texts.nameHint}
      />
    </Form>
  );
}

function Address({ user }: { user: Me["user"] }) {
  const toast = useToast();
  const { problem, busy, attempt } = useProblem();
  const sendAgain = useAction("POST /api/auth/send-verification-email");
  const send = () =>
    attempt(async () => {
      await sendAgain.run({});
      toast(texts.sent(user.email));
    });
  return (
    <>
      <Pairs
        items={[
          [
            texts.email,
            <span key="email" className="row wrap">
              {user.email}
              <Tag tone={user.emailVerified ? "ok" : "care"}>
                {user.emailVerified ? texts.verified : texts.notVerified}
              </Tag>
            </span>,
          ],
          [texts.since, <Time key="since" at={user.createdAt} form="date" />],
          [
            texts.password,
            <a key="password" className="link" href="/reset-password">
              {texts.changePassword}
            </a>,
          ],
        ]}
      />
      {!user.emailVerified && (
        <div className="note care">
          <p className="grow">{texts.notVerifiedHint}</p>
          <Button size="s" icon={MailCheck} busy={busy} onClick={send}>
            {texts.sendAgain}
          </Button>
        </div>
      )}
      <FormProblem problem={problem} />
    </>
  );
}

const Organizations = ({ me }: { me: Me }) => (
  <Card
    title={texts.organizations}
    actions={
      <LinkButton size="s" icon={Plus} to="/new-organization">
        {texts.newOrganization}
      </LinkButton>
    }
  >
    <DataTable
      label={texts.organizationsLabel}
      what={texts.organizationsLabel}
      list={{ rows: me.organizations }}
      rowKey={({ organizationId }) => organizationId}
      columns={[
        {
          head: texts.organization,
          cell: ({ organizationName, organizationSlug }) => (
            <Link to={`/o/${organizationSlug}`} className="strong">
              {organizationName}
            </Link>
          ),
        },
        { head: texts.role, cell: ({ roleName }) => roleName },
        {
          head: "",
          cell: ({ suspendedAt }) => suspendedAt !== null && <Tag tone="care">{texts.suspended}</Tag>,
        },
      ]}
      empty={<Empty title={texts.noOrganizations} />}
    />
  </Card>
);
