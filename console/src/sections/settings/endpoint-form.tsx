import { useState } from "react";
import type { Item } from "../../lib/api.ts";
import { useAction } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = settings.webhooks;
type Endpoint = Item<"GET /v1/webhook-endpoints">;
type Type = Endpoint["types"][number];
const allTypes = [
  "run.failed",
  "connection.needs_attention",
  "budget.reached",
  "sync.failed",
  "worker.unseen",
  "mcp_connection.drift",
  "mcp_connection.failing",
  "mcp_approval.requested",
] as const satisfies readonly Type[];

/** The fields that somebody changed. The address and the events need permissions that a new description does not. */
const leaveOutSame = (body: Pick<Endpoint, "url" | "description" | "types">, before: Endpoint) => ({
  ...(body.url === before.url ? {} : { url: body.url }),
  ...(body.description === before.description ? {} : { description: body.description }),
  ...(body.types.join() === before.types.join() ? {} : { types: body.types }),
});

interface EndpointFormProps {
  /** The endpoint to change. Undefined: a new one. */
  endpoint?: Endpoint;
  onClose(): void;
  onCreated?(id: string, secret: string): void;
}

export function EndpointForm({ endpoint, onClose, onCreated }: EndpointFormProps) {
  const toast = useToast();
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const [types, setTypes] = useState<readonly Type[]>(endpoint?.types ?? []);
  const changes = ["GET /v1/webhook-endpoints", "GET /v1/webhook-endpoints/{id}"] as const;
  const create = useAction("POST /v1/webhook-endpoints", { changes });
  const change = useAction("PATCH /v1/webhook-endpoints/{id}", { changes });
  const submit = async () => {
    const body = { url: url.trim(), description: description.trim(), types: [...types] };
    if (endpoint) {
      await change.run({ path: { id: endpoint.id }, body: leaveOutSame(body, endpoint) });
      toast(settings.saved);
      return onClose();
    }
    const reply = await create.run({ body });
    onCreated?.(reply.webhookEndpoint.id, reply.secret);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={endpoint ? texts.edit : texts.createTitle}
      lead={endpoint ? undefined : texts.createLead}
    >
      <Form
        onSubmit={submit}
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {endpoint ? common.actions.save : common.actions.create}
            </Button>
          </footer>
        )}
      >
        <TextField
          label={texts.url}
          hint={texts.urlHint}
          value={url}
          onChange={setUrl}
          path="url"
          type="url"
          mono
          autoFocus
        />
        <TextField
          label={texts.description}
          value={description}
          onChange={setDescription}
          path="description"
        />
        <fieldset className="choices-field">
          <legend>{texts.types}</legend>
          <CheckField
            label={texts.allTypes}
            checked={types.length === 0}
            onChange={(checked) => setTypes(checked ? [] : allTypes)}
          />
          {types.length > 0 &&
            allTypes.map((type) => (
              <CheckField
                key={type}
                label={settings.events[type].title}
                checked={types.includes(type)}
                onChange={(checked) =>
                  setTypes(checked ? [...types, type] : types.filter((other) => other !== type))
                }
              />
            ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}
