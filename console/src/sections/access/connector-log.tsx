import type { SsoEvent, SsoIdentity } from "@signalbox/client";
import { useAction, useList } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Refusal } from "../../ui/refusal.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = access.sso;

export function ConnectorLog({ id }: { id: string }) {
  const list = useList("GET /v1/sso/{id}/events", { path: { id } }, { everyMs: 10_000 });
  const columns: Column<SsoEvent>[] = [
    {
      head: access.columns.state,
      cell: ({ outcome }) => (
        <Tag tone={outcome === "succeeded" ? "ok" : "bad"}>{texts.outcome[outcome]}</Tag>
      ),
    },
    {
      head: access.columns.name,
      cell: ({ email, subject, message, code }) => (
        <>
          <span className="strong cut">{email ?? subject ?? code}</span>
          <span className="small t3 wrap-text">{message}</span>
        </>
      ),
    },
    { head: access.columns.created, align: "r", cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  return (
    <DataTable
      label={texts.log}
      what={access.what.log}
      list={list}
      columns={columns}
      rowKey={(event) => event.id}
      empty={<Empty title={texts.logEmpty} />}
      tall
    />
  );
}

export function ConnectorPeople({ id, mayManage }: { id: string; mayManage: boolean }) {
  const toast = useToast();
  const list = useList("GET /v1/sso/{id}/identities", { path: { id } });
  const unlink = useAction("DELETE /v1/sso/{id}/identities/{identityId}", {
    changes: ["GET /v1/sso/{id}/identities"],
    onDone: () => toast(texts.unlinked),
  });
  const columns: Column<SsoIdentity>[] = [
    {
      head: access.columns.name,
      cell: ({ name, email, subject }) => (
        <>
          <span className="strong cut">{name}</span>
          <span className="small t3 cut">{email ?? subject}</span>
        </>
      ),
    },
    { head: access.columns.lastUsed, align: "r", cell: ({ lastSignInAt }) => <Time at={lastSignInAt} /> },
    ...(mayManage
      ? ([
          {
            head: "",
            align: "r",
            cell: (identity) => (
              <Button size="s" onClick={() => unlink.start({ path: { id, identityId: identity.id } })}>
                {texts.unlink}
              </Button>
            ),
          },
        ] satisfies Column<SsoIdentity>[])
      : []),
  ];
  return (
    <>
      <Refusal of={unlink} />
      <DataTable
        label={texts.people}
        what={access.what.people}
        list={list}
        columns={columns}
        rowKey={(identity) => identity.id}
        empty={<Empty title={texts.peopleEmpty} />}
        tall
      />
    </>
  );
}
