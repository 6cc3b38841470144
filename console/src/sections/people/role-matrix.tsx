import type { Role } from "@signalbox/client";
import { Check, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { Fragment, useState } from "react";
import { common } from "../../texts/common.ts";
import { people } from "../../texts/people.ts";
import { IconButton } from "../../ui/button.tsx";
import { Find } from "../../ui/find.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import type { PermissionGroup } from "./permission-groups.ts";
import { DeleteRoleDialog, RenameRoleDialog } from "./role-dialogs.tsx";
import type { Drafts } from "./roles.tsx";

const texts = people.roles;

/** In pixels. With more roles than fit, the matrix scrolls instead of taking the width of the permissions. */
const permissionWidth = 360;
const roleWidth = 104;

interface MatrixProps {
  groups: readonly PermissionGroup[];
  roles: readonly Role[];
  drafts: Drafts;
  mayEdit: boolean;
  onToggle(role: Role, permission: string): void;
  wanted: string;
  onWanted(text: string): void;
  /** The only role that a phone shows. */
  shownRole: string;
}

export function RoleMatrix({
  groups,
  roles,
  drafts,
  mayEdit,
  onToggle,
  wanted,
  onWanted,
  shownRole,
}: MatrixProps) {
  const hide = (role: Role) => (role.id === shownRole ? "" : " no-phone");
  return (
    <section className="card mxcard">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide matrix is scrolled with the keyboard. */}
      <section className="mx-scroll" tabIndex={0} aria-label={people.tabs.roles}>
        <table className="mx" style={{ minWidth: permissionWidth + roles.length * roleWidth }}>
          <thead>
            <tr>
              <th scope="col">
                <Find value={wanted} onChange={onWanted} label={texts.find} />
              </th>
              {roles.map((role) => (
                <th
                  key={role.id}
                  scope="col"
                  className={`w${drafts[role.id] ? " mine w2" : ""}${hide(role)}`}
                  title={role.description}
                >
                  <span className="row mx-head">
                    <span className="cut">{role.name}</span>
                    {mayEdit && !role.builtIn && <RoleMenu role={role} />}
                  </span>
                  <small>
                    {texts.people(role.memberCount)}
                    {drafts[role.id] && ` · ${texts.edited}`}
                  </small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map(({ title, permissions }) => (
              <Fragment key={title}>
                <tr className="g">
                  <th colSpan={roles.length + 1} scope="colgroup">
                    {title}
                  </th>
                </tr>
                {permissions.map(({ name, description }) => (
                  <tr key={name}>
                    <th scope="row">
                      <span className="per">
                        <span>{description.replace(/\.$/, "")}</span>
                        <code className="no-phone">{name}</code>
                      </span>
                    </th>
                    {roles.map((role) => {
                      const draft = drafts[role.id];
                      const isAllowed = draft ? draft.has(name) : role.permissions.includes(name);
                      const isChanged = draft !== undefined && isAllowed !== role.permissions.includes(name);
                      return (
                        <td key={role.id} className={`${draft ? "mine" : ""}${hide(role)}`}>
                          {mayEdit && !role.builtIn ? (
                            <input
                              type="checkbox"
                              className={`check${isChanged ? " chg1" : ""}`}
                              aria-label={`${role.name}: ${name}`}
                              checked={isAllowed}
                              onChange={() => onToggle(role, name)}
                            />
                          ) : (
                            <Allowed isAllowed={isAllowed} />
                          )}
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </Fragment>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

const Allowed = ({ isAllowed }: { isAllowed: boolean }) => (
  <>
    {isAllowed ? <Check className="i" aria-hidden /> : <span aria-hidden>{common.none}</span>}
    <span className="vh">{isAllowed ? texts.allowed : texts.notAllowed}</span>
  </>
);

function RoleMenu({ role }: { role: Role }) {
  const [open, setOpen] = useState<"rename" | "delete">();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={texts.actions(role.name)} />}>
        <MenuItem icon={Pencil} onSelect={() => setOpen("rename")}>
          {texts.rename}
        </MenuItem>
        <MenuItem icon={Trash2} destructive onSelect={() => setOpen("delete")}>
          {texts.delete}
        </MenuItem>
      </Menu>
      {open === "rename" && <RenameRoleDialog role={role} open onClose={close} />}
      {open === "delete" && <DeleteRoleDialog role={role} open onClose={close} />}
    </>
  );
}

interface PickerProps {
  roles: readonly Role[];
  value: string;
  mayEdit: boolean;
  onChange(id: string): void;
}

/** On a phone the matrix shows one role at a time, without its head. The menu of the role stands next to its name. */
export function PhoneRolePicker({ roles, value, mayEdit, onChange }: PickerProps) {
  const shown = roles.find(({ id }) => id === value);
  return (
    <div className="phone-role">
      <SelectField
        label={texts.show}
        value={value}
        onChange={onChange}
        options={roles.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {mayEdit && shown && !shown.builtIn && <RoleMenu role={shown} />}
    </div>
  );
}
