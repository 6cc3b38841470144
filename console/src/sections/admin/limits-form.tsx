import type { Quota } from "@signalbox/client";
import { useState } from "react";
import { writeOptional } from "../../lib/numbers.ts";
import { useAction } from "../../lib/queries.ts";
import { admin } from "../../texts/admin.ts";
import { common } from "../../texts/common.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { formatQuota } from "../../ui/quota-table.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = admin.organizations;

interface LimitsFormProps {
  id: string;
  name: string;
  /** The limits that were set for this organization. */
  limits: Readonly<Record<string, number>>;
  quotas: readonly Quota[];
  onClose(): void;
}

export function LimitsForm({ id, name, limits, quotas, onClose }: LimitsFormProps) {
  const toast = useToast();
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(quotas.map((quota) => [quota.name, writeOptional(limits[quota.name] ?? null)])),
  );
  const save = useAction("PUT /v1/admin/organizations/{id}/limits", {
    changes: ["GET /v1/admin/organizations", "GET /v1/admin/organizations/{id}"],
  });
  const describe = ({ used, limit, unit }: Quota): string => {
    const shown = limit === null ? settings.quotas.unlimited : formatQuota(limit, unit);
    return used === null ? texts.limitHintUnused(shown) : texts.limitHint(formatQuota(used, unit), shown);
  };
  return (
    <Dialog open onClose={onClose} title={texts.limitsTitle(name)} lead={texts.limitsLead} width="l">
      <Form
        onSubmit={async () => {
          const given = Object.entries(values).filter(([, value]) => value.trim() !== "");
          const body = { limits: Object.fromEntries(given.map(([key, value]) => [key, Number(value)])) };
          await save.run({ path: { id }, body });
          toast(texts.limitsSaved);
          onClose();
        }}
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {common.actions.save}
            </Button>
          </footer>
        )}
      >
        <div className="limit-list">
          {quotas.map((quota) => (
            <TextField
              key={quota.name}
              label={<code>{quota.name}</code>}
              hint={`${quota.description} ${describe(quota)}`}
              value={values[quota.name] ?? ""}
              onChange={(value) => setValues({ ...values, [quota.name]: value })}
              path={`limits.${quota.name}`}
              type="number"
              min={0}
            />
          ))}
        </div>
      </Form>
    </Dialog>
  );
}
