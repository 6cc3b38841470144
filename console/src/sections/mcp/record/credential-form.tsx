import { useState } from "react";
import { useAction } from "../../../lib/queries.ts";
import { common } from "../../../texts/common.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Form, SecretField } from "../../../ui/form.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { type Header, HeaderFields, readHeaders } from "../header-fields.tsx";
import { changed } from "../types.ts";

const { mine: words } = texts;

interface CredentialFormProps {
  connectionId: string;
  onDone(): void;
  onCancel: (() => void) | undefined;
}

/** A token or headers that are sent to the server. What is saved replaces what was there. */
export function CredentialForm({ connectionId, onDone, onCancel }: CredentialFormProps) {
  const [token, setToken] = useState("");
  const [headers, setHeaders] = useState<readonly Header[]>([]);
  const [isEmpty, setIsEmpty] = useState(false);
  const toast = useToast();
  const save = useAction("PUT /v1/mcp-connections/{id}/credential", {
    changes: changed,
    onDone: () => toast(words.savedToken),
  });
  async function submit() {
    const given = readHeaders(headers);
    setIsEmpty(token === "" && given === undefined);
    if (token === "" && given === undefined) return;
    await save.run({
      path: { id: connectionId },
      body: { ...(token ? { bearerToken: token } : {}), ...(given ? { headers: given } : {}) },
    });
    onDone();
  }
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <div className="form-acts">
          <Button look="primary" type="submit" busy={busy}>
            {words.saveToken}
          </Button>
          {onCancel && <Button onClick={onCancel}>{common.actions.cancel}</Button>}
        </div>
      )}
    >
      <SecretField
        label={words.token}
        path="bearerToken"
        hint={words.tokenHint}
        {...(isEmpty ? { error: words.needsOne } : {})}
        value={token}
        onChange={setToken}
        autoComplete="off"
      />
      <HeaderFields headers={headers} onChange={setHeaders} />
    </Form>
  );
}
