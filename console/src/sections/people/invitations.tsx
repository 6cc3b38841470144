import type { Invitation } from "@signalbox/client";
import { Ellipsis, MailPlus, RotateCw, X } from "lucide-react";
import { useState } from "react";
import { useFilters } from "../../lib/paths.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { people as texts } from "../../texts/people.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { RefusalDialog } from "../../ui/refusal.tsx";
import { Tag } from "../../ui/state.tsx";
import type { Tone } from "../../ui/states.ts";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const states = ["pending", "accepted", "expired", "cancelled"] as const;
const tones: Record<Invitation["status"], Tone> = {
  pending: "live",
  accepted: "ok",
  expired: "care",
  cancelled: "none",
};

export function Invitations({ onInvite }: { onInvite(): void }) {
  const { filters, setFilters } = useFilters();
  const status = states.find((state) => state === filters.status) ?? "pending";
  const list = useList("GET /v1/invitations", { query: { status } });
  const columns: Column<Invitation>[] = [
    { head: texts.columns.email, cell: ({ email }) => <span className="strong">{email}</span> },
    { head: texts.columns.role, cell: ({ roleName }) => roleName },
    { head: texts.columns.invitedBy, phone: "hide", cell: ({ inviterName }) => inviterName },
    {
      head: texts.columns.state,
      phone: "hide",
      cell: ({ status: state }) => <Tag tone={tones[state]}>{texts.invitation.states[state]}</Tag>,
    },
    {
      head: texts.columns.expires,
      align: "r",
      phone: "hide",
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
    },
    { head: "", align: "r", cell: (invitation) => <Actions invitation={invitation} /> },
  ];
  return (
    <>
      <div className="filters">
        <Segments
          label={texts.filters.status}
          value={status}
          onChange={(value) => setFilters({ status: value === "pending" ? undefined : value })}
          options={states.map((value) => ({ value, label: texts.invitation.states[value] }))}
        />
      </div>
      <section className="card">
        <DataTable
          label={texts.tabs.invitations}
          what={texts.what.invitations}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <Empty
              icon={MailPlus}
              title={texts.empty.invitations.title}
              text={texts.empty.invitations.text}
              action={
                <Button look="primary" onClick={onInvite}>
                  {texts.invite.action}
                </Button>
              }
            />
          }
        />
      </section>
    </>
  );
}

function Actions({ invitation: { id, email, status } }: { invitation: Invitation }) {
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const changes = ["GET /v1/invitations"] as const;
  const resend = useAction("POST /v1/invitations/{id}/resend", {
    changes,
    onDone: () => toast(texts.invitation.resent(email)),
  });
  const cancel = useAction("POST /v1/invitations/{id}/cancel", {
    changes,
    onDone: () => toast(texts.invitation.cancelled),
  });
  if (status === "accepted" || status === "cancelled") return null;
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={email} />}>
        <MenuItem icon={RotateCw} onSelect={() => resend.start({ path: { id } })}>
          {texts.invitation.resend}
        </MenuItem>
        <MenuItem icon={X} destructive onSelect={() => setAsks(true)}>
          {texts.invitation.cancel}
        </MenuItem>
      </Menu>
      <RefusalDialog of={resend} />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.invitation.cancelTitle(email)}
        text={texts.invitation.cancelText}
        action={texts.invitation.cancel}
        onConfirm={() => cancel.run({ path: { id } })}
      />
    </>
  );
}
