import { account } from "../../texts/account.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";

const texts = account.secondFactor;

interface BackupCodesProps {
  codes: readonly string[] | undefined;
  onClose(): void;
}

/** New backup codes. The server shows them only once. */
export const BackupCodes = ({ codes, onClose }: BackupCodesProps) => (
  <Dialog open={codes !== undefined} onClose={onClose} title={texts.backupTitle} lead={texts.backupLead}>
    {codes && (
      <>
        <ul className="codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <footer className="row dlg-acts">
          <CopyButton value={codes.join("\n")} />
          <Button look="primary" onClick={onClose}>
            {texts.kept}
          </Button>
        </footer>
      </>
    )}
  </Dialog>
);
