import { FileUp } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { useAction } from "../../../lib/queries.ts";
import { common } from "../../../texts/common.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { AreaField, Form } from "../../../ui/form.tsx";
import type { Preview } from "./import-dialog.tsx";

const { importing: words } = texts;
const maxBytes = 1024 * 1024;

interface FileStepProps {
  text: string;
  onText(text: string): void;
  onPreview(preview: Preview): void;
  onClose(): void;
}

/** The file: pasted, dropped or chosen. */
export function FileStep({ text, onText, onPreview, onClose }: FileStepProps) {
  const [source, setSource] = useState<string>();
  const [isTooLarge, setIsTooLarge] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const preview = useAction("POST /v1/mcp-connections/import/preview", { onDone: onPreview });
  const take = async (file: File | undefined) => {
    if (!file) return;
    setIsTooLarge(file.size > maxBytes);
    if (file.size > maxBytes) return;
    onText(await file.text());
    setSource(file.name);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void take(event.dataTransfer.files[0]);
  };
  return (
    <Form
      onSubmit={() => preview.run({ body: { text } })}
      footer={(busy) => (
        <footer className="row dlg-acts">
          <Button icon={FileUp} onClick={() => picker.current?.click()}>
            {words.choose}
          </Button>
          <span className="grow" />
          <Button onClick={onClose}>{common.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={busy}>
            {words.read}
          </Button>
        </footer>
      )}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a file can also be chosen with the button. */}
      <div
        className={isOver ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <AreaField
          label={words.text}
          path="text"
          hint={source ? words.dropped(source) : words.textHint}
          {...(isTooLarge ? { error: words.tooLarge } : {})}
          mono
          rows={10}
          spellCheck={false}
          value={text}
          onChange={(value) => {
            onText(value);
            setSource(undefined);
          }}
        />
      </div>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".json,.jsonc,application/json"
        onChange={(event) => void take(event.target.files?.[0])}
      />
      <p className="hint">{words.secretNote}</p>
    </Form>
  );
}
