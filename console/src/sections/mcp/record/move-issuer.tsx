import { useState } from "react";
import { useAction } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Form, SecretField, TextField } from "../../../ui/form.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { type ConnectionDetail, changed } from "../types.ts";

const { addServer: fields, verdictDrift: words } = texts;

interface MoveIssuerProps {
  connection: ConnectionDetail;
  /** What the server accepts now. */
  issuers: readonly string[];
}

/** Moves a connection to another authorization server. A person chooses which, and names the client if there is one. */
export function MoveIssuer({ connection: { id, registration }, issuers }: MoveIssuerProps) {
  const [clientId, setClientId] = useState("");
  const [clientSecret, setClientSecret] = useState("");
  const [chosen, setChosen] = useState("");
  const toast = useToast();
  const move = useAction("PUT /v1/mcp-connections/{id}/authorization-server", {
    changes: changed,
    onDone: () => toast(words.moveDone),
  });
  return (
    <Form
      className="form"
      onSubmit={() =>
        move.run({
          path: { id },
          body: {
            authorizationServer: chosen,
            ...(clientId ? { registration: "pre_registered", clientId } : {}),
            ...(clientSecret ? { clientSecret } : {}),
          },
        })
      }
      footer={(busy) => (
        <div className="form-acts">
          {issuers.map((issuer) => (
            <Button key={issuer} type="submit" busy={busy} onClick={() => setChosen(issuer)}>
              {words.move(issuer)}
            </Button>
          ))}
        </div>
      )}
    >
      {registration === "pre_registered" && (
        <>
          <TextField
            label={fields.clientId}
            path="clientId"
            mono
            autoComplete="off"
            spellCheck={false}
            value={clientId}
            onChange={setClientId}
          />
          <SecretField
            label={fields.clientSecret}
            path="clientSecret"
            hint={fields.secretHint}
            autoComplete="off"
            value={clientSecret}
            onChange={setClientSecret}
          />
        </>
      )}
    </Form>
  );
}
