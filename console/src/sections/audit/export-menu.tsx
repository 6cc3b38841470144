import { Download } from "lucide-react";
import { useState } from "react";
import { useOrganization, useServices } from "../../lib/context.tsx";
import { saveFile } from "../../lib/save-file.ts";
import { audit as texts } from "../../texts/audit.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { useToast } from "../../ui/toast.tsx";
import type { AuditQuery } from "./types.ts";

const { export: words } = texts;
/** The last line of a complete file. */
const endings = { csv: "# complete", jsonl: '{"complete":true}' };
type Format = keyof typeof endings;

/** Saves every entry that matches the filters. A file that is not complete is not saved. */
export function ExportMenu({ query }: { query: AuditQuery }) {
  const { api } = useServices();
  const { id: organizationId, slug } = useOrganization();
  const { problem, busy, attempt, clear } = useProblem();
  const [format, setFormat] = useState<Format>("csv");
  const toast = useToast();
  const save = async (chosen: Format) => {
    setFormat(chosen);
    const isSaved = await attempt(async () => {
      const given = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
      const file = await api.download("/v1/audit-export", { format: chosen, ...given }, { organizationId });
      const end = await file.slice(-64).text();
      if (!end.trimEnd().endsWith(endings[chosen])) throw new Error(words.incomplete);
      saveFile(`audit-${slug}.${chosen}`, file);
    });
    if (isSaved) toast(words.done);
  };
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" size="s" icon={Download} busy={busy}>
            {busy ? words.running : words.label}
          </Button>
        }
      >
        <MenuItem onSelect={() => void save("csv")}>{words.csv}</MenuItem>
        <MenuItem onSelect={() => void save("jsonl")}>{words.jsonl}</MenuItem>
      </Menu>
      <Dialog open={problem !== undefined} onClose={clear} title={words.label}>
        <FormProblem problem={problem} />
        <footer className="row dlg-acts">
          <Button look="primary" onClick={() => void save(format)}>
            {words.label}
          </Button>
        </footer>
      </Dialog>
    </>
  );
}
