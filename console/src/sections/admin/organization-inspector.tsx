import { useNavigate } from "@tanstack/react-router";
import { Ban, Gauge, Undo2 } from "lucide-react";
import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { formatBytes, formatCost, formatNumber } from "../../lib/format.ts";
import { useFilters } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { admin } from "../../texts/admin.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { TextField } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { QuotaTable } from "../../ui/quota-table.tsx";
import { Id, Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { LimitsForm } from "./limits-form.tsx";
import { OrganizationState } from "./organizations.tsx";

const texts = admin.organizations;
const readOne = "GET /v1/admin/organizations/{id}";
type Detail = Reply<typeof readOne>;
const changes = ["GET /v1/admin/organizations", readOne, "GET /v1/admin/overview"] as const;

export function OrganizationInspector({ id }: { id: string }) {
  const navigate = useNavigate();
  const { filters } = useFilters();
  const detail = useRead(readOne, { path: { id } }, { everyMs: 10_000 });
  return (
    <Inspector
      title={detail.data?.organization.name ?? texts.name}
      beside={detail.data && <OrganizationState state={detail.data.organization.state} />}
      onClose={() => void navigate({ to: "/admin/organizations", search: filters as never })}
    >
      <Loaded query={detail} what={texts.what}>
        {(data) => <Details detail={data} />}
      </Loaded>
    </Inspector>
  );
}

function Details({ detail }: { detail: Detail }) {
  const { organization, quotas } = detail;
  return (
    <div className="stack">
      <Actions detail={detail} />
      {organization.suspendedReason !== null && (
        <p className="note bad">
          {texts.reason}: {organization.suspendedReason}
        </p>
      )}
      <Pairs
        items={[
          [texts.slug, <code key="slug">{organization.slug}</code>],
          [texts.id, <Id key="id" id={organization.id} />],
          [texts.created, <Time key="created" at={organization.createdAt} form="date" />],
          organization.suspendedAt !== null && [
            texts.suspendedAt,
            <Time key="suspended" at={organization.suspendedAt} form="date" />,
          ],
          [texts.members, formatNumber(organization.members)],
          [texts.runs, formatNumber(organization.runs)],
          [texts.failures, formatNumber(organization.failures)],
          [texts.cost, formatCost(organization.costMicros)],
          [texts.storage, formatBytes(organization.storageBytes)],
        ]}
      />
      <h3>{texts.quotas}</h3>
      <QuotaTable quotas={quotas} />
    </div>
  );
}

function Actions({ detail: { organization, quotas } }: { detail: Detail }) {
  const { id, name, state, limits } = organization;
  const toast = useToast();
  const [open, setOpen] = useState<"suspend" | "restore" | "limits">();
  const [reason, setReason] = useState("");
  const suspend = useAction("POST /v1/admin/organizations/{id}/suspend", { changes });
  const restore = useAction("POST /v1/admin/organizations/{id}/restore", { changes });
  const close = () => setOpen(undefined);
  return (
    <div className="row wrap">
      {state === "suspended" ? (
        <Button look="primary" icon={Undo2} onClick={() => setOpen("restore")}>
          {texts.restore}
        </Button>
      ) : (
        <Button look="destructive" icon={Ban} onClick={() => setOpen("suspend")}>
          {texts.suspend}
        </Button>
      )}
      <Button icon={Gauge} onClick={() => setOpen("limits")}>
        {texts.limits}
      </Button>
      <ConfirmDialog
        open={open === "suspend"}
        onClose={close}
        title={texts.suspendTitle(name)}
        text={texts.suspendText}
        action={texts.suspend}
        onConfirm={async () => {
          await suspend.run({ path: { id }, body: { reason: reason.trim() } });
          setReason("");
          toast(texts.suspended(name));
        }}
      >
        <TextField
          label={texts.suspendReason}
          hint={texts.suspendReasonHint}
          value={reason}
          onChange={setReason}
          path="reason"
          autoFocus
        />
      </ConfirmDialog>
      <ConfirmDialog
        open={open === "restore"}
        onClose={close}
        title={texts.restoreTitle(name)}
        text={texts.restoreText}
        action={texts.restore}
        onConfirm={async () => {
          await restore.run({ path: { id } });
          toast(texts.restored(name));
        }}
      />
      {open === "limits" && (
        <LimitsForm id={id} name={name} limits={limits} quotas={quotas} onClose={close} />
      )}
    </div>
  );
}
