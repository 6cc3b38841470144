import { Ellipsis, LogOut, ShieldOff } from "lucide-react";
import { useState } from "react";
import type { Item } from "../../lib/api.ts";
import { formatNumber } from "../../lib/format.ts";
import { useFilters } from "../../lib/paths.ts";
import { useAction, useList } from "../../lib/queries.ts";
import { useMe } from "../../lib/session.ts";
import { admin } from "../../texts/admin.ts";
import { IconButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { Find } from "../../ui/find.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Tag } from "../../ui/state.tsx";
import { DataTable } from "../../ui/table.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = admin.users;
const list = "GET /v1/admin/users";
type User = Item<typeof list>;

export function AdminUsers() {
  const me = useMe();
  const { filters, setFilters } = useFilters();
  const email = filters.email ?? "";
  const sort = filters.sort === "email" ? "email" : "newest";
  const users = useList(list, { query: { sort, ...(email === "" ? {} : { email }) } }, { everyMs: 15_000 });
  const [asked, setAsked] = useState<{ user: User; what: "sign-out" | "reset" }>();
  return (
    <div className="parts full">
      <div className="row wrap">
        <Find value={email} onChange={(value) => setFilters({ email: value })} label={texts.find} />
        <Segments
          label={texts.sort}
          value={sort}
          onChange={(value) => setFilters({ sort: value === "newest" ? undefined : value })}
          options={[
            { value: "newest", label: texts.newest },
            { value: "email", label: texts.byEmail },
          ]}
        />
      </div>
      <Card>
        <DataTable
          label={texts.label}
          what={texts.what}
          list={users}
          rowKey={({ id }) => id}
          tall
          columns={[
            { head: texts.person, cell: (user) => <Person user={user} /> },
            {
              head: texts.organizations,
              align: "r",
              phone: "hide",
              cell: ({ memberships }) => formatNumber(memberships),
            },
            {
              head: texts.sessions,
              align: "r",
              phone: "hide",
              cell: ({ sessions }) => formatNumber(sessions),
            },
            {
              head: texts.secondFactor,
              cell: ({ secondFactors }) =>
                secondFactors.length === 0 ? (
                  <span className="t3">{texts.noFactor}</span>
                ) : (
                  secondFactors.map((factor) => texts.factors[factor]).join(", ")
                ),
            },
            { head: texts.lastSeen, phone: "hide", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
            { head: texts.created, phone: "hide", cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              head: "",
              align: "r",
              cell: (user) => (
                <Menu trigger={<IconButton icon={Ellipsis} label={texts.actions(user.email)} />}>
                  <MenuItem icon={LogOut} onSelect={() => setAsked({ user, what: "sign-out" })}>
                    {texts.signOut}
                  </MenuItem>
                  {user.secondFactors.length > 0 && user.id !== me.data?.user.id && (
                    <MenuItem icon={ShieldOff} destructive onSelect={() => setAsked({ user, what: "reset" })}>
                      {texts.reset}
                    </MenuItem>
                  )}
                </Menu>
              ),
            },
          ]}
          empty={<Empty title={texts.none} text={texts.noneText} />}
        />
      </Card>
      {asked && <Ask {...asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

const Person = ({ user: { name, email, emailVerified } }: { user: User }) => (
  <>
    <span className="row wrap">
      <span className="strong">{name}</span>
      {!emailVerified && <Tag tone="care">{texts.notVerified}</Tag>}
    </span>
    <span className="small t3 wrap-any">{email}</span>
  </>
);

interface AskProps {
  user: User;
  what: "sign-out" | "reset";
  onClose(): void;
}

function Ask({ user: { id, email }, what, onClose }: AskProps) {
  const toast = useToast();
  const signOut = useAction("POST /v1/admin/users/{id}/sign-out", { changes: [list] });
  const reset = useAction("POST /v1/admin/users/{id}/reset-second-factor", { changes: [list] });
  const isReset = what === "reset";
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={isReset ? texts.resetTitle(email) : texts.signOutTitle(email)}
      text={isReset ? texts.resetText : texts.signOutText}
      action={isReset ? texts.reset : texts.signOut}
      onConfirm={async () => {
        if (isReset) toast(texts.resetDone((await reset.run({ path: { id } })).passkeysRemoved));
        else toast(texts.signedOut((await signOut.run({ path: { id } })).sessionsEnded));
      }}
    />
  );
}
