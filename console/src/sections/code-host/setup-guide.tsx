import { ExternalLink } from "lucide-react";
import { codeHost as texts } from "../../texts/code-host.ts";
import { Card } from "../../ui/card.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { Time } from "../../ui/time.tsx";
import type { Connector, Setup } from "./types.ts";

const { guide: words } = texts;

/** Addresses and secrets are copied. Short words are chosen from a list there. */
const isCopied = (value: string): boolean => /^https?:/.test(value) || value.length > 30;

/** What to enter at the code host, field by field, with the code host's own names. */
export function SetupGuide({ connector, setup }: { connector: Connector; setup: Setup }) {
  const usedAt = Math.max(0, ...connector.webhookSecrets.map(({ lastUsedAt }) => lastUsedAt ?? 0));
  return (
    <Card
      title={words.title}
      actions={
        setup.page !== null && (
          <a className="btn q s" href={setup.page} target="_blank" rel="noreferrer noopener">
            <ExternalLink className="i s" aria-hidden />
            {words.open}
          </a>
        )
      }
    >
      <div className="pad stack guide">
        <p>{words.lead}</p>
        <ol className="stack">
          {setup.steps.map(({ label, value, hint }) => (
            <li key={label} className="field">
              <span className="strong">{label}</span>
              {value !== null && (isCopied(value) ? <CopyRow value={value} /> : <code>{value}</code>)}
              {hint !== null && <span className="hint">{hint}</span>}
            </li>
          ))}
        </ol>
        {setup.permissions.length > 0 && (
          <div className="field">
            <span className="strong">{words.permissions}</span>
            <ul>
              {setup.permissions.map((permission) => (
                <li key={permission} className="breaks">
                  {permission}
                </li>
              ))}
            </ul>
          </div>
        )}
        <p className="small t3" role="status">
          {usedAt > 0 ? (
            <>
              {words.received} <Time at={usedAt} />
            </>
          ) : (
            words.notReceived
          )}
        </p>
      </div>
    </Card>
  );
}
