import { useState } from "react";
import type { Input } from "../../lib/api.ts";
import { useAction } from "../../lib/queries.ts";
import { codeHost as texts } from "../../texts/code-host.ts";
import { common } from "../../texts/common.ts";
import { Button } from "../../ui/button.tsx";
import { Form, SelectField, TextField } from "../../ui/form.tsx";
import { Inspector } from "../../ui/page.tsx";
import { useToast } from "../../ui/toast.tsx";
import { AccessFields, type AccessValues, createAccess } from "./access-fields.tsx";
import { type Connector, type Setup, shortenRef } from "./types.ts";

const { form: words } = texts;
type CodeHost = Connector["codehost"];
type Body = Input<"POST /v1/connectors">["body"];

interface ConnectorFormProps {
  /** Undefined: a new connector. */
  connector?: Connector;
  onClose(): void;
  /** `setup` has the webhook secret of a new connector. */
  onSaved(connector: Connector, setup: Setup | undefined): void;
}

/** Connects a folder of a repository, or changes what a connector reads. */
export function ConnectorForm({ connector, onClose, onSaved }: ConnectorFormProps) {
  const [codehost, setCodehost] = useState<CodeHost>(connector?.codehost ?? "github");
  const [values, setValues] = useState({
    name: connector?.name ?? "",
    baseUrl: connector?.baseUrl ?? "",
    repository: connector?.repository ?? "",
    cloneUrl: connector?.codehost === "git" ? connector.cloneUrl : "",
    ref: connector ? shortenRef(connector.ref) : "main",
    folder: connector?.folder ?? "",
  });
  const [access, setAccess] = useState<AccessValues>({
    kind: connector ? "keep" : "none",
    token: "",
    username: "",
    appId: "",
    installationId: connector?.installationId ?? "",
    privateKey: "",
  });
  const set = (name: keyof typeof values) => (value: string) => setValues({ ...values, [name]: value });
  const toast = useToast();
  const changes = ["GET /v1/connectors", "GET /v1/connectors/{id}", "GET /v1/connector-syncs"] as const;
  const create = useAction("POST /v1/connectors", { changes });
  const change = useAction("PATCH /v1/connectors/{id}", { changes });
  const isGit = codehost === "git";

  async function submit() {
    const given = {
      name: values.name,
      repository: values.repository,
      ref: connector && shortenRef(connector.ref) === values.ref ? connector.ref : values.ref,
      folder: values.folder,
      ...(isGit && values.cloneUrl ? { cloneUrl: values.cloneUrl } : {}),
      ...createAccess(access),
    };
    if (connector) {
      const reply = await change.run({
        path: { id: connector.id },
        body: { ...given, ...(isGit ? {} : { baseUrl: values.baseUrl || null }) },
      });
      toast(words.saved);
      onSaved(reply.connector, undefined);
      return;
    }
    const body: Body = { ...given, codehost, ...(values.baseUrl ? { baseUrl: values.baseUrl } : {}) };
    const reply = await create.run({ body });
    toast(words.created);
    onSaved(reply.connector, reply.setup);
  }

  return (
    <Inspector title={connector ? words.titleEdit(connector.name) : words.titleNew} onClose={onClose}>
      <Form
        onSubmit={submit}
        footer={(busy) => (
          <div className="form-acts">
            <Button look="primary" type="submit" busy={busy}>
              {connector ? common.actions.save : words.create}
            </Button>
            <Button onClick={onClose}>{common.actions.cancel}</Button>
          </div>
        )}
      >
        {!connector && (
          <SelectField
            label={words.codehost}
            path="codehost"
            value={codehost}
            onChange={(value) => setCodehost(value as CodeHost)}
            options={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
          />
        )}
        {!isGit && (
          <TextField
            label={words.baseUrl}
            path="baseUrl"
            hint={words.baseUrlHint}
            type="url"
            mono
            value={values.baseUrl}
            onChange={set("baseUrl")}
          />
        )}
        <TextField
          label={words.repository}
          path="repository"
          hint={words.repositoryHint}
          mono
          value={values.repository}
          onChange={set("repository")}
        />
        {isGit && (
          <TextField
            label={words.cloneUrl}
            path="cloneUrl"
            type="url"
            mono
            value={values.cloneUrl}
            onChange={set("cloneUrl")}
          />
        )}
        <TextField
          label={words.ref}
          path="ref"
          hint={words.refHint}
          mono
          value={values.ref}
          onChange={set("ref")}
        />
        <TextField
          label={words.folder}
          path="folder"
          hint={words.folderHint}
          mono
          value={values.folder}
          onChange={set("folder")}
        />
        <TextField
          label={words.name}
          path="name"
          hint={words.nameHint}
          value={values.name}
          onChange={set("name")}
        />
        <AccessFields
          values={access}
          onChange={setAccess}
          mayKeep={connector !== undefined}
          isGithub={codehost === "github"}
        />
      </Form>
    </Inspector>
  );
}
