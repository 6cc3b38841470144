import { useNavigate } from "@tanstack/react-router";
import { Ellipsis, KeyRound, Pencil, Power, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Reply } from "../../lib/api.ts";
import { usePath } from "../../lib/paths.ts";
import { useAction, useRead } from "../../lib/queries.ts";
import { settings } from "../../texts/settings.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Pairs } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/feedback.tsx";
import { FormProblem, useProblem } from "../../ui/form.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Inspector } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { EndpointDeliveries } from "./endpoint-deliveries.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { NewSecret } from "./new-secret.tsx";
import { EndpointState } from "./webhooks.tsx";

const texts = settings.webhooks;
const readOne = "GET /v1/webhook-endpoints/{id}";
type Endpoint = Reply<typeof readOne>["webhookEndpoint"];
const changes = ["GET /v1/webhook-endpoints", readOne] as const;

export function EndpointInspector({ id }: { id: string }) {
  const path = usePath();
  const navigate = useNavigate();
  const endpoint = useRead(readOne, { path: { id } }, { everyMs: 5_000 });
  const close = () => void navigate({ to: path("/settings/webhooks") });
  return (
    <Inspector
      title={endpoint.data ? new URL(endpoint.data.webhookEndpoint.url).host : texts.title}
      beside={endpoint.data && <EndpointState endpoint={endpoint.data.webhookEndpoint} />}
      onClose={close}
    >
      <Loaded query={endpoint} what={texts.what}>
        {({ webhookEndpoint }) => <Details endpoint={webhookEndpoint} onRemoved={close} />}
      </Loaded>
    </Inspector>
  );
}

function Details({ endpoint, onRemoved }: { endpoint: Endpoint; onRemoved(): void }) {
  const { url, types, disabledReason, failingSince, lastSucceededAt, previousSecretExpiresAt } = endpoint;
  return (
    <div className="stack">
      <Actions endpoint={endpoint} onRemoved={onRemoved} />
      {disabledReason && <p className="note bad">{texts.reasons[disabledReason]}</p>}
      <Pairs
        items={[
          [
            texts.url,
            <code key="url" className="wrap-any">
              {url}
            </code>,
          ],
          endpoint.description !== "" && [texts.description, endpoint.description],
          [
            texts.types,
            types.length === 0 ? texts.all : types.map((type) => settings.events[type].title).join(", "),
          ],
          [texts.lastSucceeded, <Time key="succeeded" at={lastSucceededAt} />],
          failingSince !== null && [texts.failingSince, <Time key="failing" at={failingSince} />],
          previousSecretExpiresAt !== null && [
            texts.previousSecret,
            <Time key="secret" at={previousSecretExpiresAt} form="date" />,
          ],
        ]}
      />
      <EndpointDeliveries id={endpoint.id} />
    </div>
  );
}

function Actions({ endpoint, onRemoved }: { endpoint: Endpoint; onRemoved(): void }) {
  const { id, url, status } = endpoint;
  const toast = useToast();
  const [open, setOpen] = useState<"edit" | "rotate" | "remove">();
  const [secret, setSecret] = useState<string>();
  const { problem, busy, attempt } = useProblem();
  const test = useAction("POST /v1/webhook-endpoints/{id}/test", {
    changes: ["GET /v1/webhook-endpoints/{id}/deliveries"],
  });
  const change = useAction("PATCH /v1/webhook-endpoints/{id}", { changes });
  const rotate = useAction("POST /v1/webhook-endpoints/{id}/rotate-secret", { changes });
  const remove = useAction("DELETE /v1/webhook-endpoints/{id}", { changes: ["GET /v1/webhook-endpoints"] });
  const isEnabled = status === "enabled";
  const toggle = () =>
    attempt(() => change.run({ path: { id }, body: { status: isEnabled ? "disabled" : "enabled" } }));
  const close = () => setOpen(undefined);
  return (
    <>
      <div className="row wrap">
        {isEnabled && (
          <Button
            icon={Send}
            busy={busy}
            onClick={() =>
              attempt(async () => {
                await test.run({ path: { id } });
                toast(texts.tested);
              })
            }
          >
            {texts.test}
          </Button>
        )}
        <Button icon={Power} onClick={toggle}>
          {isEnabled ? texts.disable : texts.enable}
        </Button>
        <Menu trigger={<IconButton icon={Ellipsis} size="m" label={texts.actions} />}>
          <MenuItem icon={Pencil} onSelect={() => setOpen("edit")}>
            {texts.edit}
          </MenuItem>
          <MenuItem icon={KeyRound} onSelect={() => setOpen("rotate")}>
            {texts.rotate}
          </MenuItem>
          <MenuItem icon={Trash2} destructive onSelect={() => setOpen("remove")}>
            {texts.remove}
          </MenuItem>
        </Menu>
      </div>
      <FormProblem problem={problem} />
      {open === "edit" && <EndpointForm endpoint={endpoint} onClose={close} />}
      <ConfirmDialog
        open={open === "rotate"}
        onClose={close}
        title={texts.rotateTitle}
        text={texts.rotateText}
        action={texts.rotate}
        onConfirm={async () =>
          setSecret((await rotate.run({ path: { id }, body: { overlapSeconds: 86_400 } })).secret)
        }
      />
      <ConfirmDialog
        open={open === "remove"}
        onClose={close}
        title={texts.removeTitle(url)}
        text={texts.removeText}
        action={texts.remove}
        onConfirm={async () => {
          await remove.run({ path: { id } });
          toast(texts.removed);
          onRemoved();
        }}
      />
      {secret !== undefined && <NewSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}
