import { useState } from "react";
import { access } from "../../texts/access.ts";
import { Segments } from "../../ui/tabs.tsx";

type Provider = keyof typeof access.guides;
const providers = Object.entries(access.guides).map(([value, { label }]) => ({
  value: value as Provider,
  label,
}));

/** What to do at the identity provider, step by step. */
export function Guide({ kind }: { kind: "oidc" | "saml" }) {
  const [provider, setProvider] = useState<Provider>("okta");
  return (
    <div className="stack-gap">
      <Segments label={access.sso.provider} value={provider} onChange={setProvider} options={providers} />
      <ol className="guide">
        {access.guides[provider][kind].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </div>
  );
}
