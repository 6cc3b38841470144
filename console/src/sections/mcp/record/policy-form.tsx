import { useState } from "react";
import { useAction } from "../../../lib/queries.ts";
import { isHidden, mayExecute, parsePatterns } from "../../../lib/tool-patterns.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { AreaField, CheckField, ChoiceField, Form } from "../../../ui/form.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { changed, type Policy, type Tool } from "../types.ts";

const { policy: words } = texts;
const driftChoices = ["hold_changed", "hold_all", "warn"] as const;
const destructiveChoices = ["allow", "approve", "deny"] as const;

interface PolicyFormProps {
  connectionId: string;
  policy: Policy;
  /** To say what the lists would do. */
  tools: readonly Tool[];
}

/** What may be done with the tools: by change, by danger and by name. */
export function PolicyForm({ connectionId, policy, tools }: PolicyFormProps) {
  const [onDrift, setOnDrift] = useState(policy.onDrift);
  const [destructive, setDestructive] = useState(policy.destructive);
  const [isStrict, setIsStrict] = useState(policy.treatUnknownAsDestructive);
  const [isAll, setIsAll] = useState(policy.allow === null);
  const [allow, setAllow] = useState((policy.allow ?? []).join("\n"));
  const [deny, setDeny] = useState(policy.deny.join("\n"));
  const [hide, setHide] = useState(policy.hide.join("\n"));
  const toast = useToast();
  const save = useAction("PUT /v1/mcp-connections/{id}/tools/policy", {
    changes: changed,
    onDone: () => toast(words.saved),
  });
  const lists = {
    allow: isAll ? null : parsePatterns(allow),
    deny: parsePatterns(deny),
    hide: parsePatterns(hide),
  };
  const present = tools.filter(({ state }) => state !== "removed");
  const callable = present.filter(({ name }) => mayExecute(lists, name)).length;
  const hidden = present.filter(({ name }) => isHidden(lists, name)).length;
  return (
    <Form
      className="form wide"
      onSubmit={() =>
        save.run({
          path: { id: connectionId },
          body: { ...lists, onDrift, destructive, treatUnknownAsDestructive: isStrict },
        })
      }
      footer={(busy) => (
        <div className="form-acts">
          <Button type="submit" busy={busy}>
            {words.save}
          </Button>
          <span className="small t3" role="status">
            {present.length > 0 && words.effect(callable, hidden, present.length)}
          </span>
        </div>
      )}
    >
      <ChoiceField
        legend={words.onDrift}
        value={onDrift}
        onChange={setOnDrift}
        options={driftChoices.map((value) => ({
          value,
          label: words.drift[value],
          hint: words.driftHints[value],
        }))}
      />
      <ChoiceField
        legend={words.destructive}
        value={destructive}
        onChange={setDestructive}
        options={destructiveChoices.map((value) => ({
          value,
          label: words.destructives[value],
          hint: words.destructiveHints[value],
        }))}
      />
      {destructive !== "allow" && (
        <CheckField
          label={words.unknown}
          hint={words.unknownHint}
          checked={isStrict}
          onChange={setIsStrict}
        />
      )}
      <ChoiceField
        legend={words.allow}
        value={isAll ? "all" : "some"}
        onChange={(value) => setIsAll(value === "all")}
        options={[
          { value: "all", label: words.allowAll },
          { value: "some", label: words.allowSome },
        ]}
      />
      {!isAll && (
        <AreaField
          label={words.allowList}
          path="allow"
          hint={words.patterns}
          mono
          rows={4}
          value={allow}
          onChange={setAllow}
          spellCheck={false}
        />
      )}
      <AreaField
        label={words.deny}
        path="deny"
        hint={words.patterns}
        mono
        rows={3}
        value={deny}
        onChange={setDeny}
        spellCheck={false}
      />
      <AreaField
        label={words.hide}
        path="hide"
        hint={`${words.patterns} ${words.hideHint}`}
        mono
        rows={3}
        value={hide}
        onChange={setHide}
        spellCheck={false}
      />
    </Form>
  );
}
