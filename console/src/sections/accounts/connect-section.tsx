import { LogIn, Users } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { accounts as texts } from "../../texts/accounts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckField, FormProblem, TextField } from "../../ui/form.tsx";
import type { Provider } from "./types.ts";
import { useConnect } from "./use-connect.ts";

const { provider: words } = texts;

/** Starts the sign-in at the provider, for the person or for the organization. */
export function ConnectSection({ provider }: { provider: Provider }) {
  const { id, name, connectionMode, optionalScopes } = provider;
  const [label, setLabel] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const mayShare = usePermission("connections:manage");
  const { connect, problem, busy } = useConnect(id);
  const isOnlyShared = connectionMode === "organization";
  const start = (isShared: boolean) =>
    void connect({
      ...(label.trim() ? { account: label.trim() } : {}),
      ...(scopes.length > 0 ? { scopes: scopes.join(" ") } : {}),
      ...(isShared ? { shared: "true" } : {}),
    });
  return (
    <Card title={words.connectTitle} padded>
      <div className="form wide">
        {isOnlyShared && !mayShare ? (
          <p>{words.onlyShared}</p>
        ) : (
          <>
            <p>{words.leads(name)}</p>
            <TextField label={words.label} hint={words.labelHint} value={label} onChange={setLabel} />
            {optionalScopes.length > 0 && (
              <fieldset className="choices-field">
                <legend>{words.moreScopes}</legend>
                {optionalScopes.map((scope) => (
                  <CheckField
                    key={scope}
                    label={<code>{scope}</code>}
                    checked={scopes.includes(scope)}
                    onChange={(isOn) =>
                      setScopes(isOn ? [...scopes, scope] : scopes.filter((one) => one !== scope))
                    }
                  />
                ))}
              </fieldset>
            )}
            <FormProblem problem={problem} />
            <div className="row wrap">
              {!isOnlyShared && (
                <Button look="primary" icon={LogIn} busy={busy} onClick={() => start(false)}>
                  {words.connectOwn}
                </Button>
              )}
              {mayShare && (
                <Button
                  look={isOnlyShared ? "primary" : "secondary"}
                  icon={Users}
                  busy={busy}
                  onClick={() => start(true)}
                >
                  {words.connectShared}
                </Button>
              )}
            </div>
            {mayShare && <p className="hint">{words.sharedHint}</p>}
          </>
        )}
      </div>
    </Card>
  );
}
