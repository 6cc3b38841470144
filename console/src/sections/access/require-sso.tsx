import { useState } from "react";
import { useOrganization } from "../../lib/context.tsx";
import { useAction, useRead } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Form, SelectField } from "../../ui/form.tsx";
import { Refusal } from "../../ui/refusal.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = access.sso;

export function RequireSso({ hasConnectors }: { hasConnectors: boolean }) {
  const { permissions } = useOrganization();
  const mayManage = permissions.has("sso:manage") && permissions.has("organization:update");
  const organization = useRead("GET /v1/organization", {});
  const [isAsking, setIsAsking] = useState(false);
  const toast = useToast();
  const change = useAction("PATCH /v1/organization", {
    changes: ["GET /v1/organization"],
    onDone: () => toast(texts.saved),
  });
  return (
    <Card title={texts.require} padded>
      <Loaded query={organization} what={access.what.sso} rows={1}>
        {({ organization: { requireSso } }) => (
          <div className="row wrap">
            <p className="grow">
              <span className="strong">{requireSso ? texts.required : texts.notRequired}.</span>{" "}
              {requireSso ? texts.requiredText : texts.notRequiredText}
            </p>
            {mayManage && requireSso && (
              <Button busy={change.isRunning} onClick={() => change.start({ body: { requireSso: false } })}>
                {texts.stopRequiring}
              </Button>
            )}
            {mayManage && !requireSso && hasConnectors && (
              <Button onClick={() => setIsAsking(true)}>{texts.require}</Button>
            )}
            <Refusal of={change} />
          </div>
        )}
      </Loaded>
      {isAsking && (
        <RequireDialog onClose={() => setIsAsking(false)} onSave={(body) => change.run({ body })} />
      )}
    </Card>
  );
}

interface DialogProps {
  onClose(): void;
  onSave(body: { requireSso: true; breakGlassMemberId: string }): Promise<unknown>;
}

function RequireDialog({ onClose, onSave }: DialogProps) {
  const owners = useRead("GET /v1/members", { query: { role: "owner", status: "active", limit: 100 } });
  const [chosen, setChosen] = useState("");
  const options = (owners.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const memberId = chosen || options[0]?.value || "";
  const submit = async () => {
    await onSave({ requireSso: true, breakGlassMemberId: memberId });
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={texts.requireTitle} lead={texts.requireText}>
      <Form
        onSubmit={submit}
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {texts.require}
            </Button>
          </footer>
        )}
      >
        <SelectField
          label={texts.breakGlass}
          hint={texts.breakGlassHint}
          path="breakGlassMemberId"
          value={memberId}
          onChange={setChosen}
          options={options}
        />
      </Form>
    </Dialog>
  );
}
