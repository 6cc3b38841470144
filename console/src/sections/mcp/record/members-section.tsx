import { Copy } from "lucide-react";
import type { Item } from "../../../lib/api.ts";
import { useOrganization } from "../../../lib/context.tsx";
import { useList } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { copyText } from "../../../ui/copy.tsx";
import { Failure, Skeleton } from "../../../ui/feedback.tsx";
import { State } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";
import { useToast } from "../../../ui/toast.tsx";
import type { ConnectionDetail } from "../types.ts";

const { members: words } = texts;
type Member = Item<"GET /v1/mcp-connections/{id}/members">;
const needing: ReadonlySet<string> = new Set(["sign_in", "needs_consent", "not_connected"]);

/** Who has to do something comes first. */
const compareNeed = (one: Member, other: Member): number => rank(one) - rank(other);
const rank = ({ state }: Member): number => (["needs_consent", "sign_in"].indexOf(state) === -1 ? 1 : 0);

/** Who may use a connection, and who must sign in or consent first. */
export function MembersSection({ connection: { id, name, people } }: { connection: ConnectionDetail }) {
  const { slug } = useOrganization();
  const list = useList("GET /v1/mcp-connections/{id}/members", { path: { id }, query: { limit: 50 } });
  const toast = useToast();
  const address = `${window.location.origin}/o/${slug}/connections/mcp/${id}`;
  const hasNeed = list.rows.some(({ state, mayUse }) => mayUse && needing.has(state));
  return (
    <section className="field">
      <div className="row wrap">
        <h3 className="sub-title">{words.title}</h3>
        {people !== null && people.needCare > 0 && (
          <span className="care small">{words.need(people.needCare)}</span>
        )}
        <span className="grow" />
        {hasNeed && (
          <Button
            look="quiet"
            size="s"
            icon={Copy}
            onClick={async () => {
              if (await copyText(words.ask(name, address))) toast(words.asked);
            }}
          >
            {words.askAll}
          </Button>
        )}
      </div>
      {list.isLoading ? (
        <Skeleton rows={2} />
      ) : list.error && list.rows.length === 0 ? (
        <Failure error={list.error} what={words.what} onRetry={list.retry} />
      ) : list.rows.length === 0 ? (
        <p className="t3">{words.empty}</p>
      ) : (
        <ul className="lined">
          {list.rows.toSorted(compareNeed).map((member) => (
            <li key={member.memberId} className="row">
              <span className="grow cut">
                <span className="t">{member.name}</span>{" "}
                <span className="t3 small">
                  {!member.mayUse
                    ? words.notGranted
                    : member.missingScopes.length > 0
                      ? words.missing(member.missingScopes.join(" "))
                      : (member.account ?? "")}
                </span>
              </span>
              {member.lastUsedAt !== null && (
                <span className="t3 small no-phone">
                  <Time at={member.lastUsedAt} />
                </span>
              )}
              <State kind="mcp" value={member.state} />
            </li>
          ))}
        </ul>
      )}
      {list.hasMore && (
        <div>
          <Button size="s" busy={list.isLoadingMore} onClick={list.loadMore}>
            {words.more}
          </Button>
        </div>
      )}
    </section>
  );
}
