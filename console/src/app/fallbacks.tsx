import { CircleAlert, CloudOff, SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { common } from "../texts/common.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Empty } from "../ui/feedback.tsx";
import { isServerThere, PageUnreachableError } from "./load-page.ts";

const Nothing = ({ isPage }: { isPage: boolean }) => (
  <Empty
    isPage={isPage}
    icon={SearchX}
    title={common.notFound.title}
    text={common.notFound.text}
    action={<LinkButton to="/">{common.notFound.home}</LinkButton>}
  />
);

export const NotFound = () => <Nothing isPage />;

/** A part of a page that does not exist. */
export const PartNotFound = () => <Nothing isPage={false} />;

/** Stands in place of a page that could not be shown. */
export const Crashed = ({ error }: { error: unknown }) =>
  error instanceof PageUnreachableError ? <Unreachable /> : <Defect error={error} />;

const retryMs = 5_000;

async function reloadFromServer(): Promise<void> {
  if (await isServerThere()) window.location.reload();
}

/** The files of the page did not arrive. A reload without a server would replace the console with a page of the browser. */
function Unreachable() {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const timer = setInterval(reloadFromServer, retryMs);
    return () => clearInterval(timer);
  }, []);
  const retry = async () => {
    setBusy(true);
    await reloadFromServer();
    setBusy(false);
  };
  return (
    <div role="alert">
      <Empty
        isPage
        icon={CloudOff}
        title={common.error.title(common.error.thisPage)}
        text={common.error.unreachable}
        action={
          <Button busy={busy} onClick={() => void retry()}>
            {common.actions.tryNow}
          </Button>
        }
      />
    </div>
  );
}

/** A defect of the page itself. Says what to report. */
const Defect = ({ error }: { error: unknown }) => (
  <div className="empty" role="alert">
    <CircleAlert className="i l bad" aria-hidden />
    <h1>{common.error.pageTitle}</h1>
    <p>{common.error.pageText}</p>
    <pre className="code">{error instanceof Error ? error.message : String(error)}</pre>
    <Button onClick={() => window.location.reload()}>{common.error.reload}</Button>
  </div>
);
