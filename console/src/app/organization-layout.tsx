import { Outlet, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { Building2, Lock } from "lucide-react";
import { Suspense, useEffect, useMemo } from "react";
import { RefusedError } from "../lib/api.ts";
import { OrganizationProvider, type OrganizationScope, useServices } from "../lib/context.tsx";
import { ShortcutsProvider, useShortcuts } from "../lib/keyboard.tsx";
import { lazyPart } from "../lib/lazy-part.ts";
import { isSignedOut, useMe, useOtherPerson, useRefreshMe } from "../lib/session.ts";
import { common } from "../texts/common.ts";
import { shell } from "../texts/shell.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { copyText } from "../ui/copy.tsx";
import { Failure, Skeleton } from "../ui/feedback.tsx";
import { useToast } from "../ui/toast.tsx";
import { OtherPerson } from "./identity/other-person.tsx";
import { navigation } from "./navigation.ts";
import { ShortcutHelp } from "./shell/help.tsx";
import { PhoneBar } from "./shell/phone-bar.tsx";
import { Sidebar } from "./shell/sidebar.tsx";
import { ToSignIn } from "./to-sign-in.tsx";
import { WholePage } from "./whole-page.tsx";

const Palette = lazyPart(() => import("./shell/palette.tsx"));

/** Everything below `/o/{slug}`: finds the organization, and puts the frame around its pages. */
export function OrganizationLayout() {
  const { slug } = useParams({ strict: false }) as { slug: string };
  const first = useMe();
  const membership = first.data?.organizations.find(({ organizationSlug }) => organizationSlug === slug);
  // The permissions depend on the organization, so they are read again for it.
  const own = useMe(membership?.organizationId);

  const scope = useMemo<OrganizationScope | undefined>(() => {
    if (!membership || !own.data) return undefined;
    return {
      id: membership.organizationId,
      name: membership.organizationName,
      slug: membership.organizationSlug,
      role: membership.role,
      memberId: membership.memberId,
      isDemo: membership.isDemo,
      permissions: new Set(own.data.permissions),
      me: own.data,
    };
  }, [membership, own.data]);

  const other = useOtherPerson();
  const error = first.error ?? own.error;
  if (other) return <OtherPerson email={other.email} />;
  // A page that is open stays when the session ends. The person is asked in place.
  if (isSignedOut(error) && !scope) return <ToSignIn />;
  if (membership?.suspendedAt != null)
    return (
      <WholePage
        icon={Lock}
        title={shell.suspended.title(membership.organizationName)}
        text={shell.suspended.text}
        action={<LinkButton to="/me">{shell.elsewhere}</LinkButton>}
      />
    );
  if (error instanceof RefusedError && error.code === "reauth" && membership)
    return <NeedsSignIn error={error} membership={membership} />;
  if (error && !scope)
    return <Failure error={error} what={common.product} onRetry={() => void first.refetch()} />;
  if (first.data && !membership)
    return (
      <WholePage
        icon={Building2}
        title={shell.noOrganization.title}
        text={shell.noOrganization.text}
        action={<LinkButton to="/">{common.notFound.home}</LinkButton>}
      />
    );
  if (!scope) return <Skeleton />;
  return (
    // Another organization is another page: nothing of the last one stays on it.
    <OrganizationProvider key={scope.id} value={scope}>
      <Frame slug={scope.slug} />
    </OrganizationProvider>
  );
}

interface NeedsSignInProps {
  error: RefusedError;
  membership: { organizationId: string; organizationName: string };
}

/** The organization requires single sign-on, or a newer sign-in than that of this session. */
function NeedsSignIn({ error, membership: { organizationId, organizationName } }: NeedsSignInProps) {
  const { identity } = useServices();
  const refreshMe = useRefreshMe();
  const reason = error.body.reason === "sso_required" ? "sso_required" : "session_too_old";
  const ask = async () => {
    if (await identity.ask(reason, { organizationId })) await refreshMe();
  };
  return (
    <WholePage
      icon={Lock}
      title={shell.needsSignIn.title(organizationName)}
      text={error.message}
      action={
        <div className="row wrap">
          <Button look="primary" onClick={() => void ask()}>
            {shell.needsSignIn.action}
          </Button>
          <LinkButton to="/me">{shell.elsewhere}</LinkButton>
        </div>
      }
    />
  );
}

function Frame({ slug }: { slug: string }) {
  const navigate = useNavigate();
  const go = (letter: string) => {
    const item = navigation.flatMap(({ items }) => items).find((candidate) => candidate.letter === letter);
    if (item) void navigate({ to: `/o/${slug}${item.path}` });
  };
  return (
    <ShortcutsProvider onGo={go}>
      <a className="skip" href="#main">
        {shell.skip}
      </a>
      <div className="app">
        <Sidebar />
        <main className="sheet" id="main" tabIndex={-1}>
          <Suspense fallback={<Skeleton rows={8} />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <PhoneBar />
      <Overlays />
    </ShortcutsProvider>
  );
}

function Overlays() {
  const { palette, useKey } = useShortcuts();
  const toast = useToast();
  useKey("y", () => {
    void copyText(window.location.href).then((isCopied) => isCopied && toast(common.actions.copied));
  });
  const location = useRouterState({ select: (state) => state.location.pathname });
  // A new page begins at its top, also for readers who do not see it. A record beside a list takes the focus itself.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the address changes.
  useEffect(() => {
    if (document.activeElement?.closest(".insp, [data-row]")) return;
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [location]);
  return (
    <>
      <ShortcutHelp />
      {palette.isOpen && (
        <Suspense>
          <Palette />
        </Suspense>
      )}
    </>
  );
}
