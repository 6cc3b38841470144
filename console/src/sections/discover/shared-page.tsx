import { Link, useRouterState } from "@tanstack/react-router";
import { Link2Off } from "lucide-react";
import { Mark } from "../../app/shell/mark.tsx";
import { isNotFound } from "../../lib/api.ts";
import { useRead } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { discover as texts } from "../../texts/discover.ts";
import { Empty, Failure, Skeleton } from "../../ui/feedback.tsx";
import { useTitle } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { VerdictView } from "./verdict-view.tsx";
import "./discover.css";

const { shared: words } = texts;

/** A verdict for people without an account. The token is in the fragment, which browsers do not send to servers. */
export default function SharedPage() {
  const token = useRouterState({ select: ({ location }) => location.hash });
  useTitle(words.name);
  return (
    <div className="outside">
      <header className="row outside-bar">
        <Link to="/" className="row strong" aria-label={common.product}>
          <Mark status="live" />
          {common.product}
        </Link>
        <span className="t3 no-phone">{words.from}</span>
      </header>
      <main className="page">{token === "" ? <Gone /> : <SharedVerdict key={token} token={token} />}</main>
    </div>
  );
}

const Gone = () => (
  <>
    <h1 className="vh">{words.gone}</h1>
    <Empty icon={Link2Off} title={words.gone} text={words.goneText} />
  </>
);

function SharedVerdict({ token }: { token: string }) {
  const query = useRead("GET /v1/mcp-discoveries/shared", { query: { token } });
  if (query.error && isNotFound(query.error)) return <Gone />;
  if (query.error)
    return <Failure error={query.error} what={texts.what} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={8} />;
  const { discovery } = query.data;
  return (
    <>
      <p className="mono t3 breaks shared-url">{discovery.url}</p>
      <VerdictView
        discovery={discovery}
        moreFacts={[
          [words.seen, <Time key="seen" at={discovery.createdAt} />],
          [words.ends, <Time key="ends" at={discovery.expiresAt} />],
        ]}
      />
    </>
  );
}
