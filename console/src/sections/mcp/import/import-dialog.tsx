import { useState } from "react";
import type { Reply } from "../../../lib/api.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import type { Draft } from "../add/draft.ts";
import { ChooseStep } from "./choose-step.tsx";
import { FileStep } from "./file-step.tsx";
import { ResultStep } from "./result-step.tsx";
import { type ImportBody, useImport } from "./use-import.ts";

const { importing: words } = texts;
export type Preview = Reply<"POST /v1/mcp-connections/import/preview">;

interface ImportDialogProps {
  onClose(): void;
  /** Opens the form for a server that needs a decision, with what is known about it. */
  onDecide(draft: Partial<Draft>): void;
}

/** Saves the servers of a configuration file: the file, a preview, and the result of each. */
export function ImportDialog({ onClose, onDecide }: ImportDialogProps) {
  const [text, setText] = useState("");
  const [preview, setPreview] = useState<Preview>();
  const [sent, setSent] = useState<ImportBody["items"]>();
  const imports = useImport();
  return (
    <Dialog open onClose={onClose} title={words.title} lead={words.lead} width="l">
      {sent && preview ? (
        <ResultStep
          items={sent}
          preview={preview}
          imports={imports}
          onClose={onClose}
          onDecide={onDecide}
          onBack={() => setSent(undefined)}
        />
      ) : preview ? (
        <ChooseStep
          preview={preview}
          onBack={() => setPreview(undefined)}
          onSave={(items) => {
            setSent(items);
            void imports.begin({ text, items });
          }}
        />
      ) : (
        <FileStep text={text} onText={setText} onPreview={setPreview} onClose={onClose} />
      )}
    </Dialog>
  );
}
