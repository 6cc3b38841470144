import type { ApiKey } from "@signalbox/client";
import { useState } from "react";
import { useOrganization } from "../../lib/context.tsx";
import { useAction } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { SecretRow } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, ChoiceField, Form, SelectField, TextField } from "../../ui/form.tsx";

const texts = access.keys;
const dayMs = 24 * 3_600_000;
type Expiry = keyof typeof texts.expiries;
const expiryOptions = Object.entries(texts.expiries).map(([value, label]) => ({ value, label }));

export function NewKeyDialog({ onClose }: { onClose(): void }) {
  const [made, setMade] = useState<{ name: string; key: string }>();
  return (
    <Dialog
      open
      onClose={onClose}
      title={made ? texts.created(made.name) : texts.new}
      lead={made ? undefined : texts.lead}
    >
      {made ? (
        <Made secret={made.key} onClose={onClose} />
      ) : (
        <NewKeyForm onClose={onClose} onMade={setMade} />
      )}
    </Dialog>
  );
}

const Made = ({ secret, onClose }: { secret: string; onClose(): void }) => (
  <>
    <SecretRow value={secret} />
    <footer className="row dlg-acts">
      <Button look="primary" onClick={onClose}>
        {texts.done}
      </Button>
    </footer>
  </>
);

interface FormProps {
  onClose(): void;
  onMade(made: { name: string; key: string }): void;
}

function NewKeyForm({ onClose, onMade }: FormProps) {
  const { permissions } = useOrganization();
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("90");
  const [rights, setRights] = useState<"all" | "some">("all");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const create = useAction("POST /v1/api-keys", {
    changes: ["GET /v1/api-keys"],
    onDone: ({ apiKey, key }) => onMade({ name: apiKey.name, key }),
  });
  const submit = () =>
    create.run({
      body: {
        name: name.trim(),
        ...(expiry === "never" ? {} : { expiresAt: Date.now() + Number(expiry) * dayMs }),
        ...(rights === "some" ? { permissions: [...chosen] as never[] } : {}),
      },
    });
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <footer className="row dlg-acts">
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={busy}>
            {texts.create}
          </Button>
        </footer>
      )}
    >
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        path="name"
        value={name}
        onChange={setName}
        autoFocus
      />
      <SelectField
        label={texts.expiry}
        path="expiresAt"
        value={expiry}
        onChange={(value) => setExpiry(value as Expiry)}
        options={expiryOptions}
      />
      <ChoiceField
        legend={texts.rights}
        value={rights}
        onChange={setRights}
        options={[
          { value: "all", label: texts.allRights, hint: texts.allRightsHint },
          { value: "some", label: texts.someRights, hint: texts.someRightsHint },
        ]}
      />
      {rights === "some" && (
        <fieldset className="choices-field scroll">
          <legend className="vh">{texts.someRights}</legend>
          {[...permissions].sort().map((permission) => (
            <CheckField
              key={permission}
              label={<code>{permission}</code>}
              checked={chosen.includes(permission)}
              onChange={(checked) =>
                setChosen(checked ? [...chosen, permission] : chosen.filter((other) => other !== permission))
              }
            />
          ))}
        </fieldset>
      )}
    </Form>
  );
}

export function RotateKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose(): void }) {
  const [overlap, setOverlap] = useState("86400");
  const [secret, setSecret] = useState<string>();
  const rotate = useAction("POST /v1/api-keys/{id}/rotate", {
    changes: ["GET /v1/api-keys"],
    onDone: ({ key }) => setSecret(key),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={secret ? texts.rotated : texts.rotateTitle(apiKey.name)}
      lead={secret ? undefined : texts.rotateLead}
    >
      {secret ? (
        <Made secret={secret} onClose={onClose} />
      ) : (
        <Form
          onSubmit={() => rotate.run({ path: { id: apiKey.id }, body: { overlapSeconds: Number(overlap) } })}
          footer={(busy) => (
            <footer className="row dlg-acts">
              <Button onClick={onClose}>{common.actions.cancel}</Button>
              <Button look="primary" type="submit" busy={busy}>
                {texts.rotate}
              </Button>
            </footer>
          )}
        >
          <SelectField
            label={texts.overlap}
            path="overlapSeconds"
            value={overlap}
            onChange={setOverlap}
            options={Object.entries(texts.overlaps).map(([value, label]) => ({ value, label }))}
          />
        </Form>
      )}
    </Dialog>
  );
}
