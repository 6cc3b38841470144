import { usePermission } from "../../../lib/context.tsx";
import { useList, useWhole } from "../../../lib/queries.ts";
import { automations } from "../../../texts/automations.ts";
import { Card } from "../../../ui/card.tsx";
import { CheckField, SelectField, TextField } from "../../../ui/form.tsx";
import type { AutomationForm } from "./automation-form.ts";

const texts = automations.edit;

interface LimitFieldsProps {
  form: AutomationForm;
  change(changes: Partial<AutomationForm>): void;
  errors: Partial<Record<keyof AutomationForm, string>>;
  isNew: boolean;
}

/** Time limit, model, owner and whether it is active. */
export function LimitFields({ form, change, errors, isNew }: LimitFieldsProps) {
  const usesProviders = usePermission("llm_providers:use");
  const mayChangeOwner = usePermission("automations:manage") && !isNew;
  const seesMembers = usePermission("members:read");
  const page = { query: { limit: 100 } };
  const list = useWhole(useList("GET /v1/llm-providers", page, { enabled: usesProviders })) ?? [];
  const mayPick = mayChangeOwner && seesMembers;
  const members = useWhole(useList("GET /v1/members", page, { enabled: mayPick }));
  const provider = list.find(({ id }) => id === form.providerId);
  const models = provider?.models?.filter((model) => !model.includes("*")) ?? [];
  return (
    <Card title={texts.limits} padded>
      <div className="narrow">
        <TextField
          label={texts.maxMinutes}
          path="maxRuntimeSeconds"
          hint={texts.maxMinutesHint}
          inputMode="numeric"
          value={form.maxMinutes}
          error={errors.maxMinutes}
          onChange={(maxMinutes) => change({ maxMinutes })}
        />
      </div>
      {(usesProviders || form.providerId !== "") && (
        <div className="narrow">
          <SelectField
            label={texts.provider}
            path="model.providerId"
            value={form.providerId}
            onChange={(providerId) => change({ providerId, modelId: "" })}
            options={[
              { value: "", label: texts.anyProvider },
              ...list.map(({ id, name }) => ({ value: id, label: name })),
              ...(form.providerId !== "" && !provider
                ? [{ value: form.providerId, label: form.providerId }]
                : []),
            ]}
          />
        </div>
      )}
      {form.providerId !== "" && (
        <div className="narrow">
          <TextField
            label={texts.model}
            path="model.modelId"
            hint={models.length > 0 ? models.join(", ") : texts.modelHint}
            mono
            value={form.modelId}
            error={errors.modelId}
            onChange={(modelId) => change({ modelId })}
          />
        </div>
      )}
      {mayPick && members && (
        <div className="narrow">
          <SelectField
            label={texts.owner}
            path="memberId"
            hint={texts.ownerHint}
            value={form.memberId}
            onChange={(memberId) => change({ memberId })}
            options={[
              ...(form.memberId === "" ? [{ value: "", label: automations.none }] : []),
              ...members.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </div>
      )}
      {isNew && (
        <CheckField
          label={texts.active}
          hint={texts.activeHint}
          checked={form.active}
          onChange={(active) => change({ active })}
        />
      )}
    </Card>
  );
}
