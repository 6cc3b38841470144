import type { Role } from "@signalbox/client";
import { useOrganization } from "../../lib/context.tsx";
import { useAction } from "../../lib/queries.ts";
import { useRefreshMe } from "../../lib/session.ts";
import { people } from "../../texts/people.ts";
import { Button } from "../../ui/button.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Lamp } from "../../ui/state.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = people.roles;

interface Props {
  role: Role;
  draft: ReadonlySet<string>;
  onDiscard(): void;
}

/** Says what a changed role gains and loses, and for how many people, before it is saved. */
export function SaveBar({ role, draft, onDiscard }: Props) {
  const toast = useToast();
  const { role: ownRole } = useOrganization();
  const refreshMe = useRefreshMe();
  const { problem, busy, attempt } = useProblem();
  const gained = [...draft].filter((name) => !role.permissions.includes(name)).length;
  const lost = role.permissions.filter((name) => !draft.has(name)).length;
  const save = useAction("PATCH /v1/roles/{id}", {
    changes: ["GET /v1/roles"],
    onDone: () => {
      toast(texts.saved(role.name, role.memberCount));
      onDiscard();
      if (role.id === ownRole) void refreshMe();
    },
  });
  const submit = () =>
    attempt(() => save.run({ path: { id: role.id }, body: { permissions: [...draft] as never[] } }));
  return (
    <section className="savebar-box" aria-label={texts.save}>
      <FormProblem problem={problem} />
      <div className="savebar">
        <Lamp tone="live" />
        <span className="grow">
          <b className="strong">{texts.gains(role.name, gained, lost)}.</b> {texts.affects(role.memberCount)}
        </span>
        <Button look="quiet" onClick={onDiscard}>
          {texts.discard}
        </Button>
        <Button look="primary" busy={busy} onClick={submit}>
          {texts.save}
        </Button>
      </div>
    </section>
  );
}
