import type { Permission, Role } from "@signalbox/client";
import { useMemo, useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { useList, useRead } from "../../lib/queries.ts";
import { people as texts } from "../../texts/people.ts";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { LoadedList } from "../../ui/loaded-list.tsx";
import "./matrix.css";
import { groupPermissions } from "./permission-groups.ts";
import { PhoneRolePicker, RoleMatrix } from "./role-matrix.tsx";
import { SaveBar } from "./role-save-bar.tsx";

/** A draft: the permissions that a role would have. */
export type Drafts = Readonly<Record<string, ReadonlySet<string>>>;

export function Roles() {
  const catalogue = useRead("GET /v1/permissions", {});
  const roles = useList("GET /v1/roles", { query: { limit: 100 } });
  return (
    <Loaded query={catalogue} what={texts.what.roles} rows={12}>
      {({ items: permissions }) => (
        <LoadedList list={roles} what={texts.what.roles} rows={12}>
          {(items) => <RoleTable permissions={permissions} roles={sortRoles(items)} />}
        </LoadedList>
      )}
    </Loaded>
  );
}

const builtInOrder = ["owner", "admin", "member"];

/** Built-in roles first, then the organization's own in the order of the API. */
const sortRoles = (roles: readonly Role[]): Role[] => [
  ...builtInOrder.flatMap((id) => roles.find((role) => role.id === id) ?? []),
  ...roles.filter(({ builtIn }) => !builtIn),
];

function RoleTable({ permissions, roles }: { permissions: readonly Permission[]; roles: readonly Role[] }) {
  const mayEdit = usePermission("roles:manage");
  const [wanted, setWanted] = useState("");
  const [drafts, setDrafts] = useState<Drafts>({});
  const [chosenRole, setShownRole] = useState<string>();
  // The chosen one may have been deleted.
  const shownRole =
    (roles.find(({ id }) => id === chosenRole) ?? roles.find(({ builtIn }) => !builtIn) ?? roles[0])?.id ??
    "";
  const groups = useMemo(() => groupPermissions(permissions, wanted), [permissions, wanted]);

  const toggle = (role: Role, permission: string) => {
    const current = drafts[role.id] ?? new Set(role.permissions);
    const next = new Set(current);
    if (!next.delete(permission)) next.add(permission);
    const isSame = next.size === role.permissions.length && role.permissions.every((name) => next.has(name));
    const { [role.id]: _, ...others } = drafts;
    setDrafts(isSame ? others : { ...others, [role.id]: next });
  };
  const discard = (id: string) => {
    const { [id]: _, ...others } = drafts;
    setDrafts(others);
  };
  const edited = roles.find(({ id }) => drafts[id] !== undefined);

  return (
    <>
      <p className="small t3 matrix-note">{texts.roles.note}</p>
      <PhoneRolePicker roles={roles} value={shownRole} mayEdit={mayEdit} onChange={setShownRole} />
      <RoleMatrix
        groups={groups}
        roles={roles}
        drafts={drafts}
        mayEdit={mayEdit}
        onToggle={toggle}
        wanted={wanted}
        onWanted={setWanted}
        shownRole={shownRole}
      />
      {groups.length === 0 && <Empty title={texts.roles.noMatch} />}
      {edited && <SaveBar role={edited} draft={drafts[edited.id]!} onDiscard={() => discard(edited.id)} />}
    </>
  );
}
