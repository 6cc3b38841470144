import type { ScimCall, ScimConnector } from "@signalbox/client";
import { FolderSync } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { formatDuration } from "../../lib/format.ts";
import { useAction, useList, useRead } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { Button } from "../../ui/button.tsx";
import { Card, Pairs } from "../../ui/card.tsx";
import { CopyRow } from "../../ui/copy.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty, Loaded } from "../../ui/feedback.tsx";
import { SelectField } from "../../ui/form.tsx";
import { Refusal } from "../../ui/refusal.tsx";
import { Tag } from "../../ui/state.tsx";
import type { Tone } from "../../ui/states.ts";
import { type Column, DataTable } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useRoleOptions } from "../people/role-options.ts";
import { GroupMappings } from "./group-mappings.tsx";
import { ScimTokenDialog } from "./scim-token-dialog.tsx";
import "./access.css";

const texts = access.scim;
const tones: Record<ScimConnector["health"]["status"], Tone> = {
  never_called: "none",
  working: "ok",
  failing: "bad",
  disabled: "none",
};

export function Scim() {
  const query = useRead("GET /v1/scim", {}, { everyMs: 10_000 });
  const mayManage = usePermission("scim:manage");
  const [isMaking, setIsMaking] = useState(false);
  return (
    <>
      <Loaded query={query} what={access.what.scim}>
        {({ connector, baseUrl }) =>
          connector ? (
            <Directory
              connector={connector}
              baseUrl={baseUrl}
              mayManage={mayManage}
              onNewToken={() => setIsMaking(true)}
            />
          ) : (
            <section className="card">
              <Empty
                icon={FolderSync}
                title={texts.empty}
                text={texts.emptyText}
                action={
                  mayManage && (
                    <Button look="primary" onClick={() => setIsMaking(true)}>
                      {texts.create}
                    </Button>
                  )
                }
              />
            </section>
          )
        }
      </Loaded>
      {isMaking && (
        <ScimTokenDialog
          hasTokens={(query.data?.connector?.tokens.length ?? 0) > 0}
          onClose={() => setIsMaking(false)}
        />
      )}
    </>
  );
}

interface DirectoryProps {
  connector: ScimConnector;
  baseUrl: string;
  mayManage: boolean;
  onNewToken(): void;
}

function Directory({ connector, baseUrl, mayManage, onNewToken }: DirectoryProps) {
  const toast = useToast();
  const roles = useRoleOptions();
  const [asks, setAsks] = useState(false);
  const { health } = connector;
  const saving = { changes: ["GET /v1/scim"] as const, onDone: () => toast(texts.saved) };
  const change = useAction("PATCH /v1/scim", saving);
  const chooseRole = useAction("PATCH /v1/scim", saving);
  const saveGroups = useAction("PATCH /v1/scim", saving);
  const remove = useAction("DELETE /v1/scim", {
    changes: ["GET /v1/scim"],
    onDone: () => toast(texts.deleted),
  });
  return (
    <div className="stack-gap">
      <Card
        title={connector.name}
        beside={<Tag tone={tones[health.status]}>{texts.health[health.status]}</Tag>}
        actions={
          mayManage && (
            <>
              <Button size="s" onClick={onNewToken}>
                {texts.newToken}
              </Button>
              <Button
                size="s"
                busy={change.isRunning}
                onClick={() => change.start({ body: { enabled: !connector.enabled } })}
              >
                {connector.enabled ? texts.disable : texts.enable}
              </Button>
              <Button size="s" look="destructive" onClick={() => setAsks(true)}>
                {texts.delete}
              </Button>
            </>
          )
        }
        padded
      >
        <div className="stack-gap">
          <Refusal of={change} />
          <Pairs
            items={[
              [texts.users, texts.usersText(health.activeUsers, health.users)],
              [texts.groups, health.groups],
              [texts.lastCall, <Time key="call" at={health.lastCallAt} />],
              health.lastError !== null && [texts.lastError, health.lastError],
            ]}
          />
          <CopyRow value={baseUrl} />
          <ul className="guide">
            {texts.guide.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <ul>
            {connector.tokens.map((token) => (
              <li key={token.id} className="row">
                <code>{token.start}…</code>
                <span className="t3">
                  {access.columns.lastUsed}:{" "}
                  {token.lastUsedAt === null ? access.notUsed : <Time at={token.lastUsedAt} />}
                </span>
              </li>
            ))}
          </ul>
        </div>
      </Card>
      <Card title={access.sso.mappings} padded>
        <div className="stack-gap">
          <p className="small t3">{access.sso.mappingsHint}</p>
          <div className="form">
            <SelectField
              label={texts.defaultRole}
              value={connector.defaultRole}
              disabled={!mayManage}
              onChange={(defaultRole) => chooseRole.start({ body: { defaultRole } })}
              options={roles.filter(({ value }) => value !== "owner")}
            />
            <Refusal of={chooseRole} />
          </div>
          <GroupMappings
            mappings={connector.groupMappings}
            mayEdit={mayManage}
            onSave={(groupMappings) => saveGroups.run({ body: { groupMappings } })}
          />
        </div>
      </Card>
      <Calls />
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.deleteTitle}
        text={texts.deleteText}
        action={texts.delete}
        onConfirm={() => remove.run({})}
      />
    </div>
  );
}

function Calls() {
  const list = useList("GET /v1/scim/calls", {}, { everyMs: 10_000 });
  const columns: Column<ScimCall>[] = [
    {
      head: texts.method,
      cell: ({ method, path, error }) => (
        <>
          <code className="strong">
            {method} {path}
          </code>
          {error !== null && <span className="small bad wrap-text">{error}</span>}
        </>
      ),
    },
    {
      head: texts.status,
      cell: ({ status }) => <Tag tone={status < 400 ? "ok" : "bad"}>{status}</Tag>,
    },
    { head: texts.time, align: "r", phone: "hide", cell: ({ durationMs }) => formatDuration(durationMs) },
    { head: texts.when, align: "r", cell: ({ calledAt }) => <Time at={calledAt} /> },
  ];
  return (
    <Card title={texts.calls}>
      <DataTable
        label={texts.calls}
        what={access.what.log}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty title={texts.callsEmpty} />}
      />
    </Card>
  );
}
