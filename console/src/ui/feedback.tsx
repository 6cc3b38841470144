import { CloudOff, Lock, type LucideIcon, SearchX } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { findPermission, isForbidden, isNotFound, RequestError } from "../lib/api.ts";
import { useOptionalOrganization, useOrganization } from "../lib/context.tsx";
import { formatClock, shortenId } from "../lib/format.ts";
import { useRead } from "../lib/queries.ts";
import { common } from "../texts/common.ts";
import { Button, LinkButton } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { describeProblem } from "./problem.ts";

interface EmptyProps {
  icon?: LucideIcon;
  /** What is not there: "No repository yet". */
  title: string;
  /** What will be here, and how it gets here. */
  text?: ReactNode;
  /** One action. */
  action?: ReactNode;
  /** It stands in place of a page, so its title is that of the page. */
  isPage?: boolean;
}

export const Empty = ({ icon: Icon, title, text, action, isPage = false }: EmptyProps) => (
  <div className="empty">
    {Icon && <Icon className="i l" aria-hidden />}
    {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
    {text && <p>{text}</p>}
    {action}
  </div>
);

/** Nothing for 200 ms, then rows of the height of the real ones. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <ul className={`skel${isShown ? "" : " hush"}`} aria-busy aria-label={common.loading}>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move.
        <li key={i}>
          <i className="a" />
          <i className={`b${(i % 3) + 1}`} />
          <i />
        </li>
      ))}
    </ul>
  );
}

interface FailureProps {
  error: unknown;
  /** What could not be loaded: "The runs". */
  what: string;
  onRetry?(): void;
  /** When the data that is still shown was read. */
  readAt?: number;
  /** It stands in place of the page of a record, so its title is that of the page. The list is where others are. */
  list?: { label: string; to: string };
}

/** Says what failed and what to do: for a refusal, who can change it; otherwise when to try again. */
export function Failure({ error, what, onRetry, readAt = 0, list }: FailureProps) {
  const organization = useOptionalOrganization();
  const isPage = list !== undefined;
  if (isForbidden(error)) {
    const needed = findPermission(error);
    return needed && organization ? (
      <Forbidden permission={needed} isPage={isPage} />
    ) : (
      <Empty icon={Lock} title={common.forbidden.title} text={error.message} isPage={isPage} />
    );
  }
  if (isNotFound(error))
    return (
      <Empty
        icon={SearchX}
        title={common.notFound.title}
        text={common.notFound.text}
        isPage={isPage}
        action={list && <LinkButton to={list.to}>{common.notFound.list(list.label)}</LinkButton>}
      />
    );
  const title = common.error.title(what);
  const { message } = describeProblem(error);
  const requestId = error instanceof RequestError ? error.requestId : undefined;
  return (
    <div className="empty" role="alert">
      <CloudOff className="i l bad" aria-hidden />
      {isPage ? <h1>{title}</h1> : <h3>{title}</h3>}
      <p>
        {message} {readAt > 0 && common.error.readAt(formatClock(readAt))}
      </p>
      {onRetry && <Button onClick={onRetry}>{common.actions.tryNow}</Button>}
      {requestId && (
        <p className="small t3">
          {common.error.request} <code title={requestId}>{shortenId(requestId)}</code>
        </p>
      )}
    </div>
  );
}

/** Names the permission, and the owners, who can change the role. */
export function Forbidden({ permission, isPage = false }: { permission: string; isPage?: boolean }) {
  const { name: organizationName } = useOrganization();
  const owners = useRead("GET /v1/members", { query: { role: "owner", status: "active", limit: 3 } });
  const names = owners.data?.items.map(({ name }) => name) ?? [];
  return (
    <Empty
      icon={Lock}
      title={common.forbidden.title}
      isPage={isPage}
      text={common.forbidden.text(permission, names)}
      action={
        <CopyButton
          value={common.forbidden.request(permission, organizationName)}
          label={common.forbidden.copyRequest}
        />
      }
    />
  );
}

interface LoadedProps<Data> {
  query: { data: Data | undefined; error: unknown; isPending: boolean; refetch(): unknown };
  what: string;
  rows?: number;
  children(data: Data): ReactNode;
}

/** Shows the data of a query, and its loading and failure states. Old data stays while new data is read. */
export function Loaded<Data>({ query, what, rows = 4, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} what={what} onRetry={() => void query.refetch()} />;
  return <Skeleton rows={rows} />;
}
