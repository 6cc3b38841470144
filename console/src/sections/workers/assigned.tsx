import type { Worker } from "@signalbox/client";
import { useState } from "react";
import { useOrganization } from "../../lib/context.tsx";
import { useAction, useRead } from "../../lib/queries.ts";
import { workers } from "../../texts/workers.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckField, Form } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = workers.assigned;

interface Option {
  id: string;
  name: string;
}

/** What the worker may read and use: templates, accounts, LLM providers. */
export function Assigned({ worker }: { worker: Worker }) {
  const { permissions } = useOrganization();
  const mayManage = permissions.has("workers:manage");
  const toast = useToast();
  const [templateIds, setTemplateIds] = useState(worker.templateIds);
  const [connectionIds, setConnectionIds] = useState(worker.connectionIds);
  const [llmProviderIds, setLlmProviderIds] = useState(worker.llmProviderIds);
  const page = { query: { limit: 100 } };
  const templates = useRead("GET /v1/templates", page, { enabled: permissions.has("templates:read") });
  const connections = useRead("GET /v1/oauth-connections", page, {
    enabled: permissions.has("connections:use"),
  });
  const providers = useRead("GET /v1/llm-providers", page, { enabled: permissions.has("llm_providers:use") });
  const save = useAction("PATCH /v1/workers/{id}", {
    changes: ["GET /v1/workers", "GET /v1/workers/{id}"],
    onDone: () => toast(texts.saved),
  });
  return (
    <Form
      className="form wide"
      onSubmit={() =>
        save.run({ path: { id: worker.id }, body: { templateIds, connectionIds, llmProviderIds } })
      }
      footer={(busy) =>
        mayManage && (
          <div className="form-acts">
            <Button look="primary" type="submit" busy={busy}>
              {texts.save}
            </Button>
          </div>
        )
      }
    >
      <p>{texts.lead}</p>
      <Choices
        title={texts.templates}
        options={templates.data?.items.map(({ id, name }) => ({ id, name }))}
        chosen={templateIds}
        onChange={setTemplateIds}
        mayManage={mayManage}
      />
      <Choices
        title={texts.connections}
        options={connections.data?.items.map(({ id, providerId, account }) => ({
          id,
          name: `${providerId} · ${typeof account === "string" ? account : id}`,
        }))}
        chosen={connectionIds}
        onChange={setConnectionIds}
        mayManage={mayManage}
      />
      <Choices
        title={texts.llmProviders}
        options={providers.data?.items.map(({ id, name }) => ({ id, name }))}
        chosen={llmProviderIds}
        onChange={setLlmProviderIds}
        mayManage={mayManage}
      />
    </Form>
  );
}

interface ChoicesProps {
  title: string;
  options: Option[] | undefined;
  chosen: string[];
  onChange(ids: string[]): void;
  mayManage: boolean;
}

function Choices({ title, options = [], chosen, onChange, mayManage }: ChoicesProps) {
  return (
    <Card title={title} padded>
      {options.length === 0 ? (
        <p className="t3">{texts.none}</p>
      ) : (
        <div className="stack-s">
          {options.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={chosen.includes(id)}
              disabled={!mayManage}
              onChange={(checked) =>
                onChange(checked ? [...chosen, id] : chosen.filter((other) => other !== id))
              }
            />
          ))}
        </div>
      )}
    </Card>
  );
}
