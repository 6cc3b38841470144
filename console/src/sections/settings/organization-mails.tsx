import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { useAction, useRead } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Form } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = settings.mails;
const read = "GET /v1/notification-settings";
type Mail = Reply<typeof read>["settings"]["mail"];
type EventName = keyof Mail;
type Who = "member" | "admins";
const groups: readonly Who[] = ["member", "admins"];

export function OrganizationMails() {
  const query = useRead(read, {});
  return (
    <Loaded query={query} what={texts.what} rows={6}>
      {(data) => <Editor given={data.settings.mail} />}
    </Loaded>
  );
}

function Editor({ given }: { given: Mail }) {
  const mayChange = usePermission("notifications:manage");
  const toast = useToast();
  const [mail, setMail] = useState(given);
  const save = useAction("PUT /v1/notification-settings", {
    changes: [read, "GET /v1/me/notification-settings"],
  });
  const has = (event: EventName, who: Who) => (mail[event] as readonly Who[]).includes(who);
  const change = (event: EventName, who: Who, checked: boolean) => {
    const others = (mail[event] as readonly Who[]).filter((one) => one !== who);
    setMail({ ...mail, [event]: checked ? [...others, who] : others } as Mail);
  };
  return (
    <Card title={texts.organization} padded>
      <p>{texts.organizationLead}</p>
      {!mayChange && <p className="note">{settings.readOnly("notifications:manage")}</p>}
      <Form
        className="form wide"
        onSubmit={async () => {
          await save.run({ body: { mail } });
          toast(settings.saved);
        }}
        footer={(busy) =>
          mayChange && (
            <div className="form-acts">
              <Button type="submit" busy={busy}>
                {common.actions.save}
              </Button>
            </div>
          )
        }
      >
        <div className="scroll">
          <table className="tbl two" aria-label={texts.organization}>
            <thead>
              <tr>
                <th scope="col">{texts.event}</th>
                {groups.map((who) => (
                  <th key={who} scope="col">
                    {texts[who]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(Object.keys(mail) as EventName[]).map((event) => (
                <tr key={event}>
                  <th scope="row">
                    <span className="strong">{settings.events[event].title}</span>
                  </th>
                  {groups.map((who) => (
                    <td key={who}>
                      {(who === "admins" || event !== "budget.reached") && (
                        <input
                          type="checkbox"
                          className="check"
                          checked={has(event, who)}
                          disabled={!mayChange}
                          aria-label={texts.checkLabel(settings.events[event].title, texts[who])}
                          onChange={({ target }) => change(event, who, target.checked)}
                        />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Form>
    </Card>
  );
}
