import { Navigate } from "@tanstack/react-router";
import { useRead } from "../lib/queries.ts";
import { findHome, isSignedOut, useMe } from "../lib/session.ts";
import { common } from "../texts/common.ts";
import { Failure, Skeleton } from "../ui/feedback.tsx";

/** `/`: the organization that the session acts on, the sign-in, or the first steps. */
export function Home() {
  const me = useMe();
  if (me.data) {
    const first = findHome(me.data);
    if (!first) return <Navigate to="/new-organization" replace />;
    return <Navigate to={`/o/${first.organizationSlug}`} replace />;
  }
  if (isSignedOut(me.error)) return <Entrance />;
  if (me.error) return <Failure error={me.error} what={common.product} onRetry={() => void me.refetch()} />;
  return <Skeleton />;
}

/** An instance without an account is set up first. */
function Entrance() {
  const instance = useRead("GET /v1/instance", {});
  if (instance.data) return <Navigate to={instance.data.isEmpty ? "/setup" : "/sign-in"} replace />;
  // Signing in does not depend on what the instance says about itself.
  if (instance.error) return <Navigate to="/sign-in" replace />;
  return <Skeleton />;
}
