import { useNavigate } from "@tanstack/react-router";
import { Plus, Webhook } from "lucide-react";
import { useState } from "react";
import type { Item } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { NewSecret } from "./new-secret.tsx";

const texts = settings.webhooks;
type Endpoint = Item<"GET /v1/webhook-endpoints">;

export const EndpointState = ({ endpoint: { status, failingSince } }: { endpoint: Endpoint }) =>
  status === "disabled" ? (
    <Tag tone="bad">{texts.disabled}</Tag>
  ) : failingSince !== null ? (
    <Tag tone="care">{texts.failing}</Tag>
  ) : (
    <Tag tone="ok">{texts.enabled}</Tag>
  );

export function Webhooks() {
  const path = usePath();
  const navigate = useNavigate();
  const { filters, setFilters } = useFilters();
  const endpoints = useList("GET /v1/webhook-endpoints", {}, { everyMs: 10_000 });
  const mayManage = usePermission("notifications:manage");
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setFilters({ new: "1" }, { replace: false })}>
      {texts.create}
    </Button>
  );
  return (
    <div className="parts full">
      <div className="row wrap">
        <p className="grow">{texts.lead}</p>
        {endpoints.rows.length > 0 && create}
      </div>
      <Card>
        <DataTable
          label={texts.label}
          what={texts.what}
          list={endpoints}
          rowKey={({ id }) => id}
          to={({ id }) => ({ to: path(`/settings/webhooks/${id}`) })}
          columns={[
            { head: texts.url, isName: true, cell: ({ url }) => <span className="wrap-any">{url}</span> },
            {
              head: texts.types,
              phone: "hide",
              cell: ({ types }) =>
                types.length === 0 ? texts.all : types.map((type) => settings.events[type].title).join(", "),
            },
            { head: texts.state, cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
            {
              head: texts.lastSucceeded,
              phone: "hide",
              cell: ({ lastSucceededAt }) => <Time at={lastSucceededAt} />,
            },
          ]}
          empty={<Empty icon={Webhook} title={texts.empty} text={texts.emptyText} action={create} />}
        />
      </Card>
      {filters.new !== undefined && mayManage && (
        <EndpointForm
          onClose={() => setFilters({ new: undefined })}
          onCreated={(id, secret) => {
            setFilters({ new: undefined });
            setMade({ id, secret });
          }}
        />
      )}
      {made && (
        <NewSecret
          secret={made.secret}
          onClose={() => {
            setMade(undefined);
            void navigate({ to: path(`/settings/webhooks/${made.id}`) });
          }}
        />
      )}
    </div>
  );
}
