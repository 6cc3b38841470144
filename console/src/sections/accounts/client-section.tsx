import { ExternalLink } from "lucide-react";
import { type ReactNode, useState } from "react";
import { isNotFound } from "../../lib/api.ts";
import { useRead } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Json } from "../../ui/code.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { Failure, Skeleton } from "../../ui/feedback.tsx";
import { Tag } from "../../ui/state.tsx";
import { ClientForm } from "./client-form.tsx";
import type { Client, Provider } from "./types.ts";

const { client: words } = texts;

/** The organization's OAuth client at a provider: what is saved, or how to set it up. */
export function ClientSection({ provider }: { provider: Provider }) {
  const query = useRead(
    "GET /v1/oauth-providers/{providerId}/client",
    { path: { providerId: provider.id } },
    { enabled: provider.configured },
  );
  const [isEditing, setIsEditing] = useState(false);
  const client = provider.configured ? query.data?.client : undefined;
  if (provider.configured && query.error && !isNotFound(query.error))
    return <Failure error={query.error} what={words.title} onRetry={() => void query.refetch()} />;
  if (provider.configured && !client) return <Skeleton rows={3} />;
  if (client && !isEditing) return <SavedClient client={client} onEdit={() => setIsEditing(true)} />;
  return (
    <Card title={client ? words.change : words.setUp}>
      <ol>
        <GuideStep number={1} title={words.step1}>
          <p>{provider.custom ? words.step1Own : words.step1Text(provider.name)}</p>
          {provider.documentation && (
            <a
              className="btn s guide-link"
              href={provider.documentation}
              target="_blank"
              rel="noreferrer noopener"
            >
              <ExternalLink className="i s" aria-hidden />
              {words.openDocs}
            </a>
          )}
        </GuideStep>
        <GuideStep number={2} title={words.step2}>
          <p>{words.step2Text}</p>
          <CopyRow value={provider.redirectUri} />
        </GuideStep>
        <GuideStep number={3} title={words.step3}>
          {provider.scopes.length > 0 ? (
            <CopyRow value={provider.scopes.join(" ")} />
          ) : (
            <p>{words.step3None}</p>
          )}
        </GuideStep>
        <GuideStep number={4} title={words.step4}>
          <ClientForm
            provider={provider}
            client={client}
            onSaved={() => setIsEditing(false)}
            onCancel={client ? () => setIsEditing(false) : undefined}
          />
        </GuideStep>
      </ol>
    </Card>
  );
}

const GuideStep = ({ number, title, children }: { number: number; title: string; children: ReactNode }) => (
  <li className="guide-step">
    <span className="guide-number num" aria-hidden>
      {number}
    </span>
    <div className="stack">
      <h3 className="strong">{title}</h3>
      {children}
    </div>
  </li>
);

const SavedClient = ({ client, onEdit }: { client: Client; onEdit(): void }) => (
  <Card
    title={words.title}
    beside={client.complete ? undefined : <Tag tone="care">{texts.provider.incomplete}</Tag>}
    actions={
      <Button size="s" onClick={onEdit}>
        {words.change}
      </Button>
    }
    padded
  >
    <div className="stack">
      {!client.complete && <p className="note care">{texts.provider.missing(client.missing.join(", "))}</p>}
      <Value label={words.clientId} value={client.clientId} />
      <Value label={words.step2} value={client.redirectUri} />
      {client.scopes.length > 0 && <Value label={words.scopes} value={client.scopes.join(" ")} />}
      {client.publicKey !== null && <Json value={client.publicKey} title={words.publicKey} />}
    </div>
  </Card>
);

const Value = ({ label, value }: { label: string; value: string }) => (
  <div className="field">
    <span className="strong">{label}</span>
    <CopyRow value={value} />
  </div>
);
