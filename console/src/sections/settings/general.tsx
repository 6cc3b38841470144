import { useNavigate } from "@tanstack/react-router";
import type { Reply } from "../../lib/api.ts";
import { useOrganization, usePermission } from "../../lib/context.tsx";
import { useEdits } from "../../lib/edits.ts";
import { formatExact } from "../../lib/format.ts";
import { readOptionalWhole, writeOptional } from "../../lib/numbers.ts";
import { usePath } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { useRefreshMe } from "../../lib/session.ts";
import { common } from "../../texts/common.ts";
import { settings } from "../../texts/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Card, MoreLink, Pairs } from "../../ui/card.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { AreaField, Form, TextField } from "../../ui/form.tsx";
import { Id, Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";

const texts = settings.general;
const read = "GET /v1/organization";
type Organization = Reply<typeof read>["organization"];

export function General() {
  const organization = useRead(read, {});
  return (
    <div className="parts">
      <Loaded query={organization} what={texts.what}>
        {(data) => <Editor key={data.organization.id} organization={data.organization} />}
      </Loaded>
    </div>
  );
}

function Editor({ organization }: { organization: Organization }) {
  const mayChange = usePermission("organization:update");
  const seesSso = usePermission("sso:read");
  const path = usePath();
  return (
    <>
      {organization.provisionalUntil !== null && (
        <p className="note care">{texts.provisional(formatExact(organization.provisionalUntil))}</p>
      )}
      <Card title={texts.title} padded>
        {mayChange ? (
          <OrganizationForm organization={organization} />
        ) : (
          <p className="note">{settings.readOnly("organization:update")}</p>
        )}
        <Pairs
          items={[
            !mayChange && [texts.name, organization.name],
            !mayChange && [texts.slug, <code key="slug">{organization.slug}</code>],
            [texts.sso, organization.requireSso ? texts.ssoRequired : texts.ssoOptional],
            [texts.created, <Time key="created" at={organization.createdAt} form="date" />],
            [texts.id, <Id key="id" id={organization.id} />],
          ]}
        />
        {seesSso && <MoreLink to={path("/access/sso")}>{texts.ssoLink}</MoreLink>}
      </Card>
    </>
  );
}

function OrganizationForm({ organization }: { organization: Organization }) {
  const { slug: openSlug } = useOrganization();
  const navigate = useNavigate();
  const refreshMe = useRefreshMe();
  const toast = useToast();
  const { fields, edits, edit, forget } = useEdits({
    name: organization.name,
    slug: organization.slug,
    domains: organization.allowedEmailDomains.join("\n"),
    maxAge: writeOptional(organization.sessionMaxAgeMinutes),
  });
  const save = useAction("PATCH /v1/organization", { changes: [read] });
  const submit = async () => {
    const { name, slug, domains, maxAge } = edits;
    const saved = await save.run({
      body: {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(slug === undefined ? {} : { slug: slug.trim() }),
        ...(domains === undefined ? {} : { allowedEmailDomains: domains.split(/[\s,]+/).filter(Boolean) }),
        ...(maxAge === undefined ? {} : { sessionMaxAgeMinutes: readOptionalWhole(maxAge) }),
      },
    });
    forget(edits);
    await refreshMe();
    toast(settings.saved);
    if (saved.organization.slug !== openSlug)
      await navigate({ to: `/o/${saved.organization.slug}/settings`, replace: true });
  };
  return (
    <Form
      onSubmit={submit}
      footer={(busy) => (
        <div className="form-acts">
          <Button look="primary" type="submit" busy={busy}>
            {common.actions.save}
          </Button>
        </div>
      )}
    >
      <TextField label={texts.name} value={fields.name} onChange={edit("name")} path="name" />
      <TextField
        label={texts.slug}
        value={fields.slug}
        onChange={edit("slug")}
        path="slug"
        mono
        spellCheck={false}
        hint={texts.slugHint(window.location.origin, fields.slug)}
      />
      <AreaField
        label={texts.domains}
        value={fields.domains}
        onChange={edit("domains")}
        path="allowedEmailDomains"
        hint={texts.domainsHint}
        rows={3}
        mono
        spellCheck={false}
      />
      <TextField
        label={texts.maxAge}
        value={fields.maxAge}
        onChange={edit("maxAge")}
        path="sessionMaxAgeMinutes"
        type="number"
        min={5}
        hint={texts.maxAgeHint}
      />
    </Form>
  );
}
