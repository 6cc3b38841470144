import { useRead } from "../../../lib/queries.ts";
import { mcp as texts } from "../../../texts/mcp.ts";
import { CopyRow } from "../../../ui/copy.tsx";
import { SecretField, TextField } from "../../../ui/form.tsx";
import { HeaderFields } from "../header-fields.tsx";
import { isOauth, type Registration } from "../types.ts";
import type { DraftState } from "./draft.ts";

const { addServer: words } = texts;

interface CredentialFieldsProps {
  draft: DraftState;
  registration: Registration | undefined;
}

/** What the chosen way needs: a client, scopes, a token or headers. */
export function CredentialFields({ draft: { value, set }, registration }: CredentialFieldsProps) {
  return (
    <>
      {registration === "pre_registered" && (
        <>
          <RedirectUri />
          <TextField
            label={words.clientId}
            path="clientId"
            mono
            autoComplete="off"
            spellCheck={false}
            value={value.clientId}
            onChange={(clientId) => set({ clientId })}
          />
          <SecretField
            label={words.clientSecret}
            path="clientSecret"
            hint={words.secretHint}
            autoComplete="off"
            value={value.clientSecret}
            onChange={(clientSecret) => set({ clientSecret })}
          />
        </>
      )}
      {registration !== undefined && isOauth(registration) && (
        <TextField
          label={words.scopes}
          path="scopes"
          hint={words.scopesHint}
          mono
          spellCheck={false}
          value={value.scopes}
          onChange={(scopes) => set({ scopes })}
        />
      )}
      {registration === "bearer" &&
        (value.credential === "per_member" ? (
          <p className="note">{words.bearerLater}</p>
        ) : (
          <>
            <SecretField
              label={words.bearerToken}
              path="bearerToken"
              hint={words.bearerHint}
              autoComplete="off"
              value={value.bearerToken}
              onChange={(bearerToken) => set({ bearerToken })}
            />
            <HeaderFields headers={value.headers} onChange={(headers) => set({ headers })} />
          </>
        ))}
    </>
  );
}

/** This instance's own description names the redirect URI. */
function RedirectUri() {
  const query = useRead("GET /oauth/client-metadata.json", {});
  const uri = query.data?.redirect_uris[0];
  if (uri === undefined) return null;
  return (
    <div className="field">
      <span className="strong">{words.redirectUri}</span>
      <CopyRow value={uri} />
    </div>
  );
}
