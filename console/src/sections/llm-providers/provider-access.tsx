import type { LlmProvider, LlmProviderAccess } from "@signalbox/client";
import { useState } from "react";
import { useAction, useList, useRead, useWhole } from "../../lib/queries.ts";
import { llmProviders } from "../../texts/llm-providers.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { AreaField, CheckField, Form } from "../../ui/form.tsx";
import { PickList } from "../../ui/pick-list.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = llmProviders.access;

export function ProviderAccess({ provider }: { provider: LlmProvider }) {
  const query = useRead("GET /v1/llm-providers/{id}/access", { path: { id: provider.id } });
  return (
    <Loaded query={query} what={llmProviders.what.access}>
      {({ access }) => (
        <AccessForm key={`${provider.id} ${JSON.stringify(access)}`} provider={provider} access={access} />
      )}
    </Loaded>
  );
}

function AccessForm({ provider, access }: { provider: LlmProvider; access: LlmProviderAccess }) {
  const toast = useToast();
  const [organization, setOrganization] = useState(access.organization);
  const [teamIds, setTeamIds] = useState(access.teamIds);
  const [memberIds, setMemberIds] = useState(access.memberIds);
  const [models, setModels] = useState((access.models ?? []).join("\n"));
  const teams = useWhole(useList("GET /v1/teams", { query: { limit: 100 } }));
  const members = useWhole(useList("GET /v1/members", { query: { status: "active", limit: 100 } }));
  const save = useAction("PUT /v1/llm-providers/{id}/access", {
    changes: ["GET /v1/llm-providers/{id}/access"],
    onDone: () => toast(texts.saved),
  });
  const submit = () => {
    const listed = models
      .split("\n")
      .map((model) => model.trim())
      .filter(Boolean);
    return save.run({
      path: { id: provider.id },
      body: {
        organization,
        teamIds,
        memberIds,
        models: listed.length > 0 ? listed : null,
        // Rules for single subjects that this page does not edit are kept.
        modelsBySubject: access.modelsBySubject,
      },
    });
  };
  return (
    <Form
      className="form wide"
      onSubmit={submit}
      footer={(busy) => (
        <div className="form-acts">
          <Button look="primary" type="submit" busy={busy}>
            {texts.save}
          </Button>
        </div>
      )}
    >
      <p>{texts.lead}</p>
      <CheckField label={texts.organization} checked={organization} onChange={setOrganization} />
      {!organization && (
        <>
          <PickList title={texts.teams} items={teams} chosen={teamIds} onChange={setTeamIds} />
          <PickList title={texts.members} items={members} chosen={memberIds} onChange={setMemberIds} />
        </>
      )}
      <AreaField
        label={texts.models}
        hint={texts.modelsHint}
        path="models"
        mono
        value={models}
        onChange={setModels}
        rows={4}
      />
      <p className="small t3">
        {texts.workers}: {access.workerIds.length}. {texts.workersText}
      </p>
    </Form>
  );
}
