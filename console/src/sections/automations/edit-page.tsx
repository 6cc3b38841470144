import type { Automation } from "@signalbox/client";
import { useNavigate, useParams } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useOrganization, usePermission } from "../../lib/context.tsx";
import { formatDate } from "../../lib/format.ts";
import { usePath } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { automations } from "../../texts/automations.ts";
import { common } from "../../texts/common.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Forbidden } from "../../ui/feedback.tsx";
import { AreaField, Form, TextField } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { PendingRecord } from "../../ui/pending-record.tsx";
import { useNow } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import "./automations.css";
import {
  type AutomationForm,
  checkForm,
  createForm,
  toBody,
  toChanges,
  toForm,
} from "./editor/automation-form.ts";
import { LeaveGuard } from "./editor/leave-guard.tsx";
import { LimitFields } from "./editor/limit-fields.tsx";
import { ResourceFields } from "./editor/resource-fields.tsx";
import { useDraft } from "./editor/use-draft.ts";
import { ScheduleBuilder } from "./schedule/schedule-builder.tsx";

const texts = automations.edit;
const needed = "automations:create";

export default function EditPage() {
  const { id } = useParams({ strict: false }) as { id?: string };
  if (!usePermission(needed))
    return (
      <Page name={automations.title} title={automations.title}>
        <Forbidden permission={needed} />
      </Page>
    );
  return id === undefined ? <Editor /> : <EditExisting id={id} />;
}

function EditExisting({ id }: { id: string }) {
  const path = usePath();
  const read = useRead("GET /v1/automations/{id}", { path: { id } });
  const automation = read.data?.automation;
  if (!automation)
    return (
      <PendingRecord
        id={id}
        list={{ label: automations.title, to: path("/automations") }}
        query={read}
        what={automations.record.what}
      />
    );
  return <Editor key={id} automation={automation} />;
}

/** The request was not sent, because the page knows what is missing. */
class IncompleteError extends Error {}

function Editor({ automation }: { automation?: Automation }) {
  const { memberId } = useOrganization();
  const path = usePath();
  const navigate = useNavigate();
  const toast = useToast();
  const now = useNow();
  const isNew = automation === undefined;
  // Later reads of the same automation do not overwrite what somebody types, only what nobody has touched.
  const [first, setFirst] = useState(automation);
  const original = useMemo(() => (first ? toForm(first) : createForm()), [first]);
  // The drafts of a browser belong to the person who wrote them, not to whoever signs in next.
  const draft = useDraft(`signalbox.draft.${memberId}.${first?.id ?? "new"}`, original, first?.revision ?? 0);
  const { form, setForm } = draft;
  if (automation && first && automation.revision > first.revision && !draft.isChanged) {
    setFirst(automation);
    setForm(toForm(automation));
  }
  const [hasTried, setHasTried] = useState(false);
  const isDone = useRef(false);
  const errors = hasTried ? checkForm(form) : {};
  const change = (changes: Partial<AutomationForm>) => setForm((before) => ({ ...before, ...changes }));

  const finish = (saved: Automation, text: string) => {
    isDone.current = true;
    draft.forget();
    toast(text);
    void navigate({ to: path(`/automations/${saved.id}`) });
  };
  const changes = [
    "GET /v1/automations",
    "GET /v1/automations/{id}",
    "GET /v1/automations/{id}/revisions",
  ] as const;
  const create = useAction("POST /v1/automations", { changes });
  const save = useAction("PATCH /v1/automations/{id}", { changes });
  const submit = async () => {
    setHasTried(true);
    if (Object.keys(checkForm(form)).length > 0) throw new IncompleteError(common.form.invalid);
    if (!first) {
      const { automation: made } = await create.run({ body: { ...toBody(form), active: form.active } });
      finish(made, texts.created(made.name));
      return;
    }
    const owner = form.memberId !== "" && form.memberId !== first.memberId ? { memberId: form.memberId } : {};
    const { automation: saved } = await save.run({
      path: { id: first.id },
      body: { ...toChanges(form, original), ...owner, expectedRevision: draft.baseRevision },
    });
    finish(saved, saved.revision === first.revision ? texts.unchanged : texts.saved(saved.revision));
  };

  const title = isNew ? texts.newTitle : texts.title(first!.name);
  const back = isNew ? path("/automations") : path(`/automations/${first!.id}`);
  return (
    <Page
      name={title}
      crumbs={[
        { label: automations.title, to: path("/automations") },
        ...(isNew ? [] : [{ label: first!.name, to: back }]),
        { label: isNew ? texts.newTitle : common.actions.edit },
      ]}
      title={title}
      lead={isNew ? texts.newLead : texts.lead}
    >
      <LeaveGuard shouldAsk={() => draft.isChanged && !isDone.current} />
      {draft.kept && (
        <div className="note care kept" role="status">
          <History className="i s" aria-hidden />
          <span className="grow">
            {texts.kept(formatDate(draft.kept.at, now))} {draft.isOutdated && texts.conflict}
          </span>
          <Button size="s" onClick={draft.discard}>
            {texts.discard}
          </Button>
        </div>
      )}
      <Form
        className="edit-form"
        onSubmit={submit}
        footer={(busy) => (
          <div className="savebar">
            {draft.isChanged && <span className="small t3 no-phone">{texts.unsaved}</span>}
            <LinkButton to={back}>{common.actions.cancel}</LinkButton>
            <Button look="primary" type="submit" busy={busy}>
              {isNew ? texts.create : texts.save}
            </Button>
          </div>
        )}
      >
        <Card padded>
          <TextField
            label={texts.name}
            path="name"
            placeholder={texts.namePlaceholder}
            value={form.name}
            error={errors.name}
            onChange={(name) => change({ name })}
          />
          <AreaField
            label={texts.instructions}
            path="instructions"
            hint={texts.instructionsHint}
            rows={10}
            value={form.instructions}
            error={errors.instructions}
            onChange={(instructions) => change({ instructions })}
          />
        </Card>
        <Card title={texts.schedule} padded>
          <div className="narrow">
            <ScheduleBuilder value={form.schedule} onChange={(schedule) => change({ schedule })} />
          </div>
        </Card>
        <ResourceFields form={form} change={change} />
        <LimitFields form={form} change={change} errors={errors} isNew={isNew} />
      </Form>
    </Page>
  );
}
