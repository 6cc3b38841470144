import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useAction } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CheckField, Form, TextField } from "../../../ui/form.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { type ConnectionDetail, changed, isOauth, type Limits, splitScopes } from "../types.ts";
import { RemoveDialog } from "./remove-dialog.tsx";

const { settings: words } = texts;

/** Name, limits, what is logged, and the end of it. */
export const SettingsPart = ({ connection }: { connection: ConnectionDetail }) => (
  <>
    <General key={`${connection.name} ${connection.enabled}`} connection={connection} />
    <LimitsForm key={JSON.stringify(connection.limits)} connection={connection} />
    <LogForm key={`${connection.logPayloads} ${connection.payloadDays}`} connection={connection} />
    <Remove connection={connection} />
  </>
);

const useSave = (done: string) => {
  const toast = useToast();
  return useAction("PATCH /v1/mcp-connections/{id}", { changes: changed, onDone: () => toast(done) });
};

const SaveButton = ({ busy, label }: { busy: boolean; label: string }) => (
  <div className="form-acts">
    <Button type="submit" busy={busy}>
      {label}
    </Button>
  </div>
);

function General({ connection }: { connection: ConnectionDetail }) {
  const [name, setName] = useState(connection.name);
  const [enabled, setEnabled] = useState(connection.enabled);
  const [scopes, setScopes] = useState(connection.scopes.join(" "));
  const save = useSave(words.saved);
  const hasScopes = isOauth(connection.registration);
  return (
    <Card title={words.general} padded>
      <Form
        onSubmit={() =>
          save.run({
            path: { id: connection.id },
            body: { name: name.trim(), enabled, ...(hasScopes ? { scopes: splitScopes(scopes) } : {}) },
          })
        }
        footer={(busy) => <SaveButton busy={busy} label={words.save} />}
      >
        <TextField label={words.name} path="name" value={name} onChange={setName} />
        {hasScopes && (
          <TextField
            label={words.scopes}
            path="scopes"
            hint={words.scopesHint}
            mono
            value={scopes}
            onChange={setScopes}
          />
        )}
        <CheckField label={words.enabled} hint={words.enabledHint} checked={enabled} onChange={setEnabled} />
      </Form>
    </Card>
  );
}

const limitNames = [
  "callsPerMinute",
  "concurrency",
  "timeoutSeconds",
  "maxRequestBytes",
  "maxResultBytes",
  "listingSeconds",
] as const satisfies readonly (keyof Limits)[];

function LimitsForm({ connection: { id, limits } }: { connection: ConnectionDetail }) {
  const [typed, setTyped] = useState<Record<string, string>>(() =>
    Object.fromEntries(limitNames.map((name) => [name, String(limits[name])])),
  );
  const [wrong, setWrong] = useState<readonly string[]>([]);
  const save = useSave(words.savedLimits);
  const submit = async () => {
    const bad = limitNames.filter((name) => !/^\d+$/.test(typed[name]!.trim()));
    setWrong(bad);
    if (bad.length > 0) return;
    const body = Object.fromEntries(limitNames.map((name) => [name, Number(typed[name])]));
    await save.run({ path: { id }, body: { limits: body } });
  };
  return (
    <Card title={words.limits} padded>
      <Form
        className="form wide"
        onSubmit={submit}
        footer={(busy) => <SaveButton busy={busy} label={words.saveLimits} />}
      >
        <p>{words.limitsHint}</p>
        <div className="limit-fields">
          {limitNames.map((name) => (
            <TextField
              key={name}
              label={words[name]}
              path={`limits.${name}`}
              inputMode="numeric"
              {...(name === "listingSeconds" ? { hint: words.listingHint } : {})}
              {...(wrong.includes(name) ? { error: words.number } : {})}
              value={typed[name]!}
              onChange={(value) => setTyped({ ...typed, [name]: value })}
            />
          ))}
        </div>
      </Form>
    </Card>
  );
}

function LogForm({ connection: { id, logPayloads, payloadDays } }: { connection: ConnectionDetail }) {
  const [isOn, setIsOn] = useState(logPayloads);
  const [days, setDays] = useState(String(payloadDays));
  const [isWrong, setIsWrong] = useState(false);
  const save = useSave(words.savedLog);
  return (
    <Card title={words.log} padded>
      <Form
        onSubmit={async () => {
          const isNumber = /^\d+$/.test(days.trim());
          setIsWrong(!isNumber);
          if (isNumber)
            await save.run({ path: { id }, body: { logPayloads: isOn, payloadDays: Number(days) } });
        }}
        footer={(busy) => <SaveButton busy={busy} label={words.saveLog} />}
      >
        <CheckField label={words.logPayloads} hint={words.logHint} checked={isOn} onChange={setIsOn} />
        {isOn && (
          <TextField
            label={words.payloadDays}
            path="payloadDays"
            inputMode="numeric"
            {...(isWrong ? { error: words.number } : {})}
            value={days}
            onChange={setDays}
          />
        )}
      </Form>
    </Card>
  );
}

function Remove({ connection }: { connection: ConnectionDetail }) {
  const [asks, setAsks] = useState(false);
  return (
    <Card title={words.remove} padded>
      <div className="stack-s">
        <p>{words.removeText}</p>
        <div className="form-acts">
          <Button look="destructive" icon={Trash2} onClick={() => setAsks(true)}>
            {words.remove}
          </Button>
        </div>
      </div>
      <RemoveDialog connection={connection} open={asks} onClose={() => setAsks(false)} />
    </Card>
  );
}
