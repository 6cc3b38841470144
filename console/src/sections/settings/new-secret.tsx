import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { SecretRow } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";

const texts = settings.webhooks;

/** The secret of an endpoint, once. */
export const NewSecret = ({ secret, onClose }: { secret: string; onClose(): void }) => (
  <Dialog open onClose={onClose} title={texts.secretTitle} lead={texts.secretLead}>
    <SecretRow value={secret} />
    <footer className="row dlg-acts">
      <Button look="primary" onClick={onClose}>
        {texts.done}
      </Button>
    </footer>
  </Dialog>
);
