import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { readWhole } from "../../lib/numbers.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { CheckField, Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = settings.telemetry;
const read = "GET /v1/telemetry/settings";

export function TelemetrySettings() {
  const query = useRead(read, {});
  return (
    <div className="parts">
      <p>{texts.lead}</p>
      <Loaded query={query} what={texts.what}>
        {(data) => <Editor settings={data.settings} />}
      </Loaded>
    </div>
  );
}

function Editor({ settings: given }: { settings: Reply<typeof read>["settings"] }) {
  const mayChange = usePermission("telemetry:manage");
  const toast = useToast();
  const [enabled, setEnabled] = useState(given.enabled);
  const [keepsContents, setKeepsContents] = useState(given.keepsContents);
  const [days, setDays] = useState(String(given.retentionDays));
  const save = useAction("PUT /v1/telemetry/settings", { changes: [read] });
  return (
    <Card title={texts.title} padded>
      {!mayChange && <p className="note">{settings.readOnly("telemetry:manage")}</p>}
      <Form
        onSubmit={async () => {
          await save.run({ body: { enabled, keepsContents, retentionDays: readWhole(days) } });
          toast(settings.saved);
        }}
        footer={(busy) =>
          mayChange && (
            <div className="form-acts">
              <Button look="primary" type="submit" busy={busy}>
                {common.actions.save}
              </Button>
            </div>
          )
        }
      >
        <CheckField
          label={texts.enabled}
          hint={texts.enabledHint}
          checked={enabled}
          onChange={setEnabled}
          disabled={!mayChange}
        />
        <CheckField
          label={texts.contents}
          hint={texts.contentsHint}
          checked={keepsContents}
          onChange={setKeepsContents}
          disabled={!mayChange}
        />
        <TextField
          label={texts.retention}
          hint={texts.retentionHint}
          value={days}
          onChange={setDays}
          path="retentionDays"
          type="number"
          readOnly={!mayChange}
        />
      </Form>
    </Card>
  );
}
