import type { SsoConnector, SsoOidcConnector, SsoSamlConnector } from "@signalbox/client";
import { useState } from "react";
import { useAction } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { Form, SecretField } from "../../ui/form.tsx";
import { Refusal } from "../../ui/refusal.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = access.sso;

/** The values that an admin enters at the identity provider, and those that came from it. */
export const ConnectorValues = ({ connector, mayManage }: { connector: SsoConnector; mayManage: boolean }) =>
  connector.kind === "oidc" ? (
    <OidcValues connector={connector} mayManage={mayManage} />
  ) : (
    <SamlValues connector={connector} mayManage={mayManage} />
  );

const Values = ({ items }: { items: readonly (readonly [name: string, value: string])[] }) => (
  <dl className="values">
    {items.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          <CopyRow value={value} />
        </dd>
      </div>
    ))}
  </dl>
);

function OidcValues({ connector, mayManage }: { connector: SsoOidcConnector; mayManage: boolean }) {
  const toast = useToast();
  const [secret, setSecret] = useState("");
  const replace = useAction("POST /v1/sso/{id}/client-secret", {
    changes: ["GET /v1/sso/{id}"],
    onDone: () => {
      toast(texts.secretReplaced);
      setSecret("");
    },
  });
  return (
    <>
      <Values
        items={[
          [texts.redirectUri, connector.redirectUri],
          [texts.startUrl, connector.startUrl],
        ]}
      />
      <Pairs
        items={[
          [texts.issuer, <code key="issuer">{connector.issuer}</code>],
          [texts.clientId, <code key="client">{connector.clientId}</code>],
        ]}
      />
      {mayManage && (
        <Form
          className="form inline-form"
          onSubmit={() => replace.run({ path: { id: connector.id }, body: { clientSecret: secret } })}
          footer={(busy) => (
            <Button type="submit" busy={busy}>
              {texts.replaceSecret}
            </Button>
          )}
        >
          <SecretField
            label={texts.clientSecret}
            path="clientSecret"
            value={secret}
            onChange={setSecret}
            autoComplete="off"
          />
        </Form>
      )}
    </>
  );
}

function SamlValues({ connector, mayManage }: { connector: SsoSamlConnector; mayManage: boolean }) {
  const toast = useToast();
  const rotate = useAction("POST /v1/sso/{id}/saml/certificate", {
    changes: ["GET /v1/sso/{id}"],
    onDone: () => toast(texts.certificateRotated),
  });
  return (
    <>
      <Values
        items={[
          [texts.entityId, connector.entityId],
          [texts.acsUrl, connector.acsUrl],
          [texts.metadataUrl, connector.metadataUrl],
          [texts.startUrl, connector.startUrl],
          [texts.certificate, connector.certificatePem],
        ]}
      />
      <Pairs
        items={[[texts.certificateEnds, <Time key="ends" at={connector.certificate.notAfter} form="date" />]]}
      />
      {mayManage && (
        <div className="row wrap">
          <Button busy={rotate.isRunning} onClick={() => rotate.start({ path: { id: connector.id } })}>
            {texts.rotateCertificate}
          </Button>
          <span className="small t3 grow">{texts.rotateCertificateText}</span>
          <Refusal of={rotate} />
        </div>
      )}
    </>
  );
}
