import { useState } from "react";
import { useAction } from "../../lib/queries.ts";
import { account } from "../../texts/account.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = account.passkeys;

interface RenameProps {
  passkey: { id: string; name: string };
  onClose(): void;
}

export function RenamePasskey({ passkey, onClose }: RenameProps) {
  const toast = useToast();
  const [name, setName] = useState(passkey.name);
  const rename = useAction("PATCH /v1/me/passkeys/{id}", { changes: ["GET /v1/me/passkeys"] });
  return (
    <Dialog open onClose={onClose} title={texts.renameTitle(passkey.name)}>
      <Form
        onSubmit={async () => {
          await rename.run({ path: { id: passkey.id }, body: { name: name.trim() } });
          toast(texts.renamed);
          onClose();
        }}
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {texts.rename}
            </Button>
          </footer>
        )}
      >
        <TextField label={texts.name} value={name} onChange={setName} path="name" autoFocus />
      </Form>
    </Dialog>
  );
}
