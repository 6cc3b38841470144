import { useState } from "react";
import { useAction } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { CopyRow, SecretRow } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, Form } from "../../ui/form.tsx";

const texts = access.scim;

export function ScimTokenDialog({ hasTokens, onClose }: { hasTokens: boolean; onClose(): void }) {
  const [endsEarlier, setEndsEarlier] = useState(false);
  const [made, setMade] = useState<{ token: string; baseUrl: string }>();
  const create = useAction("POST /v1/scim/token", {
    changes: ["GET /v1/scim"],
    onDone: ({ token, baseUrl }) => setMade({ token, baseUrl }),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={made ? texts.created : hasTokens ? texts.newToken : texts.create}
      lead={made ? texts.tokenLead : texts.emptyText}
    >
      {made ? (
        <>
          <CopyRow value={made.baseUrl} />
          <SecretRow value={made.token} />
          <footer className="row dlg-acts">
            <Button look="primary" onClick={onClose}>
              {access.keys.done}
            </Button>
          </footer>
        </>
      ) : (
        <Form
          onSubmit={() => create.run({ body: hasTokens ? { endEarlierTokens: endsEarlier } : {} })}
          footer={(busy) => (
            <footer className="row dlg-acts">
              <Button onClick={onClose}>{common.actions.cancel}</Button>
              <Button look="primary" type="submit" busy={busy}>
                {hasTokens ? texts.newToken : texts.create}
              </Button>
            </footer>
          )}
        >
          {hasTokens && (
            <CheckField label={texts.endEarlier} checked={endsEarlier} onChange={setEndsEarlier} />
          )}
        </Form>
      )}
    </Dialog>
  );
}
