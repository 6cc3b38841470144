import { useState } from "react";
import { useAction, useList } from "../../lib/queries.ts";
import { discover as texts } from "../../texts/discover.ts";
import { Button } from "../../ui/button.tsx";
import { SecretRow } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Failure, Skeleton } from "../../ui/feedback.tsx";
import { Form, FormProblem, SelectField, useProblem } from "../../ui/form.tsx";
import { Id, Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const { share: words } = texts;
const shares = "GET /v1/mcp-discoveries/{id}/shares" as const;
const dayChoices = [1, 7, 30];

interface ShareDialogProps {
  id: string;
  open: boolean;
  onClose(): void;
}

/** Creates links that show a verdict without an account, and revokes them. */
export function ShareDialog({ id, open, onClose }: ShareDialogProps) {
  const [days, setDays] = useState("7");
  const [created, setCreated] = useState<string>();
  const create = useAction("POST /v1/mcp-discoveries/{id}/shares", {
    changes: [shares],
    onDone: ({ url }) => setCreated(url),
  });
  const close = () => {
    setCreated(undefined);
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title={words.title} lead={words.lead}>
      {created ? (
        <div className="field">
          <span className="strong">{words.created}</span>
          <SecretRow value={created} />
        </div>
      ) : (
        <Form
          onSubmit={() => create.run({ path: { id }, body: { expiresInDays: Number(days) } })}
          footer={(busy) => (
            <div className="form-acts">
              <Button look="primary" type="submit" busy={busy}>
                {words.create}
              </Button>
            </div>
          )}
        >
          <SelectField
            label={words.expires}
            path="expiresInDays"
            value={days}
            onChange={setDays}
            options={dayChoices.map((n) => ({ value: String(n), label: words.days(n) }))}
          />
        </Form>
      )}
      {open && <Links id={id} />}
    </Dialog>
  );
}

function Links({ id }: { id: string }) {
  const list = useList(shares, { path: { id } });
  const remove = useAction("DELETE /v1/mcp-discoveries/{id}/shares/{shareId}", { changes: [shares] });
  const { problem, attempt } = useProblem();
  const toast = useToast();
  const revoke = async (shareId: string) => {
    if (await attempt(() => remove.run({ path: { id, shareId } }))) toast(words.revoked);
  };
  if (list.error) return <Failure error={list.error} what={words.what} onRetry={list.retry} />;
  return (
    <section className="field">
      <h3 className="strong">{words.links}</h3>
      {list.isLoading ? (
        <Skeleton rows={1} />
      ) : list.rows.length === 0 ? (
        <p className="t3">{words.none}</p>
      ) : (
        <ul className="lined">
          {list.rows.map(({ id: shareId, expiresAt }) => (
            <li key={shareId} className="row">
              <span className="grow">
                <Id id={shareId} /> <span className="t3">{words.ends}</span> <Time at={expiresAt} />
              </span>
              <Button size="s" look="destructive" onClick={() => void revoke(shareId)}>
                {words.revoke}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <FormProblem problem={problem} />
    </section>
  );
}
