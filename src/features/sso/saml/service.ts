import type { Ctx, MemberCtx } from "../../../platform/context.ts";
import { invalidField, notFound } from "../../../platform/errors.ts";
import { isId, newId } from "../../../platform/ids.ts";
import {
  applySamlOptions,
  changeRow,
  checkBinding,
  createSecretPlace,
  findConnectorByAddress,
  insertConnector,
  openClientSecrets,
  type SamlConnectorSettings,
} from "../connectors/index.ts";
import { createServiceProviderKeys, writeMetadata } from "../saml-protocol/index.ts";
import type { NewSaml } from "./contract.ts";
import { fetchMetadata, parseMetadata } from "./provider.ts";
import { notSaml, refuseFailures, requireSaml } from "./rules.ts";
import { openSettings } from "./settings.ts";
import * as store from "./store.ts";

export async function create(ctx: MemberCtx, body: NewSaml) {
  const { metadataUrl, metadataXml, providerEntityId } = body;
  if ((metadataUrl === undefined) === (metadataXml === undefined))
    throw invalidField(["metadataUrl"], "Send either metadataUrl or metadataXml.");
  const refusal = metadataUrl === undefined ? undefined : ctx.egress.refusal(metadataUrl);
  if (refusal !== undefined) throw invalidField(["metadataUrl"], refusal);
  const provider = await refuseFailures(async () =>
    metadataUrl === undefined
      ? parseMetadata(metadataXml!, providerEntityId)
      : fetchMetadata(ctx, ctx.orgId, metadataUrl, providerEntityId),
  );
  const id = newId("sso");
  const { privateKey, certificate } = await createKeys(ctx);
  const settings: SamlConnectorSettings = applySamlOptions(
    {
      provider,
      certificate,
      earlierCertificate: null,
      binding: null,
      requireSigned: "either",
      subjectAttribute: null,
      nameIdFormat: null,
      allowsProviderStart: true,
      attributes: { email: null, name: null, groups: null },
    },
    body,
  );
  checkBinding(settings);
  const place = createSecretPlace(ctx.orgId, id, "client_secret", settings);
  return insertConnector(
    ctx,
    {
      id,
      kind: "saml",
      name: body.name,
      settings,
      clientSecret: ctx.keyring.seal(privateKey, place),
      defaultRole: body.defaultRole ?? "member",
      groupMappings: body.groupMappings ?? [],
      createsMembers: body.createsMembers ?? true,
    },
    (tx) => store.insert(tx, ctx.orgId, id, metadataUrl ?? null).then(() => undefined),
  );
}

const createKeys = ({ config }: MemberCtx) =>
  createServiceProviderKeys(new URL(config.publicUrl).hostname, new Date());

/** Our metadata. Everybody may read it, so another kind of connector is as unknown as a wrong id. */
export async function writeOwnMetadata(ctx: Ctx, id: string): Promise<string> {
  const connector = isId("sso", id) ? await findConnectorByAddress(ctx.db, id) : undefined;
  if (connector?.kind !== "saml") throw notFound("sso_connector");
  return writeMetadata(openSettings(ctx, connector, Date.now()));
}

const overlapHours = 30 * 24;

export async function rotateCertificate(ctx: MemberCtx, id: string) {
  await requireSaml(ctx, id);
  const { privateKey, certificate } = await createKeys(ctx);
  return changeRow(
    ctx,
    id,
    (before) => {
      if (before.kind !== "saml") throw notSaml();
      const [current] = openClientSecrets(ctx, before, Date.now());
      const settings = { ...before.settings, certificate, earlierCertificate: before.settings.certificate };
      const seal = (key: string, column: "client_secret" | "earlier_client_secret") =>
        ctx.keyring.seal(key, createSecretPlace(ctx.orgId, before.id, column, settings));
      return {
        ...before,
        settings,
        clientSecret: seal(privateKey, "client_secret"),
        earlierClientSecret: current === undefined ? null : seal(current, "earlier_client_secret"),
        earlierHours: overlapHours,
        keepsTest: true,
      };
    },
    "sso.secret_rotated",
  );
}
