import { useShortcuts } from "../../lib/keyboard.tsx";
import { shell } from "../../texts/shell.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField } from "../../ui/form.tsx";

export default function HelpDialog() {
  const { help, singleKeys, setSingleKeys } = useShortcuts();
  return (
    <Dialog open={help.isOpen} onClose={help.close} title={shell.shortcuts.title}>
      <dl className="keys">
        {shell.shortcuts.list.map(([keys, what]) => (
          <div key={keys} className="row">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label={shell.shortcuts.singleKeys}
        hint={shell.shortcuts.singleKeysHint}
        checked={singleKeys}
        onChange={setSingleKeys}
      />
    </Dialog>
  );
}
