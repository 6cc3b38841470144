import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Skeleton } from "../ui/feedback.tsx";

/** Leads to the sign-in, which leads back to this page. */
export function ToSignIn() {
  const router = useRouter();
  const navigate = useNavigate();
  // The address changes while the sign-in is loaded, so it is taken once.
  const returnTo = useRef(router.state.location.href);
  useEffect(() => {
    void navigate({ to: "/sign-in", search: { returnTo: returnTo.current } as never, replace: true });
  }, [navigate]);
  return <Skeleton />;
}
