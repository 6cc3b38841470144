import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Form, SelectField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = settings.mails;
const read = "GET /v1/me/notification-settings";
type Own = Reply<typeof read>;
type Mail = Own["settings"]["mail"];
type EventName = keyof Mail;

/** The API writes "as the organization decides" as null. */
const asDefault = "default";

export function OwnMails() {
  const query = useRead(read, {});
  return (
    <Loaded query={query} what={texts.what} rows={6}>
      {(data) => <Editor own={data} />}
    </Loaded>
  );
}

function Editor({ own }: { own: Own }) {
  const toast = useToast();
  const [mail, setMail] = useState<Mail>(own.settings.mail);
  const save = useAction("PUT /v1/me/notification-settings", { changes: [read] });
  const events = Object.keys(mail) as EventName[];
  const listChoices = (event: EventName) => {
    const values = event === "budget.reached" ? (["off", "all"] as const) : (["off", "own", "all"] as const);
    const isDefault = own.settings.mail[event] === null;
    return [
      {
        value: asDefault,
        label: `${texts.choices.default}${isDefault ? ` (${texts.now[own.effective[event]]})` : ""}`,
      },
      ...values.map((value) => ({ value, label: texts.choices[value] })),
    ];
  };
  return (
    <Card title={texts.own} padded>
      <p>{texts.ownLead}</p>
      {!own.emailVerified && <p className="note care">{texts.notVerified}</p>}
      <Form
        onSubmit={async () => {
          await save.run({ body: { mail } });
          toast(settings.saved);
        }}
        footer={(busy) => (
          <div className="form-acts">
            <Button type="submit" busy={busy}>
              {common.actions.save}
            </Button>
          </div>
        )}
      >
        {events.map((event) => (
          <SelectField
            key={event}
            label={settings.events[event].title}
            hint={settings.events[event].hint}
            value={mail[event] ?? asDefault}
            onChange={(value) => setMail({ ...mail, [event]: value === asDefault ? null : value } as Mail)}
            options={listChoices(event)}
            path={`mail.${event}`}
          />
        ))}
      </Form>
    </Card>
  );
}
