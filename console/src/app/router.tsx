import { createRootRoute, createRoute, createRouter, Outlet } from "@tanstack/react-router";
import { Crashed, NotFound } from "./fallbacks.tsx";
import { Home } from "./home.tsx";
import { IdentityDialog } from "./identity/identity-dialog.tsx";
import { type LoadPage, loadPage } from "./load-page.ts";
import { OrganizationLayout } from "./organization-layout.tsx";
import { PersonalLayout } from "./personal-layout.tsx";

const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <IdentityDialog />
    </>
  ),
  notFoundComponent: NotFound,
  errorComponent: Crashed,
});

const organization = createRoute({
  getParentRoute: () => root,
  path: "/o/$slug",
  component: OrganizationLayout,
  notFoundComponent: NotFound,
});

const personal = createRoute({ getParentRoute: () => root, id: "personal", component: PersonalLayout });

const outside = (path: string, page: LoadPage) =>
  createRoute({ getParentRoute: () => root, path, component: loadPage(page) });
const own = (path: string, page: LoadPage) =>
  createRoute({ getParentRoute: () => personal, path, component: loadPage(page) });
const inside = (path: string, page: LoadPage) =>
  createRoute({ getParentRoute: () => organization, path, component: loadPage(page) });

const automations = () => import("../sections/automations/list-page.tsx");
const people = () => import("../sections/people/people-page.tsx");
const access = () => import("../sections/access/access-page.tsx");
const codeHost = () => import("../sections/code-host/code-host-page.tsx");
const mcp = () => import("../sections/mcp/connections-page.tsx");
const accounts = () => import("../sections/accounts/accounts-page.tsx");
const workers = () => import("../sections/workers/workers-page.tsx");
const providers = () => import("../sections/llm-providers/providers-page.tsx");
const settings = () => import("../sections/settings/settings-page.tsx");
const audit = () => import("../sections/audit/audit-page.tsx");
const account = () => import("../sections/account/account-page.tsx");
const admin = () => import("../sections/admin/admin-page.tsx");

const tree = root.addChildren([
  createRoute({ getParentRoute: () => root, path: "/", component: Home }),
  outside("/sign-in", () => import("../sections/entry/sign-in-page.tsx")),
  outside("/sign-up", () => import("../sections/entry/sign-up-page.tsx")),
  outside("/setup", () => import("../sections/entry/setup-page.tsx")),
  outside("/new-organization", () => import("../sections/entry/new-organization-page.tsx")),
  outside("/shared/verdict", () => import("../sections/discover/shared-page.tsx")),
  personal.addChildren([
    own("/me", account),
    own("/me/$tab", account),
    own("/admin", admin),
    own("/admin/$tab", admin),
    own("/admin/$tab/$id", admin),
  ]),
  organization.addChildren([
    inside("/", () => import("../sections/overview/overview-page.tsx")),
    inside("/automations", automations),
    inside("/automations/new", () => import("../sections/automations/edit-page.tsx")),
    inside("/automations/$id", () => import("../sections/automations/automation-page.tsx")),
    inside("/automations/$id/edit", () => import("../sections/automations/edit-page.tsx")),
    inside("/runs", () => import("../sections/runs/list-page.tsx")),
    inside("/runs/$id", () => import("../sections/runs/run-page.tsx")),
    inside("/templates", () => import("../sections/templates/list-page.tsx")),
    inside("/templates/$id", () => import("../sections/templates/template-page.tsx")),
    inside("/discover", () => import("../sections/discover/discover-page.tsx")),
    inside("/connections/mcp", mcp),
    inside("/connections/mcp/$id", mcp),
    inside("/connections/mcp/$id/$tab", mcp),
    inside("/connections/accounts", accounts),
    inside("/connections/accounts/$id", accounts),
    inside("/code-host", codeHost),
    inside("/code-host/$tab", codeHost),
    inside("/code-host/$tab/$id", codeHost),
    inside("/workers", workers),
    inside("/workers/$id", () => import("../sections/workers/worker-page.tsx")),
    inside("/llm-providers", providers),
    inside("/llm-providers/$id", () => import("../sections/llm-providers/provider-page.tsx")),
    inside("/usage", () => import("../sections/usage/usage-page.tsx")),
    inside("/people", people),
    inside("/people/$tab", people),
    inside("/people/$tab/$id", people),
    inside("/access", access),
    inside("/access/$tab", access),
    inside("/access/$tab/$id", access),
    inside("/audit", audit),
    inside("/audit/$id", audit),
    inside("/settings", settings),
    inside("/settings/$tab", settings),
    inside("/settings/$tab/$id", settings),
  ]),
]);

export const createAppRouter = () =>
  createRouter({
    routeTree: tree,
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: Crashed,
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
