import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Input, RefusedError } from "../../../lib/api.ts";
import { usePath } from "../../../lib/paths.ts";
import { useAction } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { Button } from "../../../ui/button.tsx";
import { ChoiceField, Form, TextField } from "../../../ui/form.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { ServerChoice } from "../../discover/servers.tsx";
import { readHeaders } from "../header-fields.tsx";
import { isOauth, type Registration, type Result, splitScopes } from "../types.ts";
import { CredentialFields } from "./credential-fields.tsx";
import type { Choices, Draft, DraftState } from "./draft.ts";
import { WayField } from "./way-field.tsx";
import { findServer, isFresh, listWays, recommendWay } from "./ways.ts";

const { addServer: words } = texts;
const save = "POST /v1/mcp-connections" as const;

interface NewConnectionFormProps {
  draft: DraftState;
  /** Undefined when nothing was found out yet. The server does it when it saves. */
  result: Result | undefined;
  onSaved(): void;
}

/** What a person decides before a server is saved. A refusal changes nothing that was entered. */
export function NewConnectionForm({ draft, result, onSaved }: NewConnectionFormProps) {
  const { value, set } = draft;
  const navigate = useNavigate();
  const path = usePath();
  const toast = useToast();
  const [isUnchosen, setIsUnchosen] = useState(false);
  const create = useAction(save, { changes: ["GET /v1/mcp-connections"] });
  const servers = result?.authentication.authorizationServers ?? [];
  const server = result && findServer(result, value.authorizationServer);
  const ways = result ? listWays(result, server, value.choices) : [];
  const recommended = result && recommendWay(result, server, value.choices);
  const registration = value.registration ?? recommended;
  const wantsServer =
    servers.length > 1 && server === undefined && (registration === undefined || isOauth(registration));

  async function submit() {
    const isIncomplete = wantsServer || (result !== undefined && registration === undefined);
    setIsUnchosen(isIncomplete);
    if (isIncomplete) throw new Error(wantsServer ? words.chooseServer : words.chooseWay);
    try {
      const { connection } = await create.run({
        body: writeBody(value, registration, server?.issuer ?? value.authorizationServer?.trim()),
      });
      toast(words.saved(connection.name));
      onSaved();
      void navigate({ to: path(`/connections/mcp/${connection.id}`) });
    } catch (error) {
      const choices = readChoices(error);
      if (choices) set({ choices });
      throw error;
    }
  }
  if (result?.status === "unsupported" && !value.choices)
    return <p className="note bad">{words.unsupported}</p>;
  return (
    <Form
      className="form wide"
      onSubmit={submit}
      footer={(busy) => (
        <div className="form-acts">
          <Button look="primary" type="submit" busy={busy}>
            {words.save}
          </Button>
        </div>
      )}
    >
      {result?.status === "unreachable" && <p className="note care">{words.unreachable}</p>}
      {servers.length > 1 && (
        <section className="field">
          <h3 className="sub-title">{words.authorizationServer}</h3>
          <p className={isUnchosen && wantsServer ? "hint bad" : "hint"}>{words.authorizationServerHint}</p>
          <ServerChoice
            servers={servers}
            value={value.authorizationServer}
            onChange={(authorizationServer) =>
              set({ authorizationServer, registration: undefined, choices: undefined })
            }
          />
        </section>
      )}
      {result && !(wantsServer && value.registration === undefined) && (
        <WayField
          ways={ways}
          value={registration}
          recommended={recommended}
          onChange={(chosen) => set({ registration: chosen })}
        />
      )}
      {registration !== undefined && registration !== "none" && (
        <ChoiceField
          legend={words.credential}
          value={value.credential}
          onChange={(credential) => set({ credential })}
          options={[
            { value: "per_member", label: words.perMember, hint: words.perMemberHint },
            { value: "shared", label: words.shared, hint: words.sharedHint },
          ]}
        />
      )}
      {registration !== undefined && isOauth(registration) && servers.length === 0 && (
        <TextField
          label={words.issuer}
          path="authorizationServer"
          hint={words.issuerHint}
          mono
          spellCheck={false}
          value={value.authorizationServer ?? ""}
          onChange={(issuer) => set({ authorizationServer: issuer })}
        />
      )}
      <CredentialFields draft={draft} registration={registration} />
      <TextField
        label={words.name}
        path="name"
        hint={words.nameHint}
        value={value.name}
        onChange={(name) => set({ name })}
      />
      <ChoiceField
        legend={words.access}
        value={value.isForEverybody ? "all" : "me"}
        onChange={(chosen) => set({ isForEverybody: chosen === "all" })}
        options={[
          { value: "me", label: words.onlyMe, hint: words.later },
          { value: "all", label: words.everybody, hint: words.everybodyHint },
        ]}
      />
    </Form>
  );
}

function writeBody(
  draft: Draft,
  registration: Registration | undefined,
  issuer: string | undefined,
): Input<typeof save>["body"] {
  const { url, name, credential, clientId, clientSecret, bearerToken, headers, scopes, discovery } = draft;
  const asks = registration !== undefined && isOauth(registration);
  const isPreRegistered = registration === "pre_registered";
  const isFixed = registration === "bearer" && credential === "shared";
  const given = isFixed ? readHeaders(headers) : undefined;
  return {
    url: url.trim(),
    credential,
    ...(name.trim() ? { name: name.trim() } : {}),
    ...(registration ? { registration } : {}),
    ...(asks && issuer ? { authorizationServer: issuer } : {}),
    ...(isPreRegistered && clientId.trim() ? { clientId: clientId.trim() } : {}),
    ...(isPreRegistered && clientSecret ? { clientSecret } : {}),
    ...(isFixed && bearerToken ? { bearerToken } : {}),
    ...(given ? { headers: given } : {}),
    ...(asks && scopes.trim() ? { scopes: splitScopes(scopes) } : {}),
    ...(draft.isForEverybody ? { access: { organization: true } } : {}),
    ...(discovery && isFresh(draft, Date.now()) ? { discoveryId: discovery.id } : {}),
  };
}

/** The choices that the server wants decided. */
const readChoices = (error: unknown): Choices | undefined =>
  error instanceof RefusedError && error.code === "mcp_choice_required"
    ? (error.body.choices as Choices)
    : undefined;
