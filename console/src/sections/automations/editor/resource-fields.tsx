import { usePermission } from "../../../lib/context.tsx";
import { useProviderNames } from "../../../lib/provider-names.ts";
import { useList, useWhole } from "../../../lib/queries.ts";
import { automations } from "../../../texts/automations.ts";
import { Card } from "../../../ui/card.tsx";
import { CheckField } from "../../../ui/form.tsx";
import type { AutomationForm } from "./automation-form.ts";

const texts = automations.edit;

interface ResourceFieldsProps {
  form: AutomationForm;
  change(changes: Partial<AutomationForm>): void;
}

/** The templates and accounts that the runs get. */
export function ResourceFields({ form, change }: ResourceFieldsProps) {
  const seesTemplates = usePermission("templates:read");
  const seesAccounts = usePermission("connections:use");
  const page = { query: { limit: 100 } };
  const templates = useWhole(useList("GET /v1/templates", page, { enabled: seesTemplates }));
  const accounts = useWhole(useList("GET /v1/oauth-connections", page, { enabled: seesAccounts }));
  const nameProvider = useProviderNames(seesAccounts);
  if (!seesTemplates && !seesAccounts) return null;
  return (
    <Card title={texts.resources} padded>
      {seesTemplates && (
        <Picker
          legend={texts.templates}
          hint={texts.templatesHint}
          none={texts.noTemplates}
          chosen={form.templateIds}
          onChange={(templateIds) => change({ templateIds })}
          items={templates?.map(({ id, name, description }) => ({
            id,
            label: name,
            hint: description,
          }))}
        />
      )}
      {seesAccounts && (
        <Picker
          legend={texts.connections}
          hint={texts.connectionsHint}
          none={texts.noConnections}
          chosen={form.connectionIds}
          onChange={(connectionIds) => change({ connectionIds })}
          items={accounts?.map(({ id, account, outsideAccount, providerId }) => ({
            id,
            label: outsideAccount?.name ?? account,
            hint: nameProvider(providerId),
          }))}
        />
      )}
    </Card>
  );
}

interface PickerProps {
  legend: string;
  hint: string;
  none: string;
  chosen: readonly string[];
  onChange(ids: string[]): void;
  items: readonly { id: string; label: string; hint: string }[] | undefined;
}

function Picker({ legend, hint, none, chosen, onChange, items }: PickerProps) {
  const missing = items ? chosen.filter((id) => !items.some((item) => item.id === id)) : [];
  const all = [...(items ?? []), ...missing.map((id) => ({ id, label: `…${id.slice(-6)}`, hint: "" }))];
  return (
    <fieldset className="choices-field">
      <legend>{legend}</legend>
      <p className="hint">{items && all.length === 0 ? none : hint}</p>
      <div className="pick-list">
        {all.map(({ id, label, hint: about }) => (
          <CheckField
            key={id}
            label={label}
            hint={about || undefined}
            checked={chosen.includes(id)}
            onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
        ))}
      </div>
    </fieldset>
  );
}
