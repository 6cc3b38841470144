import { useState } from "react";
import { useAction } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { Button } from "../../ui/button.tsx";
import { SecretRow } from "../../ui/copy.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Id, Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import type { Connector } from "./types.ts";

const { secrets: words } = texts;
const changes = ["GET /v1/connectors", "GET /v1/connectors/{id}"] as const;

/** The secrets that verify deliveries. A second one replaces the first without losing deliveries. */
export function SecretsSection({ connector: { id, webhookSecrets } }: { connector: Connector }) {
  const [created, setCreated] = useState<string>();
  const [revoking, setRevoking] = useState<string>();
  const { problem, attempt } = useProblem();
  const toast = useToast();
  const add = useAction("POST /v1/connectors/{id}/webhook-secrets", {
    changes,
    onDone: ({ webhookSecret }) => setCreated(webhookSecret),
  });
  const remove = useAction("DELETE /v1/connectors/{id}/webhook-secrets/{secretId}", { changes });
  return (
    <section className="field">
      <h3 className="strong">{words.title}</h3>
      <ul className="lined">
        {webhookSecrets.map((secret) => (
          <li key={secret.id} className="row">
            <span className="grow">
              <Id id={secret.id} />{" "}
              <span className="t3">
                {secret.lastUsedAt === null ? (
                  words.neverUsed
                ) : (
                  <>
                    {words.used} <Time at={secret.lastUsedAt} />
                  </>
                )}
              </span>
            </span>
            <Button size="s" look="destructive" onClick={() => setRevoking(secret.id)}>
              {words.revoke}
            </Button>
          </li>
        ))}
      </ul>
      {created && <SecretRow value={created} />}
      <FormProblem problem={problem} />
      {webhookSecrets.length < 2 && (
        <div>
          <Button size="s" busy={add.isRunning} onClick={() => void attempt(() => add.run({ path: { id } }))}>
            {words.add}
          </Button>
        </div>
      )}
      <p className="hint">{words.note}</p>
      <ConfirmDialog
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={words.revokeTitle}
        text={words.revokeText}
        action={words.revoke}
        onConfirm={async () => {
          await remove.run({ path: { id, secretId: revoking! } });
          toast(words.revoked);
        }}
      />
    </section>
  );
}
