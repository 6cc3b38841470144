import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, Ellipsis, Shield, UserRound } from "lucide-react";
import { Suspense } from "react";
import { ShortcutsProvider } from "../lib/keyboard.tsx";
import { findHome, isSignedOut, useMe, useOtherPerson } from "../lib/session.ts";
import { common } from "../texts/common.ts";
import { shell } from "../texts/shell.ts";
import { Failure, Skeleton } from "../ui/feedback.tsx";
import { Menu } from "../ui/menu.tsx";
import { Avatar } from "../ui/state.tsx";
import { OtherPerson } from "./identity/other-person.tsx";
import { ShortcutHelp } from "./shell/help.tsx";
import { Mark } from "./shell/mark.tsx";
import { UserMenuItems } from "./shell/user-menu.tsx";
import { ToSignIn } from "./to-sign-in.tsx";

const { short } = shell.personal;

/** The frame around pages that belong to no organization: the account and the administration. */
export function PersonalLayout() {
  const me = useMe();
  const navigate = useNavigate();
  const other = useOtherPerson();
  if (other) return <OtherPerson email={other.email} />;
  if (isSignedOut(me.error) && !me.data) return <ToSignIn />;
  if (me.error && !me.data)
    return <Failure error={me.error} what={common.product} onRetry={() => void me.refetch()} />;
  if (!me.data) return <Skeleton />;
  const { user, isInstanceAdmin } = me.data;
  const home = findHome(me.data);
  const back = home ? `/o/${home.organizationSlug}` : "/";
  const backText = home ? shell.personal.back(home.organizationName) : shell.personal.home;
  const items = [
    { to: back, label: backText, short: short.back, icon: ArrowLeft },
    { to: "/me", label: shell.user.profile, short: short.account, icon: UserRound },
    ...(isInstanceAdmin ? [{ to: "/admin", label: shell.user.admin, short: short.admin, icon: Shield }] : []),
  ];
  const links = items.map(({ to, label, icon: Icon }) => (
    <Link key={to} to={to} className="nav" title={label} activeProps={{ "aria-current": "page" }}>
      <Icon className="i" aria-hidden />
      <span className="cut">{label}</span>
    </Link>
  ));
  return (
    <ShortcutsProvider onGo={(letter) => letter === "o" && void navigate({ to: back })}>
      <a className="skip" href="#main">
        {shell.skip}
      </a>
      <div className="app">
        <nav className="side" aria-label={shell.main}>
          <Link to="/" className="org">
            <Mark />
            <span className="grow cut">{common.product}</span>
          </Link>
          <div className="side-items">{links}</div>
          <div className="push" />
          <Menu
            align="start"
            trigger={
              <button type="button" className="me">
                <Avatar name={user.name} />
                <span className="grow">
                  <span className="cut strong">{user.name}</span>
                  <span className="small t3 cut">{user.email}</span>
                </span>
                <Ellipsis className="i s" aria-hidden />
              </button>
            }
          >
            <UserMenuItems />
          </Menu>
        </nav>
        <main className="sheet" id="main" tabIndex={-1}>
          <Suspense fallback={<Skeleton rows={8} />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <nav className="tabbar" aria-label={shell.main}>
        {items.map(({ to, short: label, icon: Icon }) => (
          <Link key={to} to={to} activeProps={{ "aria-current": "page" }}>
            <Icon className="i" aria-hidden />
            {label}
          </Link>
        ))}
      </nav>
      <ShortcutHelp />
    </ShortcutsProvider>
  );
}
