import { Link } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import type { Input, Reply } from "../../lib/api.ts";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { mcp as texts } from "../../texts/mcp.ts";
import { Code } from "../../ui/code.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Segments } from "../../ui/tabs.tsx";

const { clients: words } = texts;
const read = "GET /v1/mcp-connections/export" as const;
type Query = Input<typeof read>["query"];
type Client = Query["client"];
type Configuration = Reply<typeof read>["configuration"];

const clientNames = Object.keys(words.names) as Client[];
const storageKey = "signalbox.mcpClient";

/** What to add to the configuration of an MCP client, so that it uses this instance. */
export function ClientDialog({ onClose }: { onClose(): void }) {
  const [client, setClient] = useState<Client>(
    () => clientNames.find((name) => name === localStorage.getItem(storageKey)) ?? "claude-code",
  );
  const [credential, setCredential] = useState<"oauth" | "token">("oauth");
  const path = usePath();
  const mayMakeTokens = usePermission("mcp_tokens:create");
  const query = useRead(read, { query: { client, credential } });
  return (
    <Dialog open onClose={onClose} title={words.title} lead={words.lead} width="l">
      <div className="form">
        <SelectField
          label={words.client}
          value={client}
          onChange={(value) => {
            localStorage.setItem(storageKey, value);
            setClient(value as Client);
          }}
          options={clientNames.map((value) => ({ value, label: words.names[value] }))}
        />
        <div className="field">
          <span className="strong">{words.credential}</span>
          <div>
            <Segments
              label={words.credential}
              value={credential}
              onChange={setCredential}
              options={[
                { value: "oauth", label: words.oauth },
                { value: "token", label: words.token },
              ]}
            />
          </div>
          {credential === "token" && (
            <span className="hint">
              {words.tokenHint}{" "}
              {mayMakeTokens && (
                <Link className="link" to={path("/access/mcp-tokens")}>
                  {words.makeToken}
                </Link>
              )}
            </span>
          )}
        </div>
        <Loaded query={query} what={words.what}>
          {({ configuration }) => <Snippet configuration={configuration} />}
        </Loaded>
      </div>
    </Dialog>
  );
}

function Snippet({ configuration }: { configuration: Configuration }) {
  const { fileName, locations, content, command, note, source, checkedOn } = configuration;
  return (
    <>
      <Code text={content} title={fileName ?? words.enter} />
      {locations.length > 0 && (
        <section className="field">
          <h3 className="sub-title">{words.where}</h3>
          <dl className="kv">
            {locations.map(({ system, path }) => (
              <div key={system + path} className="kv-row">
                <dt>{words.systems[system]}</dt>
                <dd>
                  <code className="wrap-any">{path}</code>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {command !== null && (
        <section className="field">
          <h3 className="sub-title">{words.orCommand}</h3>
          <CopyRow value={command} />
        </section>
      )}
      {note !== null && <p className="note">{note}</p>}
      {source !== null && (
        <div className="row wrap small t3">
          <a className="link row" href={source} target="_blank" rel="noreferrer noopener">
            {words.source}
            <ExternalLink className="i s" aria-hidden />
          </a>
          {checkedOn !== null && words.checked(checkedOn)}
        </div>
      )}
    </>
  );
}
