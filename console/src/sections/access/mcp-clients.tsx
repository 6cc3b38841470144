import type { McpClient } from "@signalbox/client";
import { MonitorSmartphone, Unplug } from "lucide-react";
import { useState } from "react";
import { useAction, useList } from "../../lib/queries.ts";
import { mcp } from "../../texts/mcp.ts";
import { IconButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Tag } from "../../ui/state.tsx";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = mcp.connectedClients;

/** MCP clients that people signed in from, and the way to end them. */
export function McpClients() {
  const list = useList("GET /v1/mcp/clients", {});
  const columns: Column<McpClient>[] = [
    {
      head: texts.name,
      cell: ({ name, registration, redirectHost }) => (
        <>
          <span className="strong cut block">{name}</span>
          <span className="small t3 cut block">
            {registration === "dynamic" ? `${texts.unproven} · ${redirectHost}` : redirectHost}
          </span>
        </>
      ),
    },
    { head: texts.owner, phone: "hide", cell: ({ memberName }) => memberName },
    {
      head: texts.scopes,
      phone: "hide",
      cell: ({ scopes }) =>
        scopes.map((scope) => (
          <Tag key={scope} mono>
            {scope}
          </Tag>
        )),
    },
    {
      head: texts.used,
      align: "r",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.notUsed : <Time at={lastUsedAt} />),
    },
    { head: texts.ends, align: "r", phone: "hide", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { head: "", align: "r", cell: (client) => <EndAccess client={client} /> },
  ];
  return (
    <Card title={texts.title} beside={<span className="t3 small no-phone">{texts.lead}</span>}>
      <DataTable
        label={texts.title}
        what={texts.what}
        list={list}
        tall
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty icon={MonitorSmartphone} title={texts.empty} text={texts.emptyText} />}
      />
    </Card>
  );
}

function EndAccess({ client: { id, name } }: { client: McpClient }) {
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const remove = useAction("DELETE /v1/mcp/clients/{id}", {
    changes: ["GET /v1/mcp/clients"],
    onDone: () => toast(texts.removed),
  });
  return (
    <>
      <IconButton icon={Unplug} label={`${texts.remove}: ${name}`} onClick={() => setAsks(true)} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.removeTitle(name)}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={() => remove.run({ path: { id } })}
      />
    </>
  );
}
