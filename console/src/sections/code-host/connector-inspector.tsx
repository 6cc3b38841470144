import { Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, FlaskConical, Pencil, Power, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { MoreLink, Pairs } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Inspector } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { ConnectorState } from "./connector-list.tsx";
import { ConnectorTest } from "./connector-test.tsx";
import { RefusedSection } from "./refused.tsx";
import { SecretsSection } from "./secrets.tsx";
import { SetupGuide } from "./setup-guide.tsx";
import { type Connector, type Setup, shortenCommit, shortenRef, type Test } from "./types.ts";

const { connector: words } = texts;
const changes = ["GET /v1/connectors", "GET /v1/connectors/{id}", "GET /v1/connector-syncs"] as const;

interface ConnectorInspectorProps {
  id: string;
  /** With the secret, when the connector was created just now. */
  createdSetup: Setup | undefined;
  onClose(): void;
  onEdit(): void;
}

export function ConnectorInspector({ id, createdSetup, onClose, onEdit }: ConnectorInspectorProps) {
  const query = useRead("GET /v1/connectors/{id}", { path: { id } }, { everyMs: 5_000 });
  const data = query.data?.connector.id === id ? query.data : undefined;
  const mayManage = usePermission("connectors:manage");
  const [test, setTest] = useState<Test>();
  const { problem, attempt } = useProblem();
  return (
    <Inspector
      title={data?.connector.name ?? texts.connectors.one}
      lead={
        data && (
          <span className="row wrap">
            <ConnectorState connector={data.connector} />
            <span className="mono t3 cut">{data.connector.repository}</span>
          </span>
        )
      }
      onClose={onClose}
      beside={
        data &&
        mayManage && (
          <Actions connector={data.connector} onEdit={onEdit} onTested={setTest} attempt={attempt} />
        )
      }
    >
      <FormProblem problem={problem} />
      <Loaded query={{ ...query, data }} what={texts.connectors.one}>
        {({ connector, setup }) => (
          <>
            {test && <ConnectorTest test={test} />}
            {createdSetup && <SetupGuide connector={connector} setup={createdSetup} />}
            <Facts connector={connector} />
            {mayManage && !createdSetup && <SetupGuide connector={connector} setup={setup} />}
            {mayManage && <SecretsSection connector={connector} />}
            <RefusedSection connectorId={connector.id} />
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

interface ActionsProps {
  connector: Connector;
  onEdit(): void;
  onTested(test: Test): void;
  attempt(action: () => Promise<unknown>): Promise<boolean>;
}

function Actions({ connector, onEdit, onTested, attempt }: ActionsProps) {
  const { id, name, status, templateCount } = connector;
  const [isRemoving, setIsRemoving] = useState(false);
  const toast = useToast();
  const navigate = useNavigate();
  const path = usePath();
  const sync = useAction("POST /v1/connectors/{id}/sync", { changes });
  const test = useAction("POST /v1/connectors/{id}/test", { onDone: (reply) => onTested(reply.test) });
  const change = useAction("PATCH /v1/connectors/{id}", { changes });
  const remove = useAction("DELETE /v1/connectors/{id}", { changes });
  const isActive = status === "active";
  const setStatus = async (next: "active" | "disabled") => {
    if (await attempt(() => change.run({ path: { id }, body: { status: next } })))
      toast(next === "active" ? words.switchedOn : words.switchedOff);
  };
  return (
    <>
      {isActive && (
        <Button
          size="s"
          icon={RefreshCw}
          busy={sync.isRunning}
          onClick={async () => {
            if (await attempt(() => sync.run({ path: { id } }))) toast(words.syncStarted);
          }}
        >
          {words.syncNow}
        </Button>
      )}
      <Button
        size="s"
        icon={FlaskConical}
        busy={test.isRunning}
        onClick={() => void attempt(() => test.run({ path: { id } }))}
      >
        {words.test}
      </Button>
      <Menu trigger={<IconButton icon={Ellipsis} label={words.more} />}>
        <MenuItem icon={Pencil} onSelect={onEdit}>
          {words.edit}
        </MenuItem>
        <MenuItem icon={Power} onSelect={() => void setStatus(isActive ? "disabled" : "active")}>
          {isActive ? words.switchOff : words.switchOn}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} destructive onSelect={() => setIsRemoving(true)}>
          {words.remove}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={isRemoving}
        onClose={() => setIsRemoving(false)}
        title={words.removeTitle(name)}
        text={words.removeText(templateCount)}
        action={words.remove}
        typeName={name}
        onConfirm={async () => {
          await remove.run({ path: { id }, query: {} });
          toast(words.removed);
          void navigate({ to: path("/code-host/connectors") });
        }}
      />
    </>
  );
}

function Facts({ connector }: { connector: Connector }) {
  const path = usePath();
  const { access, syncedCommit, statusReason, checkError } = connector;
  return (
    <>
      <Pairs
        items={[
          [words.codehost, texts.kinds[connector.codehost]],
          [words.ref, <code key="ref">{shortenRef(connector.ref)}</code>],
          [
            words.folder,
            connector.folder === "" ? words.wholeRepository : <code key="folder">{connector.folder}/</code>,
          ],
          [words.access, words.accessKinds[access.kind]],
          [
            words.templates,
            <Link
              key="templates"
              className="link"
              to={path("/templates")}
              search={{ connectorId: connector.id } as never}
            >
              {connector.templateCount}
            </Link>,
          ],
          syncedCommit !== null && [
            words.commit,
            <CopyText key="commit" value={syncedCommit} shown={shortenCommit(syncedCommit)} />,
          ],
          [words.checked, <Time key="checked" at={connector.checkedAt} />],
          checkError !== null && [
            words.checkError,
            <span key="error" className="bad breaks">
              {checkError}
            </span>,
          ],
          statusReason !== null && [words.reason, statusReason],
          [words.created, <Time key="created" at={connector.createdAt} />],
        ]}
      />
      <p className="row">
        <MoreLink to={path("/code-host/syncs")} search={{ connectorId: connector.id }}>
          {words.syncs}
        </MoreLink>
        <MoreLink to={path("/code-host/deliveries")} search={{ connectorId: connector.id }}>
          {words.deliveries}
        </MoreLink>
      </p>
    </>
  );
}
