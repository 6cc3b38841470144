import { Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, ExternalLink, KeyRound, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { useAction, useList, useRead } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { IconButton } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { RestOfList } from "../../ui/loaded-list.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Inspector } from "../../ui/page.tsx";
import { State } from "../../ui/state.tsx";
import { useToast } from "../../ui/toast.tsx";
import { ClientSection } from "./client-section.tsx";
import { ConnectSection } from "./connect-section.tsx";
import { changed, nameAccount, type Provider, useWhose } from "./types.ts";

const { provider: words } = texts;

/** One provider: connect an account, set up the client, and what is connected already. */
export function ProviderInspector({ id, onClose }: { id: string; onClose(): void }) {
  const query = useRead("GET /v1/oauth-providers/{providerId}", { path: { providerId: id } });
  const provider = query.data?.provider.id === id ? query.data.provider : undefined;
  const mayManage = usePermission("oauth_clients:manage");
  const mayUse = usePermission("connections:use");
  return (
    <Inspector
      title={provider?.name ?? words.one}
      lead={
        provider?.documentation && (
          <a className="link row" href={provider.documentation} target="_blank" rel="noreferrer noopener">
            {words.documentation}
            <ExternalLink className="i s" aria-hidden />
          </a>
        )
      }
      onClose={onClose}
      beside={provider && mayManage && <RemoveMenu provider={provider} onRemoved={onClose} />}
    >
      <Loaded query={{ ...query, data: provider }} what={words.one}>
        {(shown) => (
          <>
            {shown.configured && mayUse && <ConnectSection provider={shown} />}
            {!shown.configured && !mayManage && (
              <Empty icon={KeyRound} title={words.notSetUp} text={words.notSetUpText} />
            )}
            <Connections providerId={id} />
            {mayManage && <ClientSection provider={shown} />}
            <About provider={shown} />
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

function Connections({ providerId }: { providerId: string }) {
  const path = usePath();
  const whose = useWhose();
  const list = useList("GET /v1/oauth-connections", { query: { providerId } }, { everyMs: 10_000 });
  // A page can be empty although later ones are not.
  if (list.rows.length === 0 && !list.hasMore) return null;
  return (
    <section className="field">
      <h3 className="strong">{words.connections}</h3>
      <ul className="lined">
        {list.rows.map((row) => (
          <li key={row.id} className="row">
            <Link className="link grow cut" to={path(`/connections/accounts/${row.id}`)}>
              {nameAccount(row)}
            </Link>
            <span className="t3">{whose(row)}</span>
            <State kind="account" value={row.health.status} />
          </li>
        ))}
      </ul>
      <RestOfList list={list} />
    </section>
  );
}

const About = ({ provider }: { provider: Provider }) => (
  <Pairs
    items={[
      provider.issuer !== null && [words.issuer, <Address key="issuer" value={provider.issuer} />],
      provider.authorizationEndpoint !== null && [
        words.authorize,
        <Address key="authorize" value={provider.authorizationEndpoint} />,
      ],
      provider.tokenEndpoint !== null && [
        words.token,
        <Address key="token" value={provider.tokenEndpoint} />,
      ],
      [words.refresh, words.refreshKinds[provider.refresh]],
      [
        words.revocable,
        provider.revocable === null
          ? words.revocableKinds.unknown
          : words.revocableKinds[provider.revocable ? "yes" : "no"],
      ],
    ]}
  />
);

const Address = ({ value }: { value: string }) => <code className="breaks">{value}</code>;

/** Removes the client, and with an own provider the provider itself. */
function RemoveMenu({ provider, onRemoved }: { provider: Provider; onRemoved(): void }) {
  const { id: providerId, name, custom, configured, connections } = provider;
  const [removing, setRemoving] = useState<"client" | "provider">();
  const toast = useToast();
  const navigate = useNavigate();
  const path = usePath();
  const removeClient = useAction("DELETE /v1/oauth-providers/{providerId}/client", { changes: changed });
  const removeProvider = useAction("DELETE /v1/oauth-providers/{providerId}", { changes: changed });
  if (!configured && !custom) return null;
  const isProvider = removing === "provider";
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={words.more} />}>
        {configured && (
          <MenuItem icon={Trash2} destructive onSelect={() => setRemoving("client")}>
            {words.removeClient}
          </MenuItem>
        )}
        {custom && (
          <MenuItem icon={Trash2} destructive onSelect={() => setRemoving("provider")}>
            {words.removeProvider}
          </MenuItem>
        )}
      </Menu>
      <ConfirmDialog
        open={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={isProvider ? words.removeProviderTitle(name) : words.removeClientTitle(name)}
        text={words.removeText(connections)}
        action={isProvider ? words.removeProvider : words.removeClient}
        typeName={name}
        onConfirm={async () => {
          const input = { path: { providerId }, query: { endConnections: "true" as const } };
          await (isProvider ? removeProvider.run(input) : removeClient.run(input));
          toast(words.removed);
          if (!isProvider) return;
          onRemoved();
          void navigate({ to: path("/connections/accounts"), search: { view: "providers" } as never });
        }}
      />
    </>
  );
}
