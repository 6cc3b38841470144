import { Link } from "@tanstack/react-router";
import { ChevronsUpDown, Ellipsis, FlaskConical, Plus, Search } from "lucide-react";
import { useOrganization } from "../../lib/context.tsx";
import { useShortcuts } from "../../lib/keyboard.tsx";
import { usePath } from "../../lib/paths.ts";
import { useServerStatus } from "../../lib/server-status.ts";
import { shell } from "../../texts/shell.ts";
import { Menu, MenuItem, MenuLabel, MenuLine } from "../../ui/menu.tsx";
import { Avatar, Lamp, Tag } from "../../ui/state.tsx";
import { listItems } from "../navigation.ts";
import { Mark } from "./mark.tsx";
import { useNavSignals } from "./signals.ts";
import { UserMenuItems } from "./user-menu.tsx";

const statusTexts = { live: shell.live, reconnecting: shell.reconnecting, away: shell.away };

export function Sidebar() {
  const organization = useOrganization();
  const { openPalette } = useShortcuts();
  const path = usePath();
  const signals = useNavSignals();
  return (
    <nav className="side" aria-label={shell.main}>
      <OrganizationMenu />
      <button type="button" className="find" onClick={openPalette}>
        <Search className="i s" aria-hidden />
        <span className="grow">{shell.search}</span>
        <kbd aria-hidden>⌘K</kbd>
      </button>
      <div className="side-items">
        {listItems(organization.permissions).map((group) => (
          <section key={group.title ?? ""} aria-label={group.title}>
            {group.title && <h2>{group.title}</h2>}
            {group.items.map(({ path: at, label, icon: Icon }) => {
              const signal = signals[at];
              return (
                <Link
                  key={at}
                  to={path(at)}
                  className="nav"
                  title={label}
                  activeOptions={{ exact: at === "", includeSearch: false }}
                  activeProps={{ "aria-current": "page" }}
                >
                  <Icon className="i" aria-hidden />
                  <span>{label}</span>
                  {signal && (
                    <span className="badge">
                      <Lamp tone={signal.tone} />
                      {signal.count}
                      <span className="vh">{signal.text}</span>
                    </span>
                  )}
                </Link>
              );
            })}
          </section>
        ))}
      </div>
      <div className="push" />
      {organization.isDemo && (
        <div className="demo">
          <FlaskConical className="i s" aria-hidden />
          <p>
            <span className="strong">{shell.demo.title}</span>
            <br />
            {shell.demo.text}
          </p>
        </div>
      )}
      <Menu
        align="start"
        trigger={
          <button type="button" className="me">
            <Avatar name={organization.me.user.name} />
            <span className="grow">
              <span className="cut strong">{organization.me.user.name}</span>
              <span className="small t3 cut">{organization.me.user.email}</span>
            </span>
            <Ellipsis className="i s" aria-hidden />
          </button>
        }
      >
        <UserMenuItems />
      </Menu>
    </nav>
  );
}

function OrganizationMenu() {
  const organization = useOrganization();
  const status = useServerStatus();
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="org" aria-label={shell.switcher.label(organization.name)}>
          <Mark status={status} />
          <span className="vh" role="status">
            {status === "live" ? "" : statusTexts[status]}
          </span>
          <span className="grow cut">{organization.name}</span>
          <ChevronsUpDown className="i s" aria-hidden />
        </button>
      }
    >
      <MenuLabel>{shell.switcher.title}</MenuLabel>
      {organization.me.organizations.map((membership) => (
        <MenuItem key={membership.organizationId} render={<Link to={`/o/${membership.organizationSlug}`} />}>
          <span className="grow cut">{membership.organizationName}</span>
          {membership.suspendedAt !== null && <Tag tone="care">{shell.switcher.suspended}</Tag>}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={Plus} render={<Link to="/new-organization" />}>
        {shell.switcher.create}
      </MenuItem>
    </Menu>
  );
}
