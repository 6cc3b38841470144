import { useState } from "react";
import { RefusedError } from "../../lib/api.ts";
import { useAction } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, ChoiceField, Form, SecretField, SelectField, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";
import { type Client, changed, type Provider } from "./types.ts";

const { client: words } = texts;
type AuthMethod = Client["tokenEndpointAuthMethod"];

interface ClientFormProps {
  provider: Provider;
  client: Client | undefined;
  onSaved(): void;
  onCancel: (() => void) | undefined;
}

const splitScopes = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** What the provider gave: client id, secret, and how the client is used. */
export function ClientForm({ provider, client, onSaved, onCancel }: ClientFormProps) {
  const [clientId, setClientId] = useState(client?.clientId ?? "");
  const [secret, setSecret] = useState("");
  const [method, setMethod] = useState<AuthMethod>(
    client?.tokenEndpointAuthMethod ?? provider.tokenEndpointAuthMethods[0] ?? "client_secret_basic",
  );
  const [tenant, setTenant] = useState(client?.tenant ?? provider.tenant?.default ?? "");
  const [scopes, setScopes] = useState((client?.scopes ?? provider.scopes).join(" "));
  const [optional, setOptional] = useState((client?.optionalScopes ?? provider.optionalScopes).join(" "));
  const [mode, setMode] = useState<Client["connectionMode"]>(client?.connectionMode ?? "personal");
  const [wouldEnd, setWouldEnd] = useState(false);
  const [ends, setEnds] = useState(false);
  const toast = useToast();
  const save = useAction("PUT /v1/oauth-providers/{providerId}/client", {
    changes: [...changed, "GET /v1/oauth-providers/{providerId}/client"],
  });
  const takesSecret = method.startsWith("client_secret");

  async function submit() {
    try {
      const reply = await save.run({
        path: { providerId: provider.id },
        body: {
          clientId: clientId.trim(),
          ...(takesSecret && secret ? { clientSecret: secret } : {}),
          tokenEndpointAuthMethod: method,
          ...(provider.tenant && tenant ? { tenant } : {}),
          scopes: splitScopes(scopes),
          optionalScopes: splitScopes(optional),
          connectionMode: mode,
          ...(ends ? { endConnections: true } : {}),
        },
      });
      toast(reply.client.complete ? words.saved : words.savedIncomplete);
      onSaved();
    } catch (error) {
      if (error instanceof RefusedError && error.code === "connections_would_end") setWouldEnd(true);
      throw error;
    }
  }

  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <div className="form-acts">
          <Button look="primary" type="submit" busy={busy}>
            {words.save}
          </Button>
          {onCancel && <Button onClick={onCancel}>{common.actions.cancel}</Button>}
        </div>
      )}
    >
      {provider.tenant && (
        <TextField
          label={provider.tenant.label}
          path="tenant"
          hint={words.tenantExample(provider.tenant.example)}
          mono
          value={tenant}
          onChange={setTenant}
        />
      )}
      <TextField
        label={words.clientId}
        path="clientId"
        mono
        value={clientId}
        onChange={setClientId}
        autoComplete="off"
        spellCheck={false}
      />
      <SelectField
        label={words.authMethod}
        path="tokenEndpointAuthMethod"
        value={method}
        onChange={(value) => setMethod(value as AuthMethod)}
        options={provider.tokenEndpointAuthMethods.map((value) => ({
          value,
          label: words.authMethods[value] ?? value,
        }))}
        {...(method === "private_key_jwt" ? { hint: words.keyGenerated } : {})}
      />
      {takesSecret && (
        <SecretField
          label={words.clientSecret}
          path="clientSecret"
          hint={client?.hasSecret ? words.secretKept : words.secretHint}
          value={secret}
          onChange={setSecret}
          autoComplete="off"
        />
      )}
      <TextField
        label={words.scopes}
        path="scopes"
        hint={words.scopesHint}
        mono
        value={scopes}
        onChange={setScopes}
      />
      <TextField
        label={words.optionalScopes}
        path="optionalScopes"
        hint={words.scopesHint}
        mono
        value={optional}
        onChange={setOptional}
      />
      <ChoiceField
        legend={words.mode}
        value={mode}
        onChange={setMode}
        options={[
          { value: "personal", label: words.personal },
          { value: "organization", label: words.organization },
        ]}
      />
      {wouldEnd && (
        <CheckField label={words.endConnections} hint={words.endHint} checked={ends} onChange={setEnds} />
      )}
    </Form>
  );
}
