import { useQueryClient } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useEffect, useRef } from "react";
import { useOrganization, usePermission } from "../../lib/context.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useRead } from "../../lib/queries.ts";
import { discover as texts } from "../../texts/discover.ts";
import { Loaded } from "../../ui/feedback.tsx";
import { Bar, Head, useTitle } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { AddressForm } from "./address-form.tsx";
import { AskingView } from "./asking-view.tsx";
import { EarlierVerdicts } from "./earlier.tsx";
import type { KeptDiscovery } from "./types.ts";
import { useDiscovery } from "./use-discovery.ts";
import { VerdictActions } from "./verdict-actions.tsx";
import { VerdictView } from "./verdict-view.tsx";
import { describeVerdict } from "./verdict-words.ts";
import "./discover.css";

const readOne = "GET /v1/mcp-discoveries/{id}" as const;

/** Discovers an MCP server, follows each request, and shows the verdict. The address carries the URL and the verdict. */
export default function DiscoverPage() {
  const { filters, setFilters } = useFilters();
  const path = usePath();
  const cache = useQueryClient();
  const { id: organizationId } = useOrganization();
  const mayDiscover = usePermission("mcp:discover");
  const { url = "", id } = filters;

  const { attempt, begin, stop, clear } = useDiscovery((discovery) => {
    cache.setQueryData([organizationId, readOne, { path: { id: discovery.id } }], { discovery });
    void cache.invalidateQueries({ queryKey: [organizationId, "GET /v1/mcp-discoveries"] });
    setFilters({ url: discovery.url, id: discovery.id, status: undefined });
  });
  const start = (wanted: string) => {
    void begin(wanted);
    setFilters(
      { url: mayBeInAddress(wanted) ? wanted : undefined, id: undefined, status: undefined },
      { replace: false },
    );
  };
  // Back or a link to another verdict ends the view of the present attempt.
  const shown = useRef(id);
  useEffect(() => {
    if (id !== shown.current && id !== undefined) clear();
    shown.current = id;
  });
  useStartFromLink(url, id, attempt === undefined, begin);

  const isEmpty = !attempt && id === undefined;
  return (
    <>
      <Bar
        crumbs={[{ label: texts.group }, { label: texts.name }]}
        actions={
          !isEmpty && (
            <Link to={path("/discover")} className="btn q s" aria-label={texts.earlier.title} onClick={clear}>
              <History className="i s" aria-hidden />
              <span className="no-phone">{texts.earlier.title}</span>
            </Link>
          )
        }
      />
      <div className="page">
        {isEmpty && <Head title={texts.title} lead={texts.lead} />}
        {mayDiscover && (
          <AddressForm
            url={attempt?.url ?? url}
            isAsking={attempt?.state === "asking"}
            hasVerdict={id !== undefined || attempt !== undefined}
            onStart={start}
            onStop={stop}
            onClear={() => {
              clear();
              setFilters({ url: undefined, id: undefined }, { replace: false });
            }}
          />
        )}
        {attempt ? (
          <AskingView attempt={attempt} />
        ) : id !== undefined ? (
          <Verdict
            id={id}
            onDiscover={start}
            onDeleted={() => setFilters({ url: undefined, id: undefined })}
          />
        ) : (
          <Landing />
        )}
      </div>
    </>
  );
}

function Landing() {
  useTitle(texts.name);
  return <EarlierVerdicts />;
}

interface VerdictProps {
  id: string;
  onDiscover(url: string): void;
  onDeleted(): void;
}

function Verdict({ id, onDiscover, onDeleted }: VerdictProps) {
  const query = useRead(readOne, { path: { id } });
  const data = query.data?.discovery.id === id ? query.data : undefined;
  return (
    <Loaded query={{ ...query, data }} what={texts.what} rows={8}>
      {({ discovery }) => (
        <KeptVerdict key={id} discovery={discovery} onDiscover={onDiscover} onDeleted={onDeleted} />
      )}
    </Loaded>
  );
}

function KeptVerdict({
  discovery,
  onDiscover,
  onDeleted,
}: Omit<VerdictProps, "id"> & { discovery: KeptDiscovery }) {
  useTitle(describeVerdict(discovery.url, discovery.result).title);
  return (
    <VerdictView
      discovery={discovery}
      onDiscover={onDiscover}
      actions={<VerdictActions discovery={discovery} onDeleted={onDeleted} />}
      moreFacts={[[texts.facts.when, <Time key="when" at={discovery.createdAt} />]]}
    />
  );
}

/** A query may hold a credential. Such an address is not put into the history of the browser. */
const mayBeInAddress = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed !== null && parsed.search === "" && parsed.hash === "" && parsed.username === "";
};

/**
 * Starts the discovery of `?url=` when a link of the console led here. A link of another site only fills in the field,
 * because it must not make this instance send requests.
 */
function useStartFromLink(
  url: string,
  id: string | undefined,
  isIdle: boolean,
  begin: (url: string) => Promise<void>,
): void {
  const index = useRouterState({
    select: ({ location }) => (location.state as { __TSR_index?: number }).__TSR_index ?? 0,
  });
  const started = useRef<string>(undefined);
  useEffect(() => {
    if (url === "" || id !== undefined || !isIdle || index === 0 || started.current === url) return;
    started.current = url;
    if (/^https?:/.test(url)) void begin(url);
  });
}
