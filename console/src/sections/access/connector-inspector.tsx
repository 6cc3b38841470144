import type { SsoConnector } from "@signalbox/client";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePermission } from "../../lib/context.tsx";
import { usePath } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { access } from "../../texts/access.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { CheckField, FormProblem, useProblem } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { Refusal } from "../../ui/refusal.tsx";
import { Tag } from "../../ui/state.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { useToast } from "../../ui/toast.tsx";
import { ConnectorLog, ConnectorPeople } from "./connector-log.tsx";
import { ConnectorValues } from "./connector-values.tsx";
import { GroupMappings } from "./group-mappings.tsx";
import { Guide } from "./provider-guide.tsx";
import { SamlMetadata } from "./saml-metadata.tsx";

const texts = access.sso;
type View = "guide" | "people" | "log";

export function ConnectorInspector({ id }: { id: string }) {
  const path = usePath();
  const navigate = useNavigate();
  const query = useRead("GET /v1/sso/{id}", { path: { id } });
  const mayManage = usePermission("sso:manage");
  const [view, setView] = useState<View>("guide");
  const close = () => void navigate({ to: path("/access/sso") });
  const connector = query.data?.connector;
  return (
    <Inspector
      title={connector?.name ?? access.what.connector}
      lead={connector && texts.kinds[connector.kind]}
      beside={
        connector && (
          <Tag tone={connector.enabled ? "ok" : "none"}>{connector.enabled ? texts.on : texts.off}</Tag>
        )
      }
      onClose={close}
      footer={connector && mayManage && <Actions connector={connector} onDeleted={close} />}
    >
      <Loaded query={query} what={access.what.connector}>
        {({ connector: found }) => (
          <>
            <Segments
              label={texts.guide}
              value={view}
              onChange={setView}
              options={[
                { value: "guide", label: texts.guide },
                { value: "people", label: texts.people },
                { value: "log", label: texts.log },
              ]}
            />
            {view === "guide" && <SetUp connector={found} mayManage={mayManage} />}
            {view === "people" && <ConnectorPeople id={found.id} mayManage={mayManage} />}
            {view === "log" && <ConnectorLog id={found.id} />}
          </>
        )}
      </Loaded>
    </Inspector>
  );
}

function SetUp({ connector, mayManage }: { connector: SsoConnector; mayManage: boolean }) {
  const save = useAction("PATCH /v1/sso/{id}", { changes: ["GET /v1/sso", "GET /v1/sso/{id}"] });
  const path = { id: connector.id };
  return (
    <>
      {connector.health.lastError !== null &&
        (connector.health.lastErrorAt ?? 0) > (connector.health.lastSignInAt ?? 0) && (
          <p className="note care">{connector.health.lastError}</p>
        )}
      <div className="insp-part">
        <Guide kind={connector.kind} />
        <p className="strong">{texts.copyThese}</p>
        <ConnectorValues connector={connector} mayManage={mayManage} />
      </div>
      {connector.kind === "saml" && (
        <div className="insp-part">
          <SamlMetadata connector={connector} mayManage={mayManage} />
        </div>
      )}
      <div className="insp-part">
        <CheckField
          label={texts.createsMembers}
          hint={texts.createsMembersHint}
          checked={connector.createsMembers}
          disabled={!mayManage}
          onChange={(createsMembers) => save.start({ path, body: { createsMembers } })}
        />
        <Refusal of={save} />
        <h3 className="sub-title">{texts.mappings}</h3>
        <p className="small t3">{texts.mappingsHint}</p>
        <GroupMappings
          mappings={connector.groupMappings}
          mayEdit={mayManage}
          onSave={(groupMappings) => save.run({ path, body: { groupMappings } })}
        />
      </div>
    </>
  );
}

function Actions({ connector, onDeleted }: { connector: SsoConnector; onDeleted(): void }) {
  const toast = useToast();
  const [asks, setAsks] = useState(false);
  const { problem, busy, attempt } = useProblem();
  const path = { id: connector.id };
  const save = useAction("PATCH /v1/sso/{id}", {
    changes: ["GET /v1/sso", "GET /v1/sso/{id}"],
    onDone: () => toast(texts.saved),
  });
  // The identity provider's page needs a window of its own: this page stays as it is.
  const test = useAction("POST /v1/sso/{id}/test", {
    onDone: ({ startUrl }) => void window.open(startUrl, "_blank", "noopener"),
  });
  const remove = useAction("DELETE /v1/sso/{id}", {
    changes: ["GET /v1/sso"],
    onDone: () => {
      toast(texts.deleted);
      onDeleted();
    },
  });
  return (
    <div className="grow">
      <FormProblem problem={problem} />
      <div className="row wrap">
        <Button look="destructive" onClick={() => setAsks(true)}>
          {texts.delete}
        </Button>
        <span className="grow" />
        <Button title={texts.testHint} busy={busy} onClick={() => void attempt(() => test.run({ path }))}>
          {texts.test}
        </Button>
        <Button
          look={connector.enabled ? "secondary" : "primary"}
          onClick={() => void attempt(() => save.run({ path, body: { enabled: !connector.enabled } }))}
        >
          {connector.enabled ? texts.disable : texts.enable}
        </Button>
      </div>
      <ConfirmDialog
        open={asks}
        onClose={() => setAsks(false)}
        title={texts.deleteTitle(connector.name)}
        text={texts.deleteText}
        action={texts.delete}
        typeName={connector.name}
        onConfirm={() => remove.run({ path })}
      />
    </div>
  );
}
