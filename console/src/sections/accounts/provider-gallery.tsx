import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useEffect } from "react";
import { usePermission } from "../../lib/context.tsx";
import { findInitials } from "../../lib/format.ts";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useList } from "../../lib/queries.ts";
import { accounts as texts } from "../../texts/accounts.ts";
import { Empty, Failure, Skeleton } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { Tag } from "../../ui/state.tsx";
import type { Provider } from "./types.ts";

const { gallery: words } = texts;

/** The providers of the catalogue and the organization's own, with search. Those that are set up come first. */
export function ProviderGallery({ selected }: { selected: string | undefined }) {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const mayManage = usePermission("oauth_clients:manage");
  const list = useList("GET /v1/oauth-providers", { query: { limit: 100 } });
  const { hasMore, keepLoading } = list;
  useEffect(() => {
    if (hasMore) keepLoading();
  });
  const find = filters.find ?? "";
  const found = list.rows.filter(({ id, name }) =>
    `${name} ${id}`.toLowerCase().includes(find.toLowerCase()),
  );
  const groups = [
    { title: words.ready, items: found.filter(({ configured }) => configured) },
    { title: words.notSetUp, items: found.filter(({ configured }) => !configured) },
  ].filter(({ items }) => items.length > 0);
  if (list.error && list.rows.length === 0)
    return <Failure error={list.error} what={words.what} onRetry={list.retry} />;
  return (
    <>
      <div className="filters">
        <Find label={words.find} value={find} onChange={(value) => setFilters({ find: value })} />
      </div>
      {list.isLoading ? (
        <Skeleton rows={6} />
      ) : (
        <div className="stack">
          {groups.length === 0 && <Empty title={words.noMatch(find)} />}
          {groups.map(({ title, items }) => (
            <section key={title} className="field">
              <h2 className="strong">{title}</h2>
              <ul className="gallery">
                {items.map((provider) => (
                  <li key={provider.id}>
                    <ProviderCard
                      provider={provider}
                      isSelected={provider.id === selected}
                      to={path(`/connections/accounts/${provider.id}`)}
                    />
                  </li>
                ))}
              </ul>
            </section>
          ))}
          {mayManage && (
            <Link
              className="provider"
              to={path("/connections/accounts")}
              search={{ view: "providers", new: "provider" } as never}
            >
              <span className="glyph" aria-hidden>
                <Plus className="i" />
              </span>
              <span className="grow">
                <span className="strong block">{words.custom}</span>
                <span className="small t3 block">{words.customText}</span>
              </span>
            </Link>
          )}
        </div>
      )}
    </>
  );
}

function ProviderCard({ provider, isSelected, to }: { provider: Provider; isSelected: boolean; to: string }) {
  const { name, custom, connections } = provider;
  return (
    <Link
      className={`provider${isSelected ? " on" : ""}`}
      to={to}
      search={{ view: "providers" } as never}
      aria-current={isSelected || undefined}
      data-row
    >
      <span className="glyph" aria-hidden>
        {findInitials(name.replace(/\(.*\)/, ""))}
      </span>
      <span className="grow">
        <span className="strong cut block">{name}</span>
        <span className="small t3 block">{connections > 0 ? words.connected(connections) : provider.id}</span>
      </span>
      {custom && <Tag>{words.own}</Tag>}
    </Link>
  );
}
