import type { Worker } from "@signalbox/client";
import { useOrganization } from "../../lib/context.tsx";
import { useEdits } from "../../lib/edits.ts";
import { useProviderNames } from "../../lib/provider-names.ts";
import { useAction, useList, useWhole } from "../../lib/queries.ts";
import { workers } from "../../texts/workers.ts";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { PickList } from "../../ui/pick-list.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = workers.assigned;

/** What the worker may read and use: templates, accounts, LLM providers, MCP connections. */
export function Assigned({ worker }: { worker: Worker }) {
  const { permissions } = useOrganization();
  const mayManage = permissions.has("workers:manage");
  const toast = useToast();
  const { templateIds, connectionIds, llmProviderIds, mcpConnectionIds } = worker;
  const { fields, edits, edit, forget } = useEdits({
    ...{ templateIds, connectionIds, llmProviderIds, mcpConnectionIds },
  });
  const page = { query: { limit: 100 } };
  const mayRead = (permission: string) => ({ enabled: permissions.has(permission) });
  const templates = useWhole(useList("GET /v1/templates", page, mayRead("templates:read")));
  const connections = useWhole(useList("GET /v1/oauth-connections", page, mayRead("connections:use")));
  const nameProvider = useProviderNames(permissions.has("connections:use"));
  const providers = useWhole(useList("GET /v1/llm-providers", page, mayRead("llm_providers:use")));
  const mcpConnections = useWhole(useList("GET /v1/mcp-connections", page, mayRead("mcp_connections:use")));
  // A connection that was deleted still limits the runs, so it can be taken away here.
  const gone = worker.mcpConnectionIds
    .filter((id) => !mcpConnections?.some((one) => one.id === id))
    .map((id) => ({ id, name: texts.gone(id) }));
  const save = useAction("PATCH /v1/workers/{id}", {
    changes: ["GET /v1/workers", "GET /v1/workers/{id}"],
    onDone: (_, { body }) => {
      forget(body);
      toast(texts.saved);
    },
  });
  return (
    <Form
      className="form wide"
      onSubmit={() => save.run({ path: { id: worker.id }, body: edits })}
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
      <PickList
        title={texts.templates}
        items={templates}
        chosen={fields.templateIds}
        onChange={edit("templateIds")}
        disabled={!mayManage}
      />
      <PickList
        title={texts.connections}
        items={connections?.map(({ id, providerId, account }) => ({
          id,
          name: `${nameProvider(providerId)} · ${typeof account === "string" ? account : id}`,
        }))}
        chosen={fields.connectionIds}
        onChange={edit("connectionIds")}
        disabled={!mayManage}
      />
      <PickList
        title={texts.llmProviders}
        items={providers}
        chosen={fields.llmProviderIds}
        onChange={edit("llmProviderIds")}
        disabled={!mayManage}
      />
      <PickList
        title={texts.mcpConnections}
        hint={texts.mcpConnectionsHint}
        items={mcpConnections && [...mcpConnections, ...gone]}
        chosen={fields.mcpConnectionIds}
        onChange={edit("mcpConnectionIds")}
        disabled={!mayManage || !permissions.has("mcp_connections:manage")}
      />
    </Form>
  );
}
