import type { Member } from "@signalbox/client";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useOrganization, usePermission } from "../../lib/context.tsx";
import { useFilters, usePath } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { useRefreshMe } from "../../lib/session.ts";
import { people as texts } from "../../texts/people.ts";
import { Button } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { Form, SelectField } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { RefusalDialog } from "../../ui/refusal.tsx";
import { Tag } from "../../ui/state.tsx";
import { Id, Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useRoleOptions } from "./role-options.ts";

export function MemberInspector({ id }: { id: string }) {
  const path = usePath();
  const navigate = useNavigate();
  const { filters } = useFilters();
  const query = useRead("GET /v1/members/{id}", { path: { id } });
  const close = () => void navigate({ to: path("/people/members"), search: filters as never });
  const member = query.data?.member;
  return (
    <Inspector
      title={member?.name ?? texts.what.member}
      lead={member?.email}
      beside={
        member && member.deactivatedAt !== null ? <Tag tone="care">{texts.deactivated}</Tag> : undefined
      }
      onClose={close}
      footer={member && <Actions member={member} onRemoved={close} />}
    >
      <Loaded query={query} what={texts.what.member}>
        {({ member: found }) => <Details member={found} />}
      </Loaded>
    </Inspector>
  );
}

/** Whether the person may change this member at all. Only an owner changes an owner. */
function useMayChange({ role: roleOfMember }: Member): boolean {
  const { role } = useOrganization();
  const mayManage = usePermission("members:manage");
  return mayManage && (roleOfMember !== "owner" || role === "owner");
}

function Details({ member }: { member: Member }) {
  const path = usePath();
  const mayChange = useMayChange(member);
  const mayRuns = usePermission("automations:manage");
  return (
    <>
      {member.managedBy !== null && <p className="note">{texts.managedHint}</p>}
      {mayChange && !member.managedFields.includes("role") ? (
        <RoleForm key={member.role} member={member} />
      ) : (
        <Pairs items={[[texts.member.role, member.roleName]]} />
      )}
      <Pairs
        items={[
          [
            texts.member.teams,
            member.teams.length === 0
              ? texts.member.noTeams
              : member.teams.map(({ id, name }) => (
                  <Link key={id} to={path(`/people/teams/${id}`)} className="link in-row">
                    {name}
                  </Link>
                )),
          ],
          [texts.member.since, <Time key="since" at={member.createdAt} form="date" />],
          [texts.member.id, <Id key="id" id={member.id} />],
        ]}
      />
      {mayRuns && (
        <Link to={path("/runs")} search={{ memberId: member.id } as never} className="link">
          {texts.member.runs}
        </Link>
      )}
    </>
  );
}

function RoleForm({ member }: { member: Member }) {
  const toast = useToast();
  const { memberId } = useOrganization();
  const refreshMe = useRefreshMe();
  const options = useRoleOptions();
  const [role, setRole] = useState(member.role);
  const change = useAction("PATCH /v1/members/{id}", {
    changes: ["GET /v1/members", "GET /v1/members/{id}", "GET /v1/roles"],
    onDone: ({ member: { id, name, roleName } }) => {
      toast(texts.member.roleSaved(name, roleName));
      if (id === memberId) void refreshMe();
    },
  });
  return (
    <Form
      onSubmit={() => change.run({ path: { id: member.id }, body: { role } })}
      footer={(busy) =>
        role !== member.role && (
          <div className="form-acts">
            <Button look="primary" type="submit" busy={busy}>
              {texts.member.saveRole}
            </Button>
          </div>
        )
      }
    >
      <SelectField label={texts.member.role} path="role" value={role} onChange={setRole} options={options} />
    </Form>
  );
}

function Actions({ member, onRemoved }: { member: Member; onRemoved(): void }) {
  const { memberId, role } = useOrganization();
  const mayChange = useMayChange(member);
  const toast = useToast();
  const refreshMe = useRefreshMe();
  const [asks, setAsks] = useState<"deactivate" | "remove" | "transfer">();
  const changes = ["GET /v1/members", "GET /v1/members/{id}"] as const;
  const input = { path: { id: member.id } };
  const deactivate = useAction("POST /v1/members/{id}/deactivate", {
    changes,
    onDone: () => toast(texts.member.deactivateDone(member.name)),
  });
  const reactivate = useAction("POST /v1/members/{id}/reactivate", {
    changes,
    onDone: () => toast(texts.member.reactivated(member.name)),
  });
  const remove = useAction("DELETE /v1/members/{id}", {
    changes: ["GET /v1/members", "GET /v1/roles", "GET /v1/teams"],
    onDone: () => {
      toast(texts.member.removed(member.name));
      onRemoved();
    },
  });
  const transfer = useAction("POST /v1/members/{id}/transfer-ownership", {
    changes: [...changes, "GET /v1/roles"],
    onDone: () => {
      toast(texts.member.transferred(member.name));
      // The person is an admin now.
      void refreshMe();
    },
  });
  if (!mayChange || member.id === memberId || member.managedBy !== null) return null;
  const close = () => setAsks(undefined);
  return (
    <>
      {role === "owner" && member.role !== "owner" && member.deactivatedAt === null && (
        <Button look="quiet" onClick={() => setAsks("transfer")}>
          {texts.member.transfer}
        </Button>
      )}
      <span className="grow" />
      {member.deactivatedAt === null ? (
        <Button onClick={() => setAsks("deactivate")}>{texts.member.deactivate}</Button>
      ) : (
        <Button busy={reactivate.isRunning} onClick={() => reactivate.start(input)}>
          {texts.member.reactivate}
        </Button>
      )}
      <Button look="destructive" onClick={() => setAsks("remove")}>
        {texts.member.remove}
      </Button>
      <RefusalDialog of={reactivate} />
      <ConfirmDialog
        open={asks === "deactivate"}
        onClose={close}
        title={texts.member.deactivateTitle(member.name)}
        text={texts.member.deactivateText}
        action={texts.member.deactivate}
        onConfirm={() => deactivate.run(input)}
      />
      <ConfirmDialog
        open={asks === "remove"}
        onClose={close}
        title={texts.member.removeTitle(member.name)}
        text={texts.member.removeText}
        action={texts.member.remove}
        onConfirm={() => remove.run(input)}
      />
      <ConfirmDialog
        open={asks === "transfer"}
        onClose={close}
        title={texts.member.transferTitle(member.name)}
        text={texts.member.transferText}
        action={texts.member.transfer}
        onConfirm={() => transfer.run(input)}
      />
    </>
  );
}
