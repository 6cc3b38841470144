import { Link } from "@tanstack/react-router";
import { GitCompare } from "lucide-react";
import { useState } from "react";
import { RefusedError, type Reply } from "../../../lib/api.ts";
import { formatDay, formatWhen } from "../../../lib/format.ts";
import { usePath } from "../../../lib/paths.ts";
import { useAction, useList } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { Pairs } from "../../../ui/card.tsx";
import { Empty } from "../../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../../ui/form.tsx";
import { LoadedList } from "../../../ui/loaded-list.tsx";
import { Inspector } from "../../../ui/page.tsx";
import { useNow } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { type ConnectionDetail, changed, type Drift } from "../types.ts";
import { ChangeCard, createDriftKey } from "./change-card.tsx";

const { drift: words } = texts;
const read = "GET /v1/mcp-connections/{id}/drift" as const;

interface DriftInspectorProps {
  id: string;
  connection: ConnectionDetail | undefined;
  onClose(): void;
}

/** What the server changed after approval, worst first. Nothing is chosen for the person. */
export function DriftInspector({ id, connection, onClose }: DriftInspectorProps) {
  const list = useList(read, { path: { id }, query: { limit: 100 } }, { everyMs: 30_000 });
  // Later pages may have been read after a change. The server refuses the revision of the first one then.
  const data = list.first && { ...list.first, items: list.rows };
  const [chosen, setChosen] = useState<{ revision: string; keys: readonly string[] }>();
  const [isAgain, setIsAgain] = useState(false);
  const { problem, busy, attempt, setProblem } = useProblem();
  const toast = useToast();
  const approve = useAction("POST /v1/mcp-connections/{id}/drift/approve", { changes: changed });
  // A choice counts only for the versions that were on the page when it was made.
  const keys = chosen && chosen.revision === data?.revision ? chosen.keys : [];
  const hasChanged =
    isAgain || (chosen !== undefined && data !== undefined && chosen.revision !== data.revision);

  const choose = (drift: Drift, isChosen: boolean) => {
    const key = createDriftKey(drift);
    setIsAgain(false);
    setProblem(undefined);
    setChosen({
      revision: data!.revision,
      keys: isChosen ? [...keys, key] : keys.filter((other) => other !== key),
    });
  };
  const submit = () =>
    attempt(async () => {
      if (keys.length === 0) throw new Error(words.chooseFirst);
      const picked = data!.items.filter((drift) => keys.includes(createDriftKey(drift)));
      const tools = picked.flatMap(({ tool }) => tool ?? []);
      const hasInstructions = picked.some(({ subject }) => subject === "instructions");
      try {
        const { baseline } = await approve.run({
          path: { id },
          body: {
            ...(tools.length > 0 ? { tools } : {}),
            ...(hasInstructions ? { instructions: true } : {}),
            revision: data!.revision,
          },
        });
        toast(words.done(picked.length, baseline.remaining));
        setChosen(undefined);
        if (baseline.remaining === 0) onClose();
      } catch (error) {
        if (!(error instanceof RefusedError) || error.code !== "mcp_drift_changed") throw error;
        setChosen(undefined);
        setIsAgain(true);
        await list.retry();
      }
    });
  const name = connection?.name ?? texts.one;
  const isWarning = connection?.policy.onDrift === "warn";
  return (
    <Inspector
      title={data && data.items.length > 0 ? writeTitle(name, data) : name}
      lead={data && data.items.length > 0 && <Lead data={data} isWarning={isWarning} />}
      onClose={onClose}
      footer={
        data &&
        data.items.length > 0 && (
          <>
            <span className="small t3 grow">{words.audited}</span>
            <Button onClick={onClose}>{isWarning ? words.keepWarn : words.keep}</Button>
            <Button look="primary" busy={busy} onClick={() => void submit()}>
              {writeAction(data.items, keys)}
            </Button>
          </>
        )
      }
    >
      <LoadedList list={list} what={words.what}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon={GitCompare} title={words.none} text={words.noneText} />
          ) : (
            <>
              {hasChanged && <p className="note care">{words.again}</p>}
              {items.map((drift) => (
                <ChangeCard
                  key={createDriftKey(drift)}
                  drift={drift}
                  isChosen={keys.includes(createDriftKey(drift))}
                  onChoose={(isChosen) => choose(drift, isChosen)}
                />
              ))}
              {connection && data && <Rest connection={connection} items={items} tools={data.tools} />}
              <FormProblem problem={problem} />
            </>
          )
        }
      </LoadedList>
    </Inspector>
  );
}

type Page = Omit<Reply<typeof read>, "items"> & { items: readonly Drift[] };

function writeTitle(name: string, { items, tools }: Page): string {
  const count = items.filter(({ subject }) => subject === "tool").length;
  return count === 0 ? words.titleInstructions(name) : words.title(name, count, Math.max(tools, count));
}

function writeAction(items: readonly Drift[], keys: readonly string[]): string {
  if (keys.length === 0) return words.approveNone;
  const hasInstructions = items.some(
    (drift) => drift.subject === "instructions" && keys.includes(createDriftKey(drift)),
  );
  return hasInstructions ? words.approveMixed(keys.length) : words.approveSome(keys.length);
}

function Lead({ data: { items }, isWarning }: { data: Page; isWarning: boolean }) {
  const now = useNow();
  const approved = items
    .filter(({ approvedAt }) => approvedAt !== null)
    .sort((one, other) => other.approvedAt! - one.approvedAt!)[0];
  const held = items.filter(({ isHeld }) => isHeld).length;
  return [
    words.compared(approved?.approvedByName ?? null, approved ? formatDay(approved.approvedAt!) : null),
    words.seen(formatWhen(Math.min(...items.map(({ seenAt }) => seenAt)), now)),
    isWarning ? words.notHeld : held > 0 ? words.held(held) : "",
  ].join(" ");
}

interface RestProps {
  connection: ConnectionDetail;
  items: readonly Drift[];
  tools: number;
}

function Rest({ connection: { id, policy }, items, tools }: RestProps) {
  const path = usePath();
  const unchanged = Math.max(0, tools - items.filter(({ after }) => after !== null).length);
  return (
    <Pairs
      items={[
        [
          words.onDrift,
          <span key="policy">
            {texts.policy.drift[policy.onDrift]}{" "}
            <Link className="link" to={path(`/connections/mcp/${id}/tools`)} hash="policy">
              {words.change}
            </Link>
          </span>,
        ],
        [words.unchanged, policy.onDrift === "hold_all" ? words.allHeld(unchanged) : words.goOn(unchanged)],
      ]}
    />
  );
}
