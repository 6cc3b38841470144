import type { Team } from "@signalbox/client";
import { Link, useNavigate } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { useAction, useList, useRead, useWhole } from "../../lib/queries.ts";
import { common } from "../../texts/common.ts";
import { people as texts } from "../../texts/people.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Failure, Loaded, Skeleton } from "../../ui/feedback.tsx";
import { Form, SelectField } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { Refusal } from "../../ui/refusal.tsx";
import { Avatar } from "../../ui/state.tsx";
import { useToast } from "../../ui/toast.tsx";
import { EditTeamDialog } from "./team-dialogs.tsx";

export function TeamInspector({ id }: { id: string }) {
  const path = usePath();
  const navigate = useNavigate();
  const query = useRead("GET /v1/teams/{id}", { path: { id } });
  const close = () => void navigate({ to: path("/people/teams") });
  const mayManage = usePermission("teams:manage");
  const team = query.data?.team;
  return (
    <Inspector
      title={team?.name ?? texts.what.team}
      lead={team?.description}
      onClose={close}
      footer={team && mayManage && <Actions team={team} onDeleted={close} />}
    >
      <Loaded query={query} what={texts.what.team}>
        {({ team: found }) => <TeamMembers team={found} mayManage={mayManage} />}
      </Loaded>
    </Inspector>
  );
}

const changes = ["GET /v1/members", "GET /v1/members/{id}", "GET /v1/teams", "GET /v1/teams/{id}"] as const;

function TeamMembers({ team, mayManage }: { team: Team; mayManage: boolean }) {
  const path = usePath();
  const list = useList("GET /v1/members", { query: { teamId: team.id, status: "active", limit: 100 } });
  const remove = useAction("DELETE /v1/teams/{id}/members/{memberId}", { changes });
  if (list.isLoading) return <Skeleton rows={3} />;
  if (list.error && list.rows.length === 0)
    return <Failure error={list.error} what={texts.what.members} onRetry={list.retry} />;
  return (
    <>
      {mayManage && <AddMember teamId={team.id} taken={list.rows.map(({ id }) => id)} />}
      <h3 className="sub-title">{texts.team.members}</h3>
      {list.rows.length === 0 && <p>{texts.empty.teamMembers}</p>}
      <Refusal of={remove} />
      <ul className="prov">
        {list.rows.map(({ id, name, email }) => (
          <li key={id} className="item">
            <Avatar name={name} />
            <span className="grow">
              <Link to={path(`/people/members/${id}`)} className="strong">
                {name}
              </Link>
              <span className="small t3 cut">{email}</span>
            </span>
            {mayManage && (
              <IconButton
                icon={X}
                label={texts.team.removeMember(name)}
                onClick={() => remove.start({ path: { id: team.id, memberId: id } })}
              />
            )}
          </li>
        ))}
      </ul>
      {list.hasMore && <Button onClick={list.loadMore}>{common.actions.more}</Button>}
    </>
  );
}

function AddMember({ teamId, taken }: { teamId: string; taken: readonly string[] }) {
  const toast = useToast();
  const [chosen, setChosen] = useState("");
  const members = useWhole(useList("GET /v1/members", { query: { status: "active", limit: 100 } }));
  const add = useAction("PUT /v1/teams/{id}/members/{memberId}", { changes });
  const free = (members ?? []).filter(({ id }) => !taken.includes(id));
  const submit = async () => {
    if (!chosen) return;
    await add.run({ path: { id: teamId, memberId: chosen } });
    toast(texts.team.added(free.find(({ id }) => id === chosen)?.name ?? ""));
    setChosen("");
  };
  return (
    <Form
      className="form inline-form"
      onSubmit={submit}
      footer={(busy) => (
        <Button type="submit" busy={busy}>
          {texts.team.add}
        </Button>
      )}
    >
      <SelectField
        label={texts.team.choose}
        value={chosen}
        onChange={setChosen}
        options={[
          { value: "", label: common.none },
          ...free.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </Form>
  );
}

function Actions({ team, onDeleted }: { team: Team; onDeleted(): void }) {
  const toast = useToast();
  const [open, setOpen] = useState<"edit" | "delete">();
  const remove = useAction("DELETE /v1/teams/{id}", {
    changes: ["GET /v1/teams", "GET /v1/members"],
    onDone: () => {
      toast(texts.team.deleted);
      onDeleted();
    },
  });
  const close = () => setOpen(undefined);
  return (
    <>
      <span className="grow" />
      <Button onClick={() => setOpen("edit")}>{common.actions.edit}</Button>
      <Button look="destructive" onClick={() => setOpen("delete")}>
        {texts.team.delete}
      </Button>
      {open === "edit" && <EditTeamDialog team={team} open onClose={close} />}
      <ConfirmDialog
        open={open === "delete"}
        onClose={close}
        title={texts.team.deleteTitle(team.name)}
        text={texts.team.deleteText}
        action={texts.team.delete}
        onConfirm={() => remove.run({ path: { id: team.id } })}
      />
    </>
  );
}
