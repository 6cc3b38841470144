import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePath } from "../../lib/paths.ts";
import { useAction } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, ChoiceField, Form, SecretField, TextField } from "../../ui/form.tsx";
import { useToast } from "../../ui/toast.tsx";
import { Guide } from "./provider-guide.tsx";

const texts = access.sso;

export function NewConnectorDialog({ onClose }: { onClose(): void }) {
  const toast = useToast();
  const navigate = useNavigate();
  const path = usePath();
  const [kind, setKind] = useState<"oidc" | "saml">("oidc");
  const [name, setName] = useState("");
  const [issuer, setIssuer] = useState("");
  const [clientId, setClientId] = useState("");
  const [clientSecret, setClientSecret] = useState("");
  const [metadataUrl, setMetadataUrl] = useState("");
  const [metadataXml, setMetadataXml] = useState("");
  const onDone = ({ connector }: { connector: { id: string } }) => {
    toast(texts.created);
    onClose();
    void navigate({ to: path(`/access/sso/${connector.id}`) });
  };
  const oidc = useAction("POST /v1/sso/oidc", { changes: ["GET /v1/sso"], onDone });
  const saml = useAction("POST /v1/sso/saml", { changes: ["GET /v1/sso"], onDone });
  const submit = () =>
    kind === "oidc"
      ? oidc.run({
          body: {
            name: name.trim(),
            issuer: issuer.trim(),
            clientId: clientId.trim(),
            ...(clientSecret ? { clientSecret } : {}),
          },
        })
      : saml.run({
          body: {
            name: name.trim(),
            ...(metadataXml.trim() ? { metadataXml } : { metadataUrl: metadataUrl.trim() }),
          },
        });
  return (
    <Dialog open onClose={onClose} title={texts.new} lead={texts.emptyText} width="l">
      <Form
        onSubmit={submit}
        footer={(busy) => (
          <footer className="row dlg-acts">
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button look="primary" type="submit" busy={busy}>
              {texts.createOidc}
            </Button>
          </footer>
        )}
      >
        <ChoiceField
          legend={texts.kind}
          value={kind}
          onChange={setKind}
          options={[
            { value: "oidc", label: texts.kinds.oidc },
            { value: "saml", label: texts.kinds.saml },
          ]}
        />
        <Guide kind={kind} />
        <TextField label={texts.name} path="name" value={name} onChange={setName} />
        {kind === "oidc" ? (
          <>
            <TextField
              label={texts.issuer}
              path="issuer"
              value={issuer}
              onChange={setIssuer}
              mono
              placeholder="https://"
            />
            <TextField
              label={texts.clientId}
              path="clientId"
              value={clientId}
              onChange={setClientId}
              mono
              autoComplete="off"
            />
            <SecretField
              label={texts.clientSecret}
              path="clientSecret"
              value={clientSecret}
              onChange={setClientSecret}
              autoComplete="off"
            />
          </>
        ) : (
          <>
            <TextField
              label={texts.metadata}
              hint={texts.metadataHint}
              path="metadataUrl"
              value={metadataUrl}
              onChange={setMetadataUrl}
              mono
              placeholder="https://"
            />
            <AreaField
              label={texts.metadataXml}
              path="metadataXml"
              value={metadataXml}
              onChange={setMetadataXml}
              mono
              rows={4}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
