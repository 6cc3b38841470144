import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useAction } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { changed } from "./types.ts";

const { custom: words } = texts;

/** Adds a provider that is not in the catalogue. A verdict of a discovery may have filled in its values. */
export function CustomProviderForm({ onClose }: { onClose(): void }) {
  const { filters } = useFilters();
  const [values, setValues] = useState({
    name: filters.name ?? "",
    id: filters.id ?? "",
    issuer: filters.issuer ?? "",
    authorizationEndpoint: "",
    tokenEndpoint: "",
    scopes: filters.scopes ?? "",
  });
  const set = (name: keyof typeof values) => (value: string) => setValues({ ...values, [name]: value });
  const toast = useToast();
  const navigate = useNavigate();
  const path = usePath();
  const create = useAction("POST /v1/oauth-providers", { changes: changed });
  const hasIssuer = values.issuer.trim() !== "";

  async function submit() {
    const { name, id, issuer, authorizationEndpoint, tokenEndpoint } = values;
    const { provider } = await create.run({
      body: {
        name,
        id,
        scopes: values.scopes.split(/[\s,]+/).filter(Boolean),
        ...(hasIssuer
          ? { issuer: issuer.trim() }
          : {
              ...(authorizationEndpoint ? { authorizationEndpoint } : {}),
              ...(tokenEndpoint ? { tokenEndpoint } : {}),
            }),
      },
    });
    toast(words.saved);
    void navigate({
      to: path(`/connections/accounts/${provider.id}`),
      search: { view: "providers" } as never,
    });
  }
  return (
    <Inspector title={words.title} lead={words.lead} onClose={onClose}>
      <Form
        onSubmit={submit}
        footer={(busy) => (
          <div className="form-acts">
            <Button look="primary" type="submit" busy={busy}>
              {words.save}
            </Button>
            <Button onClick={onClose}>{common.actions.cancel}</Button>
          </div>
        )}
      >
        <TextField label={words.name} path="name" value={values.name} onChange={set("name")} />
        <TextField
          label={words.id}
          path="id"
          hint={words.idHint}
          mono
          value={values.id}
          onChange={set("id")}
          spellCheck={false}
        />
        <TextField
          label={words.issuer}
          path="issuer"
          hint={words.issuerHint}
          type="url"
          mono
          value={values.issuer}
          onChange={set("issuer")}
        />
        {!hasIssuer && (
          <>
            <TextField
              label={words.authorize}
              path="authorizationEndpoint"
              type="url"
              mono
              value={values.authorizationEndpoint}
              onChange={set("authorizationEndpoint")}
            />
            <TextField
              label={words.token}
              path="tokenEndpoint"
              type="url"
              mono
              value={values.tokenEndpoint}
              onChange={set("tokenEndpoint")}
            />
          </>
        )}
        <TextField
          label={words.scopes}
          path="scopes"
          hint={texts.client.scopesHint}
          mono
          value={values.scopes}
          onChange={set("scopes")}
        />
      </Form>
    </Inspector>
  );
}
