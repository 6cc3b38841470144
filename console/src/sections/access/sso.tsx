import type { SsoConnector } from "@signalbox/client";
import { LogIn, Plus } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { Domains } from "./domains.tsx";
import { NewConnectorDialog } from "./new-connector-dialog.tsx";
import { RequireSso } from "./require-sso.tsx";
import "./access.css";

const texts = access.sso;

export function Sso({ selected }: { selected: string | undefined }) {
  const path = usePath();
  const mayManage = usePermission("sso:manage");
  const [isCreating, setIsCreating] = useState(false);
  const list = useList("GET /v1/sso", {});
  const columns: Column<SsoConnector>[] = [
    { head: access.columns.name, isName: true, cell: ({ name }) => name },
    { head: access.columns.kind, phone: "hide", cell: ({ kind }) => texts.kinds[kind] },
    {
      head: access.columns.state,
      cell: ({ enabled, health }) =>
        enabled ? (
          <Tag tone={(health.lastErrorAt ?? 0) > (health.lastSignInAt ?? 0) ? "care" : "ok"}>{texts.on}</Tag>
        ) : (
          <Tag>{texts.off}</Tag>
        ),
    },
    {
      head: texts.tested,
      align: "r",
      phone: "hide",
      cell: ({ testedAt }) => (testedAt === null ? texts.notTested : <Time at={testedAt} />),
    },
  ];
  const create = mayManage && (
    <Button icon={Plus} onClick={() => setIsCreating(true)}>
      {texts.new}
    </Button>
  );
  return (
    <div className="stack-gap">
      <section className="card">
        <header>
          <h2>{access.tabs.sso}</h2>
          <span className="right">{list.rows.length > 0 && create}</span>
        </header>
        <DataTable
          label={access.tabs.sso}
          what={access.what.sso}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          selected={selected}
          to={({ id }) => ({ to: path(`/access/sso/${id}`) })}
          empty={<Empty icon={LogIn} title={texts.empty} text={texts.emptyText} action={create} />}
        />
      </section>
      <Domains />
      <RequireSso hasConnectors={list.rows.length > 0} />
      {isCreating && <NewConnectorDialog onClose={() => setIsCreating(false)} />}
    </div>
  );
}
