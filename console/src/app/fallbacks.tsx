import { CircleAlert, SearchX } from "lucide-react";
import { common } from "../texts/common.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Empty } from "../ui/feedback.tsx";

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

/** A defect of the page itself. Says what to report. */
export const Crashed = ({ error }: { error: unknown }) => (
  <div className="empty" role="alert">
    <CircleAlert className="i l bad" aria-hidden />
    <h1>{common.error.pageTitle}</h1>
    <p>{common.error.pageText}</p>
    <pre className="code">{error instanceof Error ? error.message : String(error)}</pre>
    <Button onClick={() => window.location.reload()}>{common.error.reload}</Button>
  </div>
);
